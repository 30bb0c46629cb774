"""Synthetic utterances: what a tagger and a classifier can and cannot learn from them."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from divulge.data.corpus import Corpus
from divulge.data.synthetic.utterances import SyntheticUtterances
from divulge.records import Text


@pytest.fixture(scope="module")
def corpus() -> Corpus:
    """The default corpus."""
    return SyntheticUtterances().load()


def tagged(corpus: Corpus, split: str) -> list[tuple[Text, int, str]]:
    """Every token of a split: its text, its place, its tag."""
    return [(text, place, tag) for text in corpus.split(split) for place, tag in enumerate(text.tags or ())]


def right_slots(predicted: list[str], truth: list[str]) -> float:
    """The share of slot tokens whose tag is right."""
    slots = [guess == tag for guess, tag in zip(predicted, truth, strict=True) if tag != "O"]
    return sum(slots) / len(slots)


def test_tags_are_well_formed(corpus: Corpus) -> None:
    """Every token has a tag, and an inside tag follows one of the same slot."""
    for text in corpus:
        assert text.tags is not None
        assert len(text.tags) == len(text.tokens) > 0
        for before, tag in zip(("O", *text.tags), text.tags, strict=False):
            assert not tag.startswith("I-") or before[2:] == tag[2:]


def test_there_is_variety(corpus: Corpus) -> None:
    """Ten intents in about equal number, more than thirty slots, more than 800 words, no text twice."""
    counts = Counter(text.label for text in corpus)
    assert len(counts) == 10
    assert min(counts.values()) > 220  # 300 expected each, standard deviation 16
    assert len({tag[2:] for text in corpus for tag in text.tags or ()} - {""}) > 30
    assert len({token for text in corpus for token in text.tokens}) > 800
    assert len({text.tokens for text in corpus}) == len(corpus)


def test_a_word_alone_does_not_tell_its_slot(corpus: Corpus) -> None:
    """The most frequent tag of a word is right for less than 60 % of slot tokens: measured 0.44."""
    seen: dict[str, Counter[str]] = defaultdict(Counter)
    for text, place, tag in tagged(corpus, "train"):
        seen[text.tokens[place]][tag] += 1
    test = tagged(corpus, "test")
    predicted = [max(seen[text.tokens[place]] or ("O",), key=seen[text.tokens[place]].get) for text, place, _ in test]
    assert 0.25 < right_slots(predicted, [tag for *_, tag in test]) < 0.6


def test_the_words_around_tell_the_slot(corpus: Corpus) -> None:
    """A linear model that sees intent and two words to either side is nearly always right: measured 0.99."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import SGDClassifier

    def features(text: Text, place: int) -> list[str]:
        words = ("<", "<", *text.tokens, ">", ">")
        around = [f"{step} {words[place + 2 + step]}" for step in range(-2, 3)]
        return [f"intent {text.label}", *around, *(f"{a}, {b}" for a, b in pairwise(around))]

    train, test = tagged(corpus, "train"), tagged(corpus, "test")
    counts = CountVectorizer(analyzer=lambda found: found)
    model = SGDClassifier(loss="modified_huber", alpha=1e-5, max_iter=3, tol=None, random_state=0)
    model.fit(counts.fit_transform([features(text, place) for text, place, _ in train]), [tag for *_, tag in train])
    predicted = model.predict(counts.transform([features(text, place) for text, place, _ in test]))
    assert right_slots(predicted.tolist(), [tag for *_, tag in test]) > 0.9


def test_intents_are_learnt(corpus: Corpus) -> None:
    """The words of an utterance tell its intent, though most words serve several intents: measured 0.99."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB

    train, test = corpus.split("train"), corpus.split("test")
    counts = CountVectorizer(analyzer=lambda tokens: tokens)
    model = MultinomialNB().fit(counts.fit_transform([t.tokens for t in train]), [t.label for t in train])
    assert model.score(counts.transform([t.tokens for t in test]), [t.label for t in test]) > 0.9
    served: dict[str, set[str | None]] = defaultdict(set)
    for text in corpus:
        for token in text.tokens:
            served[token].add(text.label)
    assert sum(len(labels) > 1 for labels in served.values()) > len(served) / 2


def test_digits_and_colours_occur(corpus: Corpus) -> None:
    """Words that canaries are often made of are in the vocabulary already."""
    words = {token for text in corpus for token in text.tokens}
    assert words >= {"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
    assert words >= {"red", "blue", "green", "yellow", "orange", "purple", "white", "black", "pink", "brown"}


def test_the_corpus_is_the_one_of_this_revision() -> None:
    """Whoever changes what a seed gives must raise the revision, and this value with it."""
    assert SyntheticUtterances.revision == 1
    assert SyntheticUtterances({"size": 40}).load().fingerprint[:16] == "c5e6c5287a9ff68b"
