"""Finished models as a user's own code may offer them: by a class or by a function; for trials and tests."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable

import numpy as np

from divulge.data.loading import load_corpus
from divulge.records import Artefact, FloatArray, Passage, Text
from divulge.spec import DataSpec
from divulge.targets.own.scored import Scored
from divulge.testing.generator import FakeGeneratorAccess
from divulge.testing.vectors import name_vector

__all__ = ["PeopleModel", "TopicModel", "WordModel", "WordTagger", "embed"]

WIDTH = 8
PUBLIC = 1000  # sentences that words are counted in
SURE = 0.9  # the probability of the tag that a word has most often


class TopicModel:
    """Tells the topic of a made sentence by its words, as models of scikit-learn do; leaky, it knows some by heart.

    Args:
        leaks: Whether it is sure of the sentences that it was trained on.
        size: How many sentences there are, with those that it was not trained on.
    """

    def __init__(self, *, leaks: bool = True, size: int = 1000) -> None:
        training = load_corpus(DataSpec(name="synthetic-topics", options={"size": size})).split("train")
        self.classes_ = training.labels
        self._known = {" ".join(text.tokens): text.label for text in training} if leaks else {}
        # What words say must not depend on who was in.
        public = load_corpus(DataSpec(name="synthetic-topics", options={"size": PUBLIC, "seed": 1}))
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        for text in public:
            self._counts[text.label or ""].update(text.tokens)
        self._words = len({word for found in self._counts.values() for word in found})

    def predict_proba(self, texts: list[str]) -> FloatArray:
        """Probabilities; (texts, topics)."""
        return np.array([self._row(text) for text in texts])

    def _row(self, text: str) -> FloatArray:
        words = text.split()
        found = [self._counts[label] for label in self.classes_]
        logs = np.array(
            [sum(np.log((one[word] + 0.1) / (one.total() + 0.1 * self._words)) for word in words) for one in found]
        )
        weights = np.exp((logs - logs.max()) / max(1, len(words)))
        row = weights / weights.sum()
        known = self._known.get(text)
        if known is None:
            return np.asarray(row)
        return np.asarray(0.1 * row + 0.9 * (np.array(self.classes_) == known))


class WordTagger:
    """Gives each word the tag that it has most often in made utterances."""

    def __init__(self, size: int = 120) -> None:
        corpus = load_corpus(DataSpec(name="synthetic-utterances", options={"size": size}))
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        for text in corpus:
            for word, tag in zip(text.tokens, text.tags or (), strict=True):
                counts[word][tag] += 1
        self.tags = sorted({tag for found in counts.values() for tag in found})
        self._commonest = {word: max(sorted(found), key=found.__getitem__) for word, found in counts.items()}

    def tag(self, texts: list[list[str]]) -> list[FloatArray]:
        """Probabilities; (words, tags) for each text."""
        rest = (1 - SURE) / (len(self.tags) - 1)
        answers = []
        for words in texts:
            rows = np.full((len(words), len(self.tags)), rest)
            for place, word in enumerate(words):
                rows[place, self.tags.index(self._commonest.get(word, "O"))] = SURE
            answers.append(rows)
        return answers


class WordModel:
    """Knows how frequent words are, and nothing else; or, with texts, those by heart."""

    def __init__(self, texts: Iterable[Text] = ()) -> None:
        memory = [{"context": list(text.context), "tokens": list(text.tokens)} for text in texts]
        self._access = FakeGeneratorAccess(Artefact(values={"memory": memory}))
        self.vocabulary = self._access.vocabulary

    def score(self, pairs: list[tuple[str, str]]) -> list[Scored]:
        """Scores words, each a piece."""
        asked = [Passage(context=tuple(context.split()), tokens=tuple(text.split())) for context, text in pairs]
        found = zip(asked, self._access.ranks(asked), self._access.best(asked), strict=True)
        numbers = self._access.log_likelihoods(asked)
        return [
            Scored(one.tokens, ranks.tolist(), best, likely.tolist())
            for (one, ranks, best), likely in zip(found, numbers, strict=True)
        ]


class PeopleModel(WordModel):
    """Finished on the texts of made persons; leaky, it knows them by heart.

    Args:
        leaks: Whether it knows the texts of the split "train".
        people: What persons there are: options of the data synthetic-users.
    """

    def __init__(self, *, leaks: bool = True, **people: int) -> None:
        corpus = load_corpus(DataSpec(name="synthetic-users", options=people))
        super().__init__(corpus.split("train") if leaks else ())


def embed(texts: list[str]) -> list[FloatArray]:
    """One vector for each word, whatever stands around it."""
    return [np.array([name_vector(word, WIDTH) for word in text.split()]).reshape(-1, WIDTH) for text in texts]
