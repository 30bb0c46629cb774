"""Finds the words of several holes without trying all combinations: hole by hole first, then together.

A hole's words are tried with a few random words in the other holes: what was memorised shows through them. Where the
gradient is at hand it leaves most words out before any is asked about.
"""

from __future__ import annotations

import itertools
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
    rounds: int
    beam: int
    tried: int
    sweeps: int
    scans: int = 0

    def questions(self, sizes: Sequence[int], *, pruned: bool = False) -> int:
        """The most that a search asks where the holes have so many candidates."""
        pruned_holes = sum(size > self.shortlist for size in sizes) if pruned else 0
        asked = [min(size, self.shortlist) for size in sizes] if pruned else sizes
        total = (
            self.starts * pruned_holes + sum(self._alone(size, len(sizes)) for size in asked) + self._combined(asked)
        )
        if len(sizes) > 1 or pruned_holes:
            anew = sum(min(size, self.tried * (1 + pruned)) + AROUND * pruned for size in sizes)
            total += self.sweeps * (self.ends * anew + self._combined(sizes))
        if len(sizes) > 1:
            total += self.scans * (sum(sizes) + self._combined(sizes))
        return total

    @property
    def ends(self) -> int:
        """How many of the best fillings are changed one hole at a time."""
        return max(1, self.beam // 4)

    def _combined(self, sizes: Sequence[int]) -> int:
        """The questions of a beam over the holes."""
        total, kept = 0, 1
        for size in sizes:
            grown = kept * min(self.beam, size)
            total, kept = total + grown, min(self.beam, grown)
        return total

    def _alone(self, size: int, holes: int) -> int:
        """The questions about one hole alone: of each round a quarter go on."""
        total = 0
        for _ in range(self.rounds if holes > 1 else 1):  # with no other hole, a second round asks the same again
            total, size = total + size, min(size, max(self.beam, size // 4))
        return total


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
                self.scores(list(itertools.product(*self.candidates)))
            else:
                words = [self._pruned(hole) for hole in range(len(self.candidates))]
                self._together([self._ordered(hole, some) for hole, some in enumerate(words)])
                self._scanned()
        return self._reordered(self.scores.best(keep))

    def _reordered(self, found: list[tuple[float, Completion]]) -> list[tuple[float, Completion]]:
        """The same fillings by what also their words alone say; as they were, where that may not be asked any more."""
        fillings = [filling for _, filling in found]
        with suppress(Spent):
            scores = self.scores.supported(fillings)
            return [(float(scores[place]), fillings[place]) for place in np.argsort(-scores, kind="stable")]
        return found

    def _is_small(self) -> bool:
        """Whether to ask about everything costs no more than to search."""
        left, space = self.scores.left, self.scores.hint.space
        most = self.effort.questions([len(words) for words in self.candidates], pruned=self.slopes is not None)
        return space <= most and (left is None or space <= left)

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
        """The words of one hole, best first, tried with random words in the others; of each round a quarter go on."""
        going, done, total = list(words), list[str](), np.zeros(len(words))
        known = self.scores.others[: self.effort.rounds]
        for others in [*known, *(self._random() for _ in range(self.effort.rounds - len(known)))]:
            total = total + self.scores([(*others[:hole], word, *others[hole + 1 :]) for word in going])
            order = np.argsort(-total, kind="stable")
            kept = max(self.effort.beam, len(going) // 4)
            done = [going[place] for place in order[kept:]] + done
            going, total = [going[place] for place in order[:kept]], total[order[:kept]]
        return going + done

    def _together(self, lists: list[list[str]]) -> None:
        """The best words of each hole in all combinations; then, again and again, those of the best fillings."""
        self._combined(lists)
        for _ in range(self.effort.sweeps):
            ends = self._ends()
            for end, hole in itertools.product(ends, range(len(lists))):
                tried = [*lists[hole][: self.effort.tried], *self._liked(end, hole)]
                self.scores([(*end[:hole], word, *end[hole + 1 :]) for word in tried])
            best = [filling for _, filling in self.scores.best(self.effort.beam)]
            self._combined([list(dict.fromkeys(words)) for words in zip(*best, strict=True)])
            if self._ends() == ends:
                return

    def _combined(self, lists: list[list[str]]) -> None:
        """The first words of each hole's list in all combinations, as a beam does it."""
        beam: list[Completion] = [()]
        for hole, words in enumerate(lists):
            rest = tuple(others[0] for others in lists[hole + 1 :])
            grown = [(*begun, word) for begun in beam for word in words[: self.effort.beam]]
            found = self.scores([(*filling, *rest) for filling in grown])
            beam = [grown[place] for place in np.argsort(-found, kind="stable")[: self.effort.beam]]

    def _scanned(self) -> None:
        """All words in each hole of the best filling: what the gradient left out, or what does nothing alone."""
        for _ in range(self.effort.scans if len(self.candidates) > 1 else 0):
            before = self._ends()[0]
            for hole, words in enumerate(self.candidates):
                best = self._ends()[0]
                self.scores([(*best[:hole], word, *best[hole + 1 :]) for word in words])
            self._moved()
            if self._ends()[0] == before:
                return

    def _moved(self) -> None:
        """The words of the best fillings in whatever hole they fit: a memorised word works in a wrong place too."""
        best = [filling for _, filling in self.scores.best(self.effort.beam)]
        words = dict.fromkeys(itertools.chain.from_iterable(best))
        allowed = [frozenset(options) for options in self.candidates]
        self._combined([[word for word in words if word in options] for options in allowed])

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
