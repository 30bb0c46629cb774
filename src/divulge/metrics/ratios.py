"""The interval of a ratio of sums, such as a mean over the words of people: people are resampled, all draws at once."""

from __future__ import annotations

import numpy as np

from divulge.metrics.intervals import Interval, expanded_tail
from divulge.records import FloatArray

__all__ = ["difference_interval", "ratio", "ratio_interval"]

DRAWS = 2000
CELLS = 1_000_000  # how many numbers are drawn at once


def ratio(sums: FloatArray) -> float:
    """What the first column sums to, over what the second does; (units, 2)."""
    return float(sums[:, 0].sum() / sums[:, 1].sum())


def ratio_interval(sums: FloatArray, rng: np.random.Generator, draws: int = DRAWS) -> Interval | None:
    """The interval that `bootstrap` gives to `ratio`, in a fraction of its time; None with fewer than two units.

    The order of units does not matter. Every unit must bear something: the second column is above zero.
    """
    if len(sums) < 2:
        return None
    return _between(_resampled(sums, rng, draws), len(sums))


def difference_interval(
    sums: FloatArray, others: FloatArray, rng: np.random.Generator, draws: int = DRAWS
) -> Interval | None:
    """The interval of the ratio of `sums` less that of `others`, units of each drawn apart."""
    if min(len(sums), len(others)) < 2:
        return None
    return _between(_resampled(sums, rng, draws) - _resampled(others, rng, draws), min(len(sums), len(others)))


def _resampled(sums: FloatArray, rng: np.random.Generator, draws: int) -> FloatArray:
    """The ratio of each draw; (draws,)."""
    units = len(sums)
    rows = sums[np.lexsort((sums[:, 1], sums[:, 0]))]
    step = max(1, CELLS // units)
    found = []
    for start in range(0, draws, step):
        picked = rng.integers(units, size=(min(step, draws - start), units))
        found.append(rows[picked, 0].sum(axis=1) / rows[picked, 1].sum(axis=1))
    return np.concatenate(found)


def _between(found: FloatArray, units: int) -> Interval:
    tail = expanded_tail(units)
    low, high = np.quantile(found, [tail, 1 - tail])
    return Interval(float(low), float(high))
