"""The next-word model of song2019."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Passage, RecordText, UserTexts
from divulge.targets.base import Target
from divulge.targets.training.batches import ordered_batches
from divulge.targets.training.recipe import TrainingRecipe
from divulge.targets.words import PADDING, UNKNOWN, Words, frequent_words

if TYPE_CHECKING:
    import torch

    from divulge.targets.networks.generator import GeneratorNetwork

__all__ = ["TextGenerator", "TextGeneratorAccess"]

AT_ONCE = 128  # passages read at once when asked
MOST_SCORES = 4_000_000  # of words at positions, held at once when asked: 32 MB


class TextGenerator(Target):
    """An LSTM or GRU that predicts the next word; sizes and training as in song2019, appendix B.

    What a text answers (its context) is read first, then a mark, then the text; only the text's words are predicted.

    As in the paper, the vocabulary is that of the training users' texts. So it leaks by itself: the share of a
    person's words outside of it tells members from others without any likelihood. A word outside of it is answered
    as the unknown word, no more; how often that happens is what leaks. Give `words` of public text, and what leaks
    then is what the model has learnt.
    """

    name = "text-generator"
    summary = "a next-word model (LSTM or GRU), trained from scratch on its users' texts"
    grants = (TokenLikelihoodAccess,)
    hints = (Gaps, UserTexts, RecordText)
    trial: ClassVar = {"epochs": 3, "width": 16, "hidden": 16, "dropout": 0.0, "learning_rate": 1e-2}

    class Options(TrainingRecipe):
        """The recurrent cell, the sizes of the network, and the words it knows: those given, or the most frequent."""

        epochs: Annotated[int, Field(ge=1)] = 30
        batch_size: Annotated[int, Field(ge=1)] = 35
        cell: Literal["lstm", "gru"] = "lstm"
        width: Annotated[int, Field(ge=1)] = 128
        hidden: Annotated[int, Field(ge=1)] = 128
        layers: Annotated[int, Field(ge=1)] = 1
        dropout: Annotated[float, Field(ge=0, lt=1)] = 0.5
        most_words: Annotated[int, Field(ge=1)] = 5000
        words: tuple[str, ...] = ()

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the training split; the validation split, where there is one, tells when to stop."""
        from divulge.seeds import settled
        from divulge.targets.networks.weights import kept_weights
        from divulge.targets.training.sgd import fit

        training = _passages(corpus, "train")
        if not training:
            raise InputError(f"{corpus.name}: a text generator needs training texts, and none here has a word")
        words = self._known(training)
        sizes = self.options.model_dump(mode="json", include={"cell", "width", "hidden", "layers", "dropout"})
        examples, held = (_Followed(some, Words(words)) for some in (training, _passages(corpus, "valid")))
        with settled(rng):
            model = _network(words, sizes)
            told = fit(model, examples, held, self.options, rng)
        return Artefact(values={"words": words, "sizes": sizes, "training": told}, arrays=kept_weights(model))

    def open(self, artefact: Artefact) -> Grant:
        """Grants token likelihoods, and with them ranks."""
        return Grant([TextGeneratorAccess(artefact)])

    def _known(self, training: Sequence[Passage]) -> list[str]:
        texts = ((*passage.context, *passage.tokens) for passage in training)
        listed = sorted(set(self.options.words)) or frequent_words(texts, self.options.most_words)
        return [word for word in listed if word not in (PADDING, UNKNOWN)]


