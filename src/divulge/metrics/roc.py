"""How well a statistic tells members from others: the area under the ROC curve, and its left-hand edge.

Larger means "member". The functions take the statistics of members and of others; infinite ones are allowed.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.metrics.intervals import Interval, Z
from divulge.records import FloatArray

__all__ = [
    "allowed_alarms",
    "auc",
    "auc_interval",
    "placements",
    "pooled_auc_interval",
    "strict_threshold",
    "threshold_band",
    "true_positive_rate",
]


TAIL = 0.025  # of the number of others beyond a threshold, on either side


def auc(members: npt.ArrayLike, others: npt.ArrayLike) -> float | None:
    """How likely a member's statistic exceeds another's; a tie counts half. None without both kinds.

    >>> auc([3.0, 1.0], [2.0, 1.0])
    0.625
    """
    if len(np.asarray(members)) == 0 or len(np.asarray(others)) == 0:
        return None
    return float(np.sort(placements(members, others)).mean())


def placements(values: npt.ArrayLike, others: npt.ArrayLike) -> FloatArray:
    """For each value, the share of the others that it exceeds; a tie counts half."""
    ordered = np.sort(np.asarray(others, dtype=np.float64))
    found = np.asarray(values, dtype=np.float64)
    below, up_to = np.searchsorted(ordered, found, "left"), np.searchsorted(ordered, found, "right")
    return np.asarray((below + up_to) / (2 * len(ordered)), dtype=np.float64)


def auc_interval(value: float, members: int, others: int) -> Interval:
    """The interval of Newcombe (2006, method 5): the areas that lie within 1.96 of *their own* standard errors.

    The error of an area comes from Hanley and McNeil's formula. Because it is taken at the area supposed and not at
    the one found, an area of 1 still has an interval of some width, as a rate of 1 has Wilson's.
    """
    return pooled_auc_interval(value, [(members, others)])


def pooled_auc_interval(value: float, sizes: Sequence[tuple[int, int]]) -> Interval:
    """The same of a mean area over several models, weighted by pairs; `sizes` has members and others of each."""
    return Interval(_lowest_area(value, sizes), 1 - _lowest_area(1 - value, sizes))


def allowed_alarms(others: int, rate: float) -> int:
    """How many of the others may be accused."""
    return math.floor(rate * others + 1e-9)  # 0.29 x 100 is 28.999… in floating point


def strict_threshold(others: npt.ArrayLike, rate: float) -> float | None:
    """The statistic to be exceeded so that at most `rate` of the others do; None with fewer than 1/rate of them."""
    ordered = np.sort(np.asarray(others, dtype=np.float64))[::-1]
    allowed = allowed_alarms(len(ordered), rate)
    return float(ordered[allowed]) if allowed >= 1 else None


def threshold_band(others: npt.ArrayLike, rate: float) -> tuple[float, float]:
    """Between which statistics the threshold lies that `rate` of *all* others exceed, at 95 %; the lower one first.

    Of n others drawn at random, a binomial number exceed that threshold. Where that may be none, it may lie above them
    all: the upper end is then infinite.
    """
    from scipy.stats import binom

    ordered = np.sort(np.asarray(others, dtype=np.float64))[::-1]
    least, most = (int(end) for end in binom.interval(1 - 2 * TAIL, len(ordered), rate))
    above = float(ordered[least - 1]) if least >= 1 else math.inf
    return (float(ordered[most]) if most < len(ordered) else -math.inf), above


def true_positive_rate(members: npt.ArrayLike, others: npt.ArrayLike, rate: float) -> float | None:
    """The share of members caught when at most `rate` of the others are accused; ties count against the attack."""
    found, threshold = np.asarray(members), strict_threshold(others, rate)
    return None if threshold is None or len(found) == 0 else float(np.mean(found > threshold))


def _lowest_area(value: float, sizes: Sequence[tuple[int, int]]) -> float:
    # Bisection: at 0 the area found is further away than any error allows, at the area found it is not.
    low, high = 0.0, value
    for _ in range(60):
        middle = (low + high) / 2
        if value - middle > Z * _standard_error(middle, sizes):
            low = middle
        else:
            high = middle
    return low


def _standard_error(area: float, sizes: Sequence[tuple[int, int]]) -> float:
    # Newcombe puts the mean of both sizes where Hanley and McNeil have one each. The variance of one area is
    # area x (1 - area) x shape / pairs; weighted by pairs, the shapes add up over models.
    slope = (1 - area) / (2 - area) + area / (1 + area)
    pairs = sum(members * others for members, others in sizes)
    shapes = sum(members * others * (1 + ((members + others) / 2 - 1) * slope) for members, others in sizes)
    return math.sqrt(area * (1 - area) * shapes) / pairs
