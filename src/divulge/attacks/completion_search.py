"""Finds the completions of least score: all of them in turn where that is affordable, else by search."""

from __future__ import annotations

import itertools
from typing import NamedTuple

import numpy as np

from divulge.attacks.completion_loss import Numbers
from divulge.attacks.completion_scores import CompletionScores
from divulge.records import FloatArray

__all__ = ["CompletionSearch", "Effort", "Found", "rank_all"]

CHUNK = 1 << 16  # completions numbered at a time
# How far a score in single precision may be off; what comes this close to the best is scored again in double.
ROUGH_ABSOLUTE, ROUGH_RELATIVE = 1e-4, 1e-4


class Found(NamedTuple):
    """Completions and their scores, the least first; equal scores in the order of spelling."""

    numbers: Numbers
    scores: FloatArray


class Effort(NamedTuple):
    """How hard to search; see the options of discrete-search."""

    restarts: int
    sweeps: int
    generations: int
    beam: int
    top: int
    pairs_up_to: int


def rank_all(scores: CompletionScores, keep: int, rng: np.random.Generator) -> Found:
    """Scores every completion, or as large a random part as may be asked, and keeps the best."""
    space, affordable = int(np.prod(scores.sizes)), scores.affordable
    short = affordable is not None and affordable < space
    chosen = np.sort(rng.permutation(space)[:affordable]) if short else None
    best = Found(np.empty((0, len(scores.sizes)), dtype=np.int64), np.empty(0))
    total = space if chosen is None else len(chosen)
    for start in range(0, total, CHUNK):
        stop = min(start + CHUNK, total)
        flat = np.arange(start, stop) if chosen is None else chosen[start:stop]
        numbers = np.stack(np.unravel_index(flat, scores.sizes), axis=1).astype(np.int64)
        if scores.has_rough and keep < len(numbers):
            numbers = numbers[_close(scores.rough(numbers), keep, scores.magnified)]
        found = np.concatenate([best.scores, scores(numbers)])
        order = np.argsort(found, kind="stable")[:keep]  # numbers ascend, and so does their spelling
        best = Found(np.concatenate([best.numbers, numbers])[order], found[order])
    return best


def _close(rough: FloatArray, keep: int, magnified: float) -> Numbers:
    """The places, in order, of all that may be among the best `keep`, however the rough scores err."""
    if len(rough) <= keep or not np.isfinite(rough).all():
        return np.arange(len(rough))
    last = np.partition(rough, keep - 1)[keep - 1]
    # Losses are right to a few units in the seventh digit; a difference of them has the error of its largest part.
    margin = magnified * (ROUGH_ABSOLUTE + ROUGH_RELATIVE * abs(last))
    return np.flatnonzero(rough <= last + 2 * margin)


