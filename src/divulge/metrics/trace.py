"""Whether planted canaries still stand better than controls: the trace that a deletion left, with its p-value.

Planted canaries and controls come from one draw, so that without a trace it is chance which of them stand better. The
trace is the share of pairs in which the planted one does; the p-value is how often chance alone makes it as large, by
exchanging which canaries were planted. Both compare canaries of one model only. A canary that was asked of several
models is exchanged as a whole: its standings there are no independent evidence.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.metrics.intervals import Interval, bootstrap, hull
from divulge.metrics.roc import auc, pooled_auc_interval
from divulge.records import FloatArray

__all__ = ["SIGNIFICANT", "Arms", "Trace", "least_p_value", "least_significant", "strata", "trace"]

SIGNIFICANT = 0.05  # the largest p-value at which a trace is said to be left
DRAWS = 9_999
MOST_CELLS = 50_000_000  # of additions to count all exchanges; beyond, they are drawn
CELLS = 1_000_000  # of numbers drawn at once

Arms = tuple[Mapping[str, float], Mapping[str, float]]  # of one model: planted and controls, by id; larger is better
IntArray = npt.NDArray[np.int64]


class Trace(NamedTuple):
    """How likely a planted canary stands better than a control, and how often chance alone would do as well.

    The p-value is None where no exchange could make it significant: too few canaries, or too many that stand alike.
    `n` counts canaries, planted or not.
    """

    value: float
    interval: Interval
    p_value: float | None
    n: int


class _Stratum(NamedTuple):
    """Canaries that may be exchanged: how each stands in all its models together, and how many were planted."""

    scores: IntArray
    planted: int
    reached: int  # the sum of those planted


def trace(models: Sequence[Arms], rng: np.random.Generator) -> Trace | None:
    """Measures what is left; None where no model has both planted canaries and controls.

    >>> found = trace([({"a": 3.0, "b": 2.0, "c": 9.0}, {"d": 1.0, "e": 0.5, "f": 2.5})], np.random.default_rng(0))
    >>> round(found.value, 3), found.p_value
    (0.889, 0.1)
    """
    models = [arms for arms in models if all(arms)]
    groups = strata(models)
    if not groups:
        return None
    areas = [(_area(arms), float(len(arms[0]) * len(arms[1]))) for arms in models]
    value = _weighted(np.array(areas))
    interval = pooled_auc_interval(value, [(len(planted), len(controls)) for planted, controls in groups])
    whole = hull(interval, bootstrap(areas, _weighted, rng))
    assert whole is not None
    p_value, least = _p_values(_exchangeable(models, groups), rng)
    n = sum(len(planted) + len(controls) for planted, controls in groups)
    return Trace(value, whole, p_value if least <= SIGNIFICANT else None, n)


def strata(models: Sequence[tuple[Mapping[str, object], Mapping[str, object]]]) -> list[tuple[list[str], list[str]]]:
    """Which canaries may be exchanged with which: planted and controls that were asked of the very same models."""
    asked: dict[str, list[int]] = {}
    planted = {name for arms in models for name in arms[0]}
    for number, arms in enumerate(models):
        for name in (*arms[0], *arms[1]):
            asked.setdefault(name, []).append(number)
    groups: dict[tuple[int, ...], tuple[list[str], list[str]]] = {}
    for name in sorted(asked):
        groups.setdefault(tuple(asked[name]), ([], []))[name not in planted].append(name)
    return [groups[numbers] for numbers in sorted(groups) if all(groups[numbers])]


def least_p_value(sizes: Sequence[tuple[int, int]]) -> float:
    """The smallest p-value that so many planted canaries and controls can give, in each group that is exchanged.

    >>> least_p_value([(3, 3)]), least_p_value([(1, 1)] * 5)
    (0.05, 0.03125)
    """
    return 1 / math.prod(math.comb(planted + controls, planted) for planted, controls in sizes)


def least_significant(sizes: Sequence[tuple[int, int]]) -> float | None:
    """The smallest trace that would be significant, where no two canaries stand alike; None if none would.

    >>> least_significant([(3, 3)]), least_significant([(2, 2)])
    (1.0, None)
    """
    if least_p_value(sizes) > SIGNIFICANT:
        return None
    pairs = sum(planted * controls for planted, controls in sizes)
    whole = [_Stratum(np.arange(planted + controls), planted, 0) for planted, controls in sizes]
    if _cells(whole) > MOST_CELLS:
        variance = sum(planted * controls * (planted + controls + 1) / 12 for planted, controls in sizes)
        return min(1.0, 0.5 + 1.6448536 * math.sqrt(variance) / pairs)
    beyond = np.cumsum(_chances(whole)[::-1])[::-1]
    won = int(np.flatnonzero(beyond <= SIGNIFICANT * (1 + 1e-9))[0])  # the sum begins where no pair is won
    return won / pairs


def _area(arms: Arms) -> float:
    found = auc(list(arms[0].values()), list(arms[1].values()))
    assert found is not None
    return found


def _weighted(rows: FloatArray) -> float:
    return float(np.average(rows[:, 0], weights=rows[:, 1]))


def _exchangeable(models: Sequence[Arms], groups: Sequence[tuple[list[str], list[str]]]) -> list[_Stratum]:
    """The rank of each canary among all of its model, twice (so that ties stay whole), added up over its models."""
    totals: dict[str, int] = {}
    for planted, controls in models:
        values = {**planted, **controls}
        ordered = np.sort(np.fromiter(values.values(), dtype=np.float64))
        for name, value in values.items():
            below, up_to = (int(np.searchsorted(ordered, value, side)) for side in ("left", "right"))
            totals[name] = totals.get(name, 0) + below + up_to
    every = [np.array([totals[name] for name in (*inside, *outside)], dtype=np.int64) for inside, outside in groups]
    above = [scores - scores.min() for scores in every]
    step = int(np.gcd.reduce(np.concatenate(above))) or 1  # of all groups, since their sums are added
    return [
        _Stratum(scores // step, len(inside), int((scores[: len(inside)] // step).sum()))
        for scores, (inside, _) in zip(above, groups, strict=True)
    ]


def _p_values(groups: Sequence[_Stratum], rng: np.random.Generator) -> tuple[float, float]:
    """The p-value of the sums that the planted ones reached, and the smallest that any exchange could have."""
    reached = sum(one.reached for one in groups)
    if _cells(groups) > MOST_CELLS:
        larger = _drawn_beyond(groups, reached, rng)
        return (larger + 1) / (DRAWS + 1), 1 / (DRAWS + 1)
    chances = _chances(groups)
    least = sum(int(np.sort(one.scores)[: one.planted].sum()) for one in groups)
    return min(1.0, float(chances[reached - least :].sum())), float(chances[-1])


def _cells(groups: Sequence[_Stratum]) -> int:
    """How many additions it takes to count all exchanges."""
    spans = [int(np.sort(one.scores)[-one.planted :].sum()) + 1 for one in groups]
    counted = sum(len(one.scores) * one.planted * span for one, span in zip(groups, spans, strict=True))
    return counted + sum(spans) * max(spans)


def _chances(groups: Sequence[_Stratum]) -> FloatArray:
    """How likely each sum is when the planted ones are drawn at random, from the smallest sum to the largest."""
    whole = np.ones(1)
    for one in groups:
        ordered = np.sort(one.scores)
        most, least = int(ordered[-one.planted :].sum()), int(ordered[: one.planted].sum())
        ways = np.zeros((one.planted + 1, most + 1))  # of choosing so many canaries with such a sum
        ways[0, 0] = 1
        for score in ordered.tolist():
            ways[1:, score:] += ways[:-1, : most + 1 - score].copy()
        counts = ways[one.planted, least:]
        whole = np.convolve(whole, counts / counts.sum())
    return whole


def _drawn_beyond(groups: Sequence[_Stratum], reached: int, rng: np.random.Generator) -> int:
    """Of so many random exchanges, those whose sum is as large or larger."""
    size = max(1, CELLS // max(len(one.scores) for one in groups))
    beyond = 0
    for start in range(0, DRAWS, size):
        sums = np.zeros(min(size, DRAWS - start), dtype=np.int64)
        for one in groups:
            mixed = rng.permuted(np.tile(np.sort(one.scores), (len(sums), 1)), axis=1)
            sums += mixed[:, : one.planted].sum(axis=1)
        beyond += int(np.sum(sums >= reached))
    return beyond
