"""What a model should make of words that it never saw used so: learnt from people known to be out.

References of another domain find a manner of speaking strange, each word by another amount, and each person has another
manner. What the model makes of the words of people it never saw tells those amounts.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from divulge.records import FloatArray, Passage

__all__ = ["AskedWords", "CrossFitted", "Offsets", "fit_offsets"]

WORD_WEIGHT, PAIR_WEIGHT = 1.0, 2.0  # so many sightings without an offset are added to those of a word, or of a pair
ROUNDS = 3  # of backfitting
FOLDS = 5
K = TypeVar("K", bound=Hashable)

START = ""  # what stands before the first word of a text; no word is empty


class AskedWords(NamedTuple):
    """Of one person, over all words asked about: what references expect, and what the model makes of them.

    `texts` are the words of each text in their order, as the model reads them; none where only whole texts compare.
    `chosen` are the texts that were asked about.
    """

    expected: FloatArray
    found: FloatArray
    texts: tuple[tuple[str, ...], ...]
    chosen: Sequence[Passage] = ()

    @property
    def words(self) -> list[str]:
        """All words in a row."""
        return [word for text in self.texts for word in text]

    @property
    def pairs(self) -> list[tuple[str, str]]:
        """Each word with the one before it."""
        return [pair for text in self.texts for pair in zip((START, *text), text, strict=False)]


class Offsets(NamedTuple):
    """found = c0 + c1 r + c2 r^2 + u(word) + v(word before, word), r what references expect."""

    curve: FloatArray  # (3,)
    of_word: Mapping[str, float]
    of_pair: Mapping[tuple[str, str], float]

    def expected(self, asked: AskedWords) -> FloatArray:
        """What the model should make of the words of somebody it never saw; (words,)."""
        found = _powers(asked.expected) @ self.curve
        return found + _looked_up(self.of_word, asked.words) + _looked_up(self.of_pair, asked.pairs)


def fit_offsets(people: Sequence[AskedWords]) -> Offsets:
    """Fits the curve by least squares and the offsets by shrunken means, in turns."""
    powers = _powers(np.concatenate([one.expected for one in people]))
    found = np.concatenate([one.found for one in people])
    words = [word for one in people for word in one.words]
    pairs = [pair for one in people for pair in one.pairs]
    by_word, by_pair = np.zeros_like(found), np.zeros_like(found)
    for _ in range(ROUNDS):
        curve = np.linalg.lstsq(powers, found - by_word - by_pair, rcond=None)[0]
        rest = found - powers @ curve
        of_word = _shrunken_means(words, rest - by_pair, WORD_WEIGHT)
        by_word = _looked_up(of_word, words)
        of_pair = _shrunken_means(pairs, rest - by_word, PAIR_WEIGHT)
        by_pair = _looked_up(of_pair, pairs)
    return Offsets(curve, of_word, of_pair)


class CrossFitted:
    """Offsets of people known to be out, each of them judged by what the others tell.

    Whoever is asked about is judged by the mean over parts of these people, each without one fifth of them: as many as
    judge one of their own, so that like is compared with like.
    """

    def __init__(self, people: Sequence[AskedWords]) -> None:
        folds = min(FOLDS, len(people))
        self._fitted = [
            fit_offsets([one for number, one in enumerate(people) if number % folds != fold]) for fold in range(folds)
        ]
        self.of_people = [self._fitted[number % folds].expected(one) for number, one in enumerate(people)]

    def expected(self, asked: AskedWords) -> FloatArray:
        """What the model should make of somebody's words who is none of these people; (words,)."""
        each: FloatArray = np.stack([one.expected(asked) for one in self._fitted])  # (folds, words)
        return np.asarray(each.mean(axis=0), dtype=np.float64)


def _powers(expected: FloatArray) -> FloatArray:
    return np.stack([np.ones_like(expected), expected, expected**2], axis=1)


def _shrunken_means(keys: Sequence[K], values: FloatArray, weight: float) -> dict[K, float]:
    sums: dict[K, float] = defaultdict(float)
    counts: dict[K, int] = defaultdict(int)
    for key, value in zip(keys, values.tolist(), strict=True):
        sums[key] += value
        counts[key] += 1
    return {key: sums[key] / (counts[key] + weight) for key in sums}


def _looked_up(offsets: Mapping[K, float], keys: Iterable[K]) -> FloatArray:
    return np.array([offsets.get(key, 0.0) for key in keys], dtype=np.float64)
