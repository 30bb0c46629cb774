"""One leaked vector on the table: the pieces its text may hold, and which edits of a guess would bring it nearer.

An edit's score adds up three things: how much nearer the vector would come in the linear approximation of pooling, how
much better the text would read, and how much likelier its pieces are. Nothing is asked for that.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.attacks.piece_bigrams import Bigrams
from divulge.attacks.piece_effects import ChosenEffects, PieceEffects
from divulge.attacks.public_sentences import Floats, Numbers

__all__ = ["Desk", "Edit", "edited"]

Places = npt.NDArray[np.int64]
NEARER, FLUENT, PRESENT = 0.1, 1.0, 0.5  # what the three parts of a score weigh
NOISE = 1.0  # of the Gumbel noise that lets edits of nearly the same score take turns
NEVER = np.float32(-1e9)
LONGEST_MOVE = 4  # pieces that are moved together
FARTHEST = 600  # over the length of a text: how far they are moved; there are thousands of ways in a long one


class Edit(NamedTuple):
    """Puts a piece in the place of another (kind 0), or before it (1), or takes it out (2)."""

    score: float
    kind: int
    place: int
    piece: int


@dataclass(frozen=True)
class Desk:
    """Texts here are places in `pieces`, the pieces that may occur; vectors are in the coordinates of the effects."""

    target: Floats
    pieces: npt.NDArray[np.int64]
    odds: Floats  # (vocabulary,): log odds that the text holds a piece
    model: PieceEffects
    bigrams: Bigrams
    longest: int

    def widened(self, text: Numbers, vector: Floats, most: int) -> Desk:
        """The same with a few more pieces of the whole vocabulary: those that would bring this guess nearest."""
        size = len(text) + self.model.special
        nearer = 2 / size * (self.model.effects @ (self.target - vector)) - self.model.squares / size**2
        scores = NEARER * nearer + PRESENT * self.odds
        scores[self.pieces] = NEVER
        new = np.argsort(-scores, kind="stable")[: min(most, len(scores) - len(self.pieces))]
        return replace(self, pieces=np.append(self.pieces, new))

    def scores(self, text: Numbers, vector: Floats) -> tuple[Floats, Floats, Floats]:
        """What each replacement (text, pieces), insertion (text + 1, pieces) and deletion (text,) is worth."""
        held, length, chosen = np.array(text), len(text), self._chosen
        missing, rest = self.target - vector, vector - self.model.constant
        replaced = chosen.replaced(held, missing)
        inserted = chosen.inserted(length, missing, rest) if length < self.longest else replaced[-1]
        deleted = chosen.deleted(held, missing, rest)
        return self._replacements(held, replaced), self._insertions(held, inserted), self._deletions(held, deleted)

    def _replacements(self, held: Places, nearer: Floats) -> Floats:
        follows, count = self._follows, len(self.pieces)
        before, after = np.append(count, held[:-1]), np.append(held[1:], self._end(len(held)))
        old = follows[before, held] + follows[held, after]
        fluent = follows[before, :count] + follows[:count, after].T - old[:, None]
        scores = NEARER * nearer + FLUENT * fluent + PRESENT * (self._logits - self._logits[held, None])
        scores[np.arange(len(held)), held] = NEVER
        return np.asarray(scores)

    def _insertions(self, held: Places, nearer: Floats) -> Floats:
        follows, count, length, last = self._follows, len(self.pieces), len(held), held[-1]
        end = self._end(length + 1)
        before, after = np.append(count, held), np.append(held, end)
        fluent = follows[before, :count] + follows[:count, after].T - follows[before, after][:, None]
        if length < self.longest:
            fluent += follows[last, end] - follows[last, self._end(length)]
            return np.asarray(NEARER * nearer + FLUENT * fluent + PRESENT * self._logits)
        fluent -= follows[before[-2], last]  # the last piece is pushed out
        scores = NEARER * nearer + FLUENT * fluent + PRESENT * (self._logits - self._logits[last])
        scores[-2:] = NEVER  # behind the longest text, or in the place of its last piece
        return np.asarray(scores)

    def _deletions(self, held: Places, nearer: Floats) -> Floats:
        follows, length, last = self._follows, len(held), held[-1]
        if length < 2:
            return np.full(length, NEVER)
        end, old_end = self._end(length - 1), self._end(length)
        before, after = np.append(len(self.pieces), held[:-1]), np.append(held[1:], end)
        fluent = follows[before, after] - follows[before, held] - follows[held, np.append(held[1:], old_end)]
        fluent[:-1] += follows[last, end] - follows[last, old_end]
        return np.asarray(NEARER * nearer + FLUENT * fluent - PRESENT * self._logits[held])

    def edits(self, text: Numbers, vector: Floats, most: int, rng: np.random.Generator | None) -> list[Edit]:
        """The most promising edits, best first; with a generator some noise decides too."""
        parts = self.scores(text, vector)
        plain = np.concatenate([part.ravel() for part in parts])
        flat = plain if rng is None else plain + NOISE * rng.gumbel(size=len(plain))
        best = np.argpartition(-flat, min(most, len(flat) - 1))[:most]
        found = []
        for place in best[np.argsort(-flat[best], kind="stable")].tolist():
            kind, at = 0, place
            while at >= parts[kind].size:
                at -= parts[kind].size
                kind += 1
            score = float(plain[place])
            found.append(Edit(score, kind, *divmod(at, len(self.pieces))) if kind < 2 else Edit(score, kind, at, 0))
        return [edit for edit in found if edit.score > NEVER / 2]

    def corrections(
        self, text: Numbers, vector: Floats, steps: int, rng: np.random.Generator | None
    ) -> list[tuple[Numbers, Floats]]:
        """What comes of one edit after the other, as long as the score rises, with the vectors to expect.

        Where another order of the pieces is worth more than the best edit, that is the step.
        """
        found: list[tuple[Numbers, Floats]] = []
        for _ in range(steps):
            best = next(iter(self.edits(text, vector, 1, rng)), None)
            score, new = (0.0, text) if best is None else (best.score, edited(text, [best], self.longest))
            for order in self.reorderings(text, 1, None):
                gain = FLUENT * float(self.fluency(np.array([order]))[0] - self.fluency(np.array([text]))[0])
                score, new = max((score, new), (gain, order))
            if score <= 0:
                break
            vector = vector + self.expected(new) - self.expected(text)
            text = new
            found.append((text, vector))
        return found

    def reorderings(self, text: Numbers, most: int, rng: np.random.Generator | None) -> list[Numbers]:
        """The same pieces in another order, two exchanged or a few moved: those that read best, best first."""
        if len(text) < 2 or most == 0:
            return []
        orders = np.array(text)[_orders(len(text))]  # (orders, text)
        scores = FLUENT * self.fluency(orders)
        if rng is not None:
            scores = scores + NOISE * rng.gumbel(size=len(orders))
        return [tuple(orders[place].tolist()) for place in np.argsort(-scores, kind="stable")[:most]]

    def worth(self, text: Numbers, vector: Floats) -> float:
        """The whole score of a text with this vector."""
        near = -NEARER * float(np.sum((self.target - vector) ** 2))
        return (
            near + FLUENT * float(self.fluency(np.array([text]))[0]) + PRESENT * float(self._logits[list(text)].sum())
        )

    def crossings(self, one: Numbers, other: Numbers, most: int, rng: np.random.Generator) -> list[Numbers]:
        """The beginning of one text and the end of another, cut where the whole should be near and read well."""
        start, first = (
            grid.ravel() for grid in np.mgrid[0 : len(one) + 1, 0 : len(other)]
        )  # one[:start] + other[first:]
        last = np.minimum(len(other), first + self.longest - start)
        some = last > first
        start, first, last = start[some], first[some], last[some]
        lengths = start + last - first
        before, after = _running(self._chosen.effects[list(one)]), _running(self._chosen.effects[list(other)])
        total = before[start] + after[last] - after[first] + self.model.around
        apart = self.target - self.model.constant - total / (lengths + self.model.special)[:, None]
        left, right = np.array([len(self.pieces), *one]), np.array(other)
        inside, within = _running(self._follows[left[:-1], left[1:]]), _running(self._follows[right[:-1], right[1:]])
        ends = len(self.pieces) + (lengths >= self.longest)
        fluent = inside[start] + self._follows[left[start], right[first]] + within[last - 1] - within[first]
        fluent = fluent + self._follows[right[last - 1], ends]
        scores = FLUENT * fluent - NEARER * np.sum(apart**2, axis=1) + NOISE * rng.gumbel(size=len(start))
        best = np.argsort(-scores, kind="stable")[:most].tolist()
        return [(*one[: start[n]], *other[first[n] : last[n]]) for n in best]

    def expected(self, text: Numbers) -> Floats:
        """The vector of a text in the linear approximation."""
        total = self._chosen.effects[list(text)].sum(axis=0) + self.model.around
        return np.asarray(total / (len(text) + self.model.special) + self.model.constant, dtype=np.float32)

    def fluency(self, texts: npt.NDArray[np.int64]) -> Floats:
        """How well texts of one length (texts, length) read: log probabilities."""
        edges = np.full((len(texts), 1), len(self.pieces))
        ends = np.full((len(texts), 1), self._end(texts.shape[1]))
        whole = np.hstack([edges, texts, ends])
        return np.asarray(self._follows[whole[:, :-1], whole[:, 1:]].sum(axis=1))

    def _end(self, length: int) -> int:
        """What follows the last piece: the edge, or nothing known where a text is as long as any and may be cut."""
        return len(self.pieces) + int(length >= self.longest)

    @cached_property
    def _logits(self) -> Floats:
        return self.odds[self.pieces]

    @cached_property
    def _chosen(self) -> ChosenEffects:
        return self.model.chosen(self.pieces)

    @cached_property
    def _follows(self) -> Floats:
        return self.bigrams.among(self.pieces)


def edited(text: Numbers, edits: list[Edit], longest: int) -> Numbers:
    """The text after all edits, whose places are those of the text before."""
    new = list(text)
    for edit in sorted(edits, key=lambda edit: -edit.place):
        if edit.kind == 0:
            new[edit.place] = edit.piece
        elif edit.kind == 1:
            new.insert(edit.place, edit.piece)
        else:
            del new[edit.place]
    return tuple(new[:longest])


def _running(values: Floats) -> Floats:
    """Sums of the first values, from none of them to all."""
    return np.concatenate([np.zeros_like(values[:1]) if len(values) else np.zeros(1), np.cumsum(values, axis=0)])


@lru_cache(maxsize=64)
def _orders(length: int) -> npt.NDArray[np.int64]:
    """All orders that differ by one exchange or by one move of a few neighbours; in long texts not too far."""
    plain, found, reach = list(range(length)), set(), max(4, FARTHEST // length)
    for i in range(length):
        for j in range(i + 1, min(length, i + reach + 1)):
            swapped = plain.copy()
            swapped[i], swapped[j] = swapped[j], swapped[i]
            found.add(tuple(swapped))
        for j in range(i + 1, min(length, i + LONGEST_MOVE) + 1):
            rest = plain[:i] + plain[j:]
            places = range(max(0, i - reach), min(len(rest), i + reach) + 1)
            found.update((*rest[:k], *plain[i:j], *rest[k:]) for k in places)
    found.discard(tuple(plain))
    return np.array(sorted(found), dtype=np.int64)
