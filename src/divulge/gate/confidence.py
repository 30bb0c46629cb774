"""Intervals at another confidence than the 95 % that results hold.

Results hold ends, not what they were made from. So each side is stretched by the ratio of normal quantiles: as it is,
for most figures; for shares on the scale of the arcsine of the square root, on which their spread hardly depends on
where they lie, and which they cannot leave. This is an approximation: near Wilson's interval for a share of some tens
of secrets, rougher for fewer, for skewed intervals and for exact ones.
"""

from __future__ import annotations

import math
from statistics import NormalDist

from divulge.gate.sides import is_share
from divulge.records import Measurement

__all__ = ["KEPT", "ends_at", "stretch"]

KEPT = 0.95  # the confidence of every interval in results.json
Ends = tuple[float | None, float | None]


def stretch(confidence: float) -> float:
    """By how much an interval of this confidence is wider than one of 95 %.

    >>> stretch(0.95), round(stretch(0.99), 3), round(stretch(0.9), 3)
    (1.0, 1.314, 0.839)
    """
    if confidence == KEPT:
        return 1.0
    normal = NormalDist()
    return normal.inv_cdf((1 + confidence) / 2) / normal.inv_cdf((1 + KEPT) / 2)


def ends_at(one: Measurement, confidence: float) -> Ends:
    """The ends of a figure's interval at a confidence; an end that is not there stays absent."""
    factor = stretch(confidence)
    if factor == 1.0 or one.value is None:
        return one.low, one.high
    if is_share(one.metric) and all(end is None or 0 <= end <= 1 for end in (one.low, one.value, one.high)):
        low, high = _stretched(_angle(one.value), _map(one.low), _map(one.high), factor)
        return _share(low), _share(high)
    return _stretched(one.value, one.low, one.high, factor)


def _stretched(value: float, low: float | None, high: float | None, factor: float) -> Ends:
    return (
        None if low is None else value - factor * (value - low),
        None if high is None else value + factor * (high - value),
    )


def _angle(share: float) -> float:
    return math.asin(math.sqrt(share))


def _map(share: float | None) -> float | None:
    return None if share is None else _angle(share)


def _share(angle: float | None) -> float | None:
    return None if angle is None else math.sin(min(max(angle, 0.0), math.pi / 2)) ** 2
