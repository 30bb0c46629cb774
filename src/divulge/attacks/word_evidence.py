"""What a word's gap is worth: how much oftener it stands in texts that a model learnt from than in others.

A gap of two steps means little for a word that references expect, and much for one that they do not. How much is learnt
from the adversary's own models: of each it is known whom it learnt from, and the others of them, as far as they did not
see the person, tell what was to be expected.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from divulge.adversary import Practice
from divulge.attacks.pool_people import models_by_person
from divulge.grants import Grant
from divulge.records import FloatArray, Passage

__all__ = ["LearntWords", "WordEvidence", "fit_evidence", "pool_words"]

EXPECTED_BINS, GAP_BINS = 8, 12  # of as many words each
PRIOR_WORDS = 20  # that a bin has beside its own, divided as all words are

# Of a model and texts: how far from expected each of their words is, in one row.
Surprise = Callable[[Grant, Sequence[Passage]], FloatArray]


class LearntWords(NamedTuple):
    """A person's words under one model: whether it learnt from them, what others expect, what it makes of them."""

    used: bool
    expected: FloatArray
    found: FloatArray


class WordEvidence(NamedTuple):
    """log P(gap | used, expected) - log P(gap | not used, expected), constant on bins."""

    expected_edges: FloatArray  # (E - 1,)
    gap_edges: FloatArray  # (E, G - 1)
    log_ratio: FloatArray  # (E, G)

    def of(self, expected: FloatArray, found: FloatArray) -> FloatArray:
        """The evidence of each word, in nats; (words,)."""
        rows = np.searchsorted(self.expected_edges, expected)
        return np.asarray(self.log_ratio[rows, _gap_bins(self.gap_edges, rows, expected - found)], dtype=np.float64)


def pool_words(practice: Sequence[Practice], surprise: Surprise) -> Iterator[LearntWords]:
    """Each person under each model that knows whether it learnt from them, if another model did not."""
    for hint, used in models_by_person(practice).items():
        if all(used.values()) or len(used) < 2:
            continue
        rows = {place: surprise(practice[place].access, hint.examples) for place in used}
        for place in used:
            beside = [rows[other] for other in used if other != place and not used[other]]
            if beside:
                yield LearntWords(used[place], np.mean(beside, axis=0), rows[place])


def fit_evidence(people: Iterable[LearntWords]) -> WordEvidence | None:
    """Counts words in bins of what is expected and, within each, of gaps; None where one side has no words."""
    told = list(people)
    used = np.concatenate([np.full(len(one.found), one.used) for one in told]) if told else np.zeros(0, dtype=bool)
    if not used.any() or used.all():
        return None
    expected = np.concatenate([one.expected for one in told])
    gaps = expected - np.concatenate([one.found for one in told])
    expected_edges = np.quantile(expected, _inner(EXPECTED_BINS))
    rows = np.searchsorted(expected_edges, expected)
    gap_edges = np.zeros((EXPECTED_BINS, GAP_BINS - 1))
    for row in np.unique(rows):  # values that many words share may leave rows without any
        gap_edges[row] = np.quantile(gaps[rows == row], _inner(GAP_BINS))
    places = rows * GAP_BINS + _gap_bins(gap_edges, rows, gaps)
    shape, size, share = (EXPECTED_BINS, GAP_BINS), EXPECTED_BINS * GAP_BINS, float(used.mean())
    inside, outside = (np.bincount(places[side], minlength=size).reshape(shape) for side in (used, ~used))
    odds = (inside + PRIOR_WORDS * share) / (outside + PRIOR_WORDS * (1 - share))
    return WordEvidence(expected_edges, gap_edges, np.log(odds) - np.log(share / (1 - share)))


def _gap_bins(edges: FloatArray, rows: np.ndarray, gaps: FloatArray) -> np.ndarray:
    """The bin of each gap among the edges of its row: as many as lie below it; (words,)."""
    found = np.zeros(len(gaps), dtype=np.int64)
    for row in np.unique(rows):
        inside = rows == row
        found[inside] = np.searchsorted(edges[row], gaps[inside])
    return found


def _inner(bins: int) -> FloatArray:
    return np.linspace(0, 1, bins + 1)[1:-1]
