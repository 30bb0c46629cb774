"""Finds the words of several holes without trying all combinations: word by word first, then together.

A word is tried by itself: in every hole that takes it, with the others left out. What was memorised shows there, while
a text that is right but for it has made the model sure already. Where the gradient is at hand it leaves most words
out before any is asked about.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from divulge.attacks.filling_scores import Completion, FillingScores, Spent
from divulge.records import FloatArray

__all__ = ["Effort", "FillingSearch", "Slopes"]

AROUND = 8  # gradients at one end: that of a single wrong word says much about this word

# Of fillings and a hole: how much better, to first order, each candidate of the hole would be; (candidates,), the
# candidates in the order of spelling.
Slopes = Callable[[Sequence[Completion], int], FloatArray]


class Effort(NamedTuple):
    """How hard to search; see the options of calibrated-likelihood."""

    starts: int
    shortlist: int
    beam: int
    tried: int
    sweeps: int
    repeats: bool = True
    parts: bool = False  # whether a filling's score has those of its parts, which are asked for too

    def questions(self, sizes: Sequence[int], *, pruned: bool = False) -> int:
        """The most that a search asks where the holes have so many candidates."""
        pruned_holes = sum(size > self.shortlist for size in sizes) if pruned else 0
        asked = [min(size, self.shortlist) for size in sizes] if pruned else sizes
        each = len(sizes) + 1 if self.parts and len(sizes) > 1 else 1  # a filling, and it with one hole left out
        total = self.starts * pruned_holes + sum(asked) + each * self.together(asked)
        if len(sizes) > 1 or pruned_holes:
            # A word that the gradient names is asked about by itself too, when fillings are brought together.
            anew = sum(each * min(size, self.tried * (1 + pruned)) + AROUND * pruned for size in sizes)
            more = self.beam * len(sizes) * pruned
            total += self.sweeps * (self.ends * anew + more + each * self.together(sizes))
        return total

    @property
    def ends(self) -> int:
        """How many of the best fillings are changed one hole at a time."""
        return max(1, self.beam // 4)

    def together(self, sizes: Sequence[int]) -> int:
        """How many fillings are tried, of words that were found in so many candidates of each hole."""
        return min(math.prod(sizes), self.beam * self.beam * max(1, len(sizes) - 1))


class FillingSearch:
    """Searches the fillings of one hint; what order its candidates are in makes no difference."""

    def __init__(
        self, scores: FillingScores, effort: Effort, rng: np.random.Generator, slopes: Slopes | None = None
    ) -> None:
        self.scores, self.effort, self.rng, self.slopes = scores, effort, rng, slopes
        self.candidates = [sorted(words) for words in scores.hint.candidates]

    def run(self, keep: int) -> list[tuple[float, Completion]]:
        """The best fillings found, best first; what was found until then, where the budget ends."""
        with suppress(Spent):
            if self._is_small():
                self.scores(self._allowed(list(itertools.product(*self.candidates))))
            else:
                self._together([self._ordered(hole, some) for hole, some in enumerate(self._shared())])
        return self.scores.best(keep) or [self._likely()]

    def _likely(self) -> tuple[float, Completion]:
        """Of a budget that reached no whole filling: the best words by themselves."""
        scores, words = zip(*(self.scores.likely(hole) for hole in range(len(self.candidates))), strict=True)
        return sum(scores) / len(scores), words

    def _is_small(self) -> bool:
        """Whether to ask about everything costs no more than to search."""
        left, space = self.scores.left, self.scores.hint.space
        most = self.effort.questions([len(words) for words in self.candidates], pruned=self.slopes is not None)
        return space <= most and (left is None or space + sum(map(len, self.candidates)) <= left)

    def _shared(self) -> list[Sequence[str]]:
        """The words of each hole that are worth asking about; what one hole keeps, the others may have too."""
        kept = [self._pruned(hole) for hole in range(len(self.candidates))]
        every = frozenset(itertools.chain.from_iterable(kept))
        return [[word for word in options if word in every] for options in self.candidates]

    def _pruned(self, hole: int) -> Sequence[str]:
        """The words of a hole that are worth asking about: all, or those that the gradient likes best.

        Half of a budget is for the holes alone, an even share each, a tenth of that for gradients.
        """
        options, (starts, shortlist, *_) = self.candidates[hole], self.effort
        if self.scores.left is not None:
            share = self.scores.left // (2 * len(self.candidates))
            starts, shortlist = min(starts, share // 10), min(shortlist, share)
        if self.slopes is None or len(options) <= shortlist or starts == 0:
            return options
        self.scores.spend(starts)
        found = self.slopes([self._random() for _ in range(starts)], hole)
        return [options[place] for place in np.argsort(-found, kind="stable")[:shortlist]]

    def _ordered(self, hole: int, words: Sequence[str]) -> list[str]:
        """The words of one hole, best first by themselves."""
        found = self.scores.alone(hole, words)
        return [words[place] for place in np.argsort(-found, kind="stable")]

    def _together(self, lists: list[list[str]]) -> None:
        """The best words of each hole in all combinations; then, again and again, those of the best fillings."""
        self._combined(lists)
        for _ in range(self.effort.sweeps):
            ends = self._ends()
            for end, hole in itertools.product(ends, range(len(lists))):
                tried = [*lists[hole][: self.effort.tried], *self._liked(end, hole)]
                self.scores(self._allowed([(*end[:hole], word, *end[hole + 1 :]) for word in tried]))
            best = [filling for _, filling in self.scores.best(self.effort.beam)]
            self._combined([list(dict.fromkeys(words)) for words in zip(*best, strict=True)])
            if self._ends() == ends:
                return

    def _combined(self, lists: list[list[str]]) -> None:
        """The fillings whose words do best by themselves: those of the greatest sums, hole by hole."""
        most = self.effort.together([len(words) for words in lists])
        begun: list[Completion] = [()]
        sums = np.zeros(1)
        for hole, words in enumerate(lists):
            first = words[:most]
            grown = sums[:, None] + self.scores.alone(hole, first)[None, :]  # (begun, words)
            order = np.argsort(-grown, axis=None, kind="stable").tolist()
            places = itertools.islice((place for place in order if self._is_new(begun, first, place)), most)
            chosen = list(places)
            begun = [(*begun[place // len(first)], first[place % len(first)]) for place in chosen]
            sums = grown.ravel()[chosen]
        self.scores(begun)

    def _is_new(self, begun: Sequence[Completion], words: Sequence[str], place: int) -> bool:
        """Whether the word at a place of the table of sums may follow what was begun there."""
        return self.effort.repeats or words[place % len(words)] not in begun[place // len(words)]

    def _allowed(self, fillings: list[Completion]) -> list[Completion]:
        return [one for one in fillings if self.effort.repeats or len(set(one)) == len(one)]

    def _ends(self) -> list[Completion]:
        """The best fillings of which no two have a word in common: near ones would lead to the same place."""
        ends: list[Completion] = []
        for _, filling in self.scores.best(len(self.scores.known)):
            if all(word != other for end in ends for word, other in zip(filling, end, strict=True)):
                ends.append(filling)
            if len(ends) == self.effort.ends:
                break
        return ends

    def _liked(self, filling: Completion, hole: int) -> list[str]:
        """The words that the gradient would put into a hole of one filling, whatever stands there now."""
        if self.slopes is None:
            return []
        self.scores.spend(AROUND)
        there = [filling[hole], *(self._random()[hole] for _ in range(AROUND - 1))]
        found = self.slopes([(*filling[:hole], word, *filling[hole + 1 :]) for word in there], hole)
        return [self.candidates[hole][place] for place in np.argsort(-found, kind="stable")[: self.effort.tried]]

    def _random(self) -> Completion:
        return tuple(words[int(self.rng.integers(len(words)))] for words in self.candidates)
