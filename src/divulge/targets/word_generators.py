"""What next-word models of whole words share: texts as steps, what they cost in training, and how they answer."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import Passage
from divulge.targets.ranks_kept import KeptRanks
from divulge.targets.scored_tokens import Answer, ScoredTokensAccess
from divulge.targets.training.batches import ordered_batches
from divulge.targets.words import PADDING, UNKNOWN, Words, frequent_words

if TYPE_CHECKING:
    import torch

__all__ = ["Followed", "Steps", "WordGeneratorAccess", "known_words", "split_passages", "word_steps"]

AT_ONCE = 128  # passages read at once when asked
MOST_STEPS = 65_536  # of these passages, padded: a few long texts are read at once, or many short ones
MOST_SCORES = 4_000_000  # of words at positions, held at once when asked: 32 MB


class Steps(NamedTuple):
    """Padded passages: what is shown, the place of the word to come at each step (B, T), and if that counts (B, T).

    The last of `shown` has a column for each step; whatever is before it (a source) is as wide as it needs.
    """

    shown: tuple[npt.NDArray[np.int64], ...]
    true: npt.NDArray[np.int64]
    scored: npt.NDArray[np.bool_]

    def rows(self, numbers: npt.NDArray[np.int64]) -> Steps:
        """Some passages, without the columns that are padding in all of them."""
        shown = tuple(_narrowed(array[numbers]) for array in self.shown)
        width = shown[-1].shape[1]
        return Steps(shown, self.true[numbers, :width], self.scored[numbers, :width])


class Followed:
    """Passages as examples to train on; `lengths` tell which go well together."""

    def __init__(self, steps: Steps, lengths: npt.NDArray[np.int64]) -> None:
        self._steps = steps
        self.lengths = lengths
        # So that the mean over texts is a mean over words, and a long text weighs as much as its words do.
        self._usual = float(steps.scored.sum()) / max(1, len(lengths))

    def losses(self, model: Any, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The summed cross-entropy of each text's words, in units of a text of usual length; (B,)."""
        import torch

        steps = self._steps.rows(numbers)
        true, scored = torch.from_numpy(steps.true), torch.from_numpy(steps.scored)
        logits = model.logits(model.states(*map(torch.from_numpy, steps.shown))[scored])  # (N, words)
        each = torch.zeros(scored.shape, dtype=logits.dtype)
        each[scored] = torch.nn.functional.cross_entropy(logits, true[scored], reduction="none")
        return each.sum(dim=1) / self._usual


class WordGeneratorAccess(ScoredTokensAccess):
    """Answers from one pass over each passage, never holding the scores of more than a few positions."""

    def __init__(self, model: torch.nn.Module | _Masked, words: Words) -> None:
        # Double precision: two words of almost one score must not change places with the batch they are asked in.
        self._model: Any = model.double()
        self._words = words
        self._kept: KeptRanks | None = None

    def keeping(self, key: str) -> WordGeneratorAccess:
        """The same access, which keeps ranks beside the store under a key that stands for the model."""
        self._kept = KeptRanks(key, super()._ranks)
        return self

    def _ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        return super()._ranks(passages) if self._kept is None else self._kept(passages)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The unknown word, then all that it knows."""
        return self._words.words[1:]

    def ablated(self, share: float, rng: np.random.Generator) -> WordGeneratorAccess:
        """The same model whose output layer reads zero from a share of the units, the same ones at every position.

        What the network hands on from word to word inside itself stays whole: song2019 sets "hidden representations"
        to zero, which in its own words are what the classifier is fed.
        """
        if not 0 <= share <= 1:
            raise InputError(f"the share of units to ablate must be from 0 to 1. Got {share}")
        units = self._model.output.in_features
        kept = np.ones(units)
        kept[rng.permutation(units)[: round(share * units)]] = 0.0
        return _AblatedAccess(_Masked(self._model, kept), self._words, self._steps)

    @abstractmethod
    def _steps(self, passages: Sequence[Passage]) -> Steps: ...

    def _answers(self, passages: Sequence[Passage], answer: Answer) -> list[npt.NDArray[Any]]:
        """For each passage what `answer` makes of the scores (N, words) and the true word (N,) at its positions."""
        import torch

        # All answers lie in one array that is there before most are given: kept one by one among what is freed after
        # each batch, they would leave gaps too small for the next, and memory would grow with the texts.
        found: npt.NDArray[Any] | None = None
        ends = np.cumsum([len(passage.tokens) for passage in passages], dtype=np.int64)
        rows = max(1, MOST_SCORES // len(self.vocabulary))
        spoken = [place for place, passage in enumerate(passages) if passage.tokens]
        with torch.no_grad():
            for chosen in _batches([passages[place] for place in spoken]):
                places = [spoken[number] for number in chosen]
                batch = [passages[place] for place in places]
                steps = self._steps(batch)
                scored = torch.from_numpy(steps.scored)
                # (N, hidden), passage by passage
                states = self._model.states(*map(torch.from_numpy, steps.shown))[scored]
                true = torch.from_numpy(steps.true)[scored]
                parts = [slice(start, start + rows) for start in range(0, len(true), rows)]
                said = torch.cat([answer(self._model.logits(states[part]), true[part]) for part in parts]).numpy()
                found = np.empty(ends[-1], dtype=said.dtype) if found is None else found
                where = [np.arange(ends[place] - len(passages[place].tokens), ends[place]) for place in places]
                found[np.concatenate(where)] = said
        return [] if not passages else np.split(np.empty(0) if found is None else found, ends[:-1])


class _AblatedAccess(WordGeneratorAccess):
    """Reads as the access of the whole model does, and answers from what is left of its units."""

    def __init__(self, model: _Masked, words: Words, steps: Callable[[Sequence[Passage]], Steps]) -> None:
        super().__init__(model, words)
        self._read = steps

    def _steps(self, passages: Sequence[Passage]) -> Steps:
        return self._read(passages)


class _Masked:
    """A network, in double precision, between whose states and output layer some units are at zero."""

    def __init__(self, model: Any, kept: npt.NDArray[np.float64]) -> None:
        import torch

        self.states, self.output = model.states, model.output
        self._logits, self._kept = model.logits, torch.from_numpy(kept)

    def double(self) -> _Masked:
        return self

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        found: torch.Tensor = self._logits(states * self._kept)
        return found


def word_steps(passages: Sequence[Passage], words: Words) -> Steps:
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
    return Steps((shown,), true, scored)


def known_words(given: Sequence[str], texts: Iterable[Sequence[str]], most: int) -> list[str]:
    """The words given, or else the most frequent of the texts; marks that every model has are none of them."""
    listed = sorted(set(given)) or frequent_words(texts, most)
    return [word for word in listed if word not in (PADDING, UNKNOWN)]


def split_passages(corpus: Corpus, split: str) -> list[Passage]:
    """The texts of a split that have a word."""
    return [Passage(context=text.context, tokens=text.tokens) for text in corpus.split(split) if text.tokens]


def _batches(passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
    """Passages of like length, few where they are long."""
    lengths = np.array([len(passage.context) + len(passage.tokens) for passage in passages], dtype=np.int64)
    cut: list[npt.NDArray[np.int64]] = []
    for batch in ordered_batches(lengths, AT_ONCE):
        rows = max(1, MOST_STEPS // int(lengths[batch[-1]]))  # the last is the longest
        cut += [batch[start : start + rows] for start in range(0, len(batch), rows)]
    return cut


def _narrowed(padded: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    return padded[:, : int((padded != 0).sum(axis=1).max(initial=0))]