class TextGeneratorAccess(TokenLikelihoodAccess):
    """Answers from one pass over each passage, never holding the scores of more than a few positions."""

    def __init__(self, artefact: Artefact) -> None:
        from divulge.targets.networks.weights import with_weights

        values: Any = artefact.values
        self._words = Words(values["words"])
        # Double precision: two words of almost one score must not change places with the batch they are asked in.
        self._model: Any = with_weights(_network(values["words"], values["sizes"]), artefact.arrays).double()

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The unknown word, then all that it knows."""
        return self._words.words[1:]

    def _ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        from divulge.targets.networks.next_tokens import ranks

        return [row.astype(np.int64) for row in self._answers(passages, ranks)]

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        from divulge.targets.networks.next_tokens import best_tokens

        words = self.vocabulary
        return [tuple(words[int(number)] for number in row) for row in self._answers(passages, best_tokens)]

    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[FloatArray]:
        from divulge.targets.networks.next_tokens import log_likelihoods

        return [row.astype(np.float64) for row in self._answers(passages, log_likelihoods)]

    def _answers(
        self, passages: Sequence[Passage], answer: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
    ) -> list[npt.NDArray[Any]]:
        """For each passage what `answer` makes of the scores (N, words) and the true word (N,) at its positions."""
        import torch

        found: list[npt.NDArray[Any]] = [np.empty(0)] * len(passages)
        lengths = np.array([len(passage.context) + len(passage.tokens) for passage in passages], dtype=np.int64)
        rows = max(1, MOST_SCORES // len(self.vocabulary))
        with torch.no_grad():
            for places in ordered_batches(lengths, AT_ONCE):
                batch = [passages[place] for place in places]
                steps = _steps(batch, self._words)
                if not steps.scored.any():
                    continue  # nothing but passages of no words
                scored = torch.from_numpy(steps.scored)
                states = self._model.states(torch.from_numpy(steps.shown))[scored]  # (N, hidden), passage by passage
                true = torch.from_numpy(steps.true)[scored]
                parts = [slice(start, start + rows) for start in range(0, len(true), rows)]
                said = torch.cat([answer(self._model.logits(states[part]), true[part]) for part in parts]).numpy()
                ends = np.cumsum([len(passage.tokens) for passage in batch])
                for place, row in zip(places, np.split(said, ends[:-1]), strict=True):
                    found[place] = row
        return found


class _Steps(NamedTuple):
    """Padded passages (B, T): the number shown at each step, the place of the word to come, and if that counts."""

    shown: npt.NDArray[np.int64]
    true: npt.NDArray[np.int64]
    scored: npt.NDArray[np.bool_]


class _Followed:
    """Passages as examples to train on."""

    def __init__(self, passages: Sequence[Passage], words: Words) -> None:
        self._steps = _steps(passages, words)
        self.lengths = np.array([len(p.context) + len(p.tokens) for p in passages], dtype=np.int64)
        # So that the mean over texts is a mean over words, and a long text weighs as much as its words do.
        self._usual = float(self._steps.scored.sum()) / max(1, len(passages))

    def losses(self, model: Any, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The summed cross-entropy of each text's words, in units of a text of usual length; (B,)."""
        import torch

        width = int(self.lengths[numbers].max())
        shown, true, scored = (torch.from_numpy(array[numbers, :width]) for array in self._steps)
        logits = model.logits(model.states(shown)[scored])  # (N, words)
        each = torch.zeros(scored.shape, dtype=logits.dtype)
        each[scored] = torch.nn.functional.cross_entropy(logits, true[scored], reduction="none")
        return each.sum(dim=1) / self._usual


def _passages(corpus: Corpus, split: str) -> list[Passage]:
    return [Passage(context=text.context, tokens=text.tokens) for text in corpus.split(split) if text.tokens]


def _network(words: Sequence[str], sizes: dict[str, Any]) -> GeneratorNetwork:
    from divulge.targets.networks.generator import GeneratorNetwork

    known = len(Words(words))
    return GeneratorNetwork(known + 1, known - 1, **sizes)  # reads the mark too; never says padding


def _steps(passages: Sequence[Passage], words: Words) -> _Steps:
    """Context, mark, text but for its last word are shown; after the mark each next word counts."""
    mark = len(words)
    width = max((len(passage.context) + len(passage.tokens) for passage in passages), default=0)
    shown, true = (np.zeros((len(passages), width), dtype=np.int64) for _ in range(2))
    scored = np.zeros((len(passages), width), dtype=np.bool_)
    for row, passage in enumerate(passages):
        before, after = ([words.number(word) for word in part] for part in (passage.context, passage.tokens))
        if after:
            start, end = len(before), len(before) + len(after)
            shown[row, :end] = [*before, mark, *after[:-1]]
            true[row, start:end] = np.array(after) - 1  # padding is no word to be said
            scored[row, start:end] = True
    return _Steps(shown, true, scored)