class CompletionSearch:
    """Coordinate descent from many starts at once, crossings of what they ended in, and a beam over pairs of holes.

    Every completion is asked about once. When the budget is spent, what was found until then stands.
    """

    def __init__(self, scores: CompletionScores, effort: Effort, rng: np.random.Generator) -> None:
        self.scores, self.effort, self.rng = scores, effort, rng
        self._sizes = np.array(scores.sizes)
        self._known: dict[bytes, float] = {}
        self._settled: dict[bytes, None] = {}  # where descents ended

    def run(self, keep: int) -> Found:
        """Searches, and gives the best completions that were asked about."""
        try:
            self._descend(self._random(self.effort.restarts))
            for _ in range(self.effort.generations):
                self._descend(self._crossed())
            self._expand()
        except _Spent:
            pass
        return self._precise(self._best(list(self._known), len(self._known)), keep)

    def _precise(self, every: Found, keep: int) -> Found:
        """The best of what was asked about: roughly scored, those that come close are scored again."""
        if not self.scores.has_rough:
            return Found(every.numbers[:keep], every.scores[:keep])
        rows = every.numbers[_close(every.scores, keep, self.scores.magnified)]
        scores = self.scores(rows)
        order = np.lexsort((*rows.T[::-1], scores))[:keep]
        return Found(rows[order], scores[order])

    def _descend(self, rows: Numbers) -> None:
        """Each hole in turn takes its best candidate, in all rows at once, until no row moves."""
        self._ask(rows)
        for _ in range(self.effort.sweeps):
            before = rows = np.unique(rows, axis=0)
            for hole in self.rng.permutation(len(self._sizes)):
                rows = self._moved(rows, int(hole))
            still = (rows == before).all(axis=1)
            self._settled.update((row.tobytes(), None) for row in rows[still])
            rows = rows[~still]
            if not len(rows):
                return
        self._settled.update((row.tobytes(), None) for row in rows)

    def _moved(self, rows: Numbers, hole: int) -> Numbers:
        """Each row with the best candidate it can have in one hole; among equals the first by spelling."""
        moves = np.repeat(rows[:, None], min(self.effort.top + 1, self._sizes[hole]), axis=1)  # (rows, moves, holes)
        moves[:, :, hole] = self._choices(rows, hole)
        found = self._ask(moves.reshape(-1, moves.shape[2])).reshape(moves.shape[:2])
        picked: Numbers = moves[np.arange(len(rows)), found.argmin(axis=1)]
        return picked

    def _choices(self, rows: Numbers, hole: int) -> Numbers:
        """The candidates to try: all, or those of least slope and the one that stands there."""
        if self._sizes[hole] <= self.effort.top + 1:
            return np.broadcast_to(np.arange(self._sizes[hole]), (len(rows), self._sizes[hole]))
        self._must_afford(len(rows))
        slopes = self.scores.slopes(rows, hole)
        slopes[np.arange(len(rows)), rows[:, hole]] = -np.inf  # is always among them
        return np.sort(np.argsort(slopes, axis=1, kind="stable")[:, : self.effort.top + 1], axis=1)

    def _random(self, count: int) -> Numbers:
        return self.rng.integers(self._sizes, size=(count, len(self._sizes)))

    def _crossed(self) -> Numbers:
        """Children of two of the best ends, hole by hole from either, and one hole in the length anew."""
        parents = self._best(list(self._settled), self.effort.beam).numbers
        count, holes = self.effort.restarts, len(self._sizes)
        pairs = self.rng.integers(len(parents), size=(2, count))
        mother, father = parents[pairs[0]], parents[pairs[1]]
        children = np.where(self.rng.random((count, holes)) < 0.5, mother, father)
        return np.where(self.rng.random((count, holes)) < 1 / holes, self._random(count), children)

    def _expand(self) -> None:
        """Tries all neighbours of the best ends, by one hole and by two; what is better descends, until nothing is."""
        done: set[bytes] = set()
        for _ in range(self.effort.sweeps):
            best = self._best(list(self._settled), self.effort.beam)
            new = [(row, score) for row, score in zip(best.numbers, best.scores, strict=True)]
            new = [(row, score) for row, score in new if row.tobytes() not in done]
            if not new:
                return
            better = []
            for row, score in new:
                done.add(row.tobytes())
                near = self._neighbours(row)
                found = self._ask(near)
                if len(near) and found.min() < score:
                    better.append(near[found.argmin()])
            if better:
                self._descend(np.stack(better))

    def _neighbours(self, row: Numbers) -> Numbers:
        """Completions that differ in two holes, if they are few enough; those that differ in one are known."""
        holes = len(self._sizes)
        pairs = [(a, b) for a, b in itertools.combinations(range(holes), 2)]
        if not pairs or sum(int(self._sizes[a] * self._sizes[b]) for a, b in pairs) > self.effort.pairs_up_to:
            return np.empty((0, holes), dtype=np.int64)
        found = []
        for a, b in pairs:
            near = np.repeat(row[None], self._sizes[a] * self._sizes[b], axis=0)
            near[:, [a, b]] = np.stack(np.unravel_index(np.arange(len(near)), (self._sizes[a], self._sizes[b])), axis=1)
            found.append(near)
        return np.concatenate(found)

    def _ask(self, rows: Numbers) -> FloatArray:
        """The scores of completions, asked for only where they are not known yet."""
        rows = np.ascontiguousarray(rows)
        keys = [row.tobytes() for row in rows]
        new = {key: place for place, key in enumerate(keys) if key not in self._known}
        affordable = self.scores.affordable
        asked = list(new.items())[:affordable]
        if asked:
            ask = self.scores.rough if self.scores.has_rough else self.scores
            found = ask(rows[[place for _, place in asked]])
            self._known.update(zip((key for key, _ in asked), found.tolist(), strict=True))
        if len(asked) < len(new):
            raise _Spent
        return np.array([self._known[key] for key in keys])

    def _must_afford(self, examples: int) -> None:
        if self.scores.affordable is not None and self.scores.affordable < examples:
            raise _Spent

    def _best(self, keys: list[bytes], keep: int) -> Found:
        rows = np.frombuffer(b"".join(keys), dtype=np.int64).reshape(len(keys), len(self._sizes))
        scores = np.array([self._known[key] for key in keys], dtype=np.float64)
        order = np.lexsort((*rows.T[::-1], scores))[:keep]
        return Found(rows[order], scores[order])


class _Spent(Exception):  # noqa: N818 - no error: the budget's end is a way to end a search
    """Nothing more may be asked."""
