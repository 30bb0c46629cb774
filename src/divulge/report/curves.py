"""The ROC of an attack on logarithmic axes: how many members it finds at how few false alarms.

Both axes have the same decades, so that guessing is the line from corner to corner. Marks stand in per cent of the
width and height; the same figures are told in words and in a table.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from divulge.records import Arm, Measurement
from divulge.report.entries import Entry
from divulge.report.findings import POINTS
from divulge.report.wording import Spoken, number_words, spoken

__all__ = ["Curve", "LogAxis", "Mark", "Roc", "roc"]

EDGE = 3.0  # per cent left free at both ends, so that marks are never cut
FEWEST_DECADES = 2
ARMS: dict[Arm, str] = {"attack": "the attack", "baseline": "without the model", "control": "on controls"}
DRAWN: tuple[Arm, ...] = ("baseline", "attack")


@dataclass(frozen=True)
class LogAxis:
    """From a power of ten up to one."""

    decades: int

    def at(self, value: float) -> float:
        """The place of a share in per cent; what is too small for the axis, also nothing, stands at its beginning."""
        place = 1 + math.log10(value) / self.decades if value > 0 else 0.0
        return round(EDGE + (100 - 2 * EDGE) * min(max(place, 0.0), 1.0), 2)

    @property
    def ticks(self) -> list[tuple[float, str]]:
        """The powers of ten: place and words."""
        powers = [10.0**-power for power in range(self.decades, -1, -1)]
        return [(self.at(power), number_words(power, POINTS)) for power in powers]


@dataclass(frozen=True)
class Mark:
    """One point with its interval, in per cent from the left and from the top."""

    x: float
    y: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Curve:
    """One arm."""

    arm: Arm
    marks: tuple[Mark, ...]

    @property
    def line(self) -> str:
        """The points of a polyline on a field of 100 by 100."""
        return " ".join(f"{one.x},{one.y}" for one in self.marks)


@dataclass(frozen=True)
class Roc:
    """The curves of one result, and its figures as a table: false alarms, then each arm that was measured."""

    entry: Entry
    axis: LogAxis
    curves: tuple[Curve, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, tuple[Spoken, ...]], ...]
    words: str


def roc(entry: Entry) -> Roc | None:
    """The curve of one result; None where it has fewer than two points, or no figure of it means anything."""
    arms = {arm: _points(entry, arm) for arm in ARMS}
    rates = sorted(arms["attack"])
    if len(rates) < 2 or entry.void:
        return None
    axis = LogAxis(max(FEWEST_DECADES, math.ceil(-math.log10(rates[0]) - 1e-9)))
    shown = [arm for arm, points in arms.items() if points]
    curves = tuple(_curve(arm, arms[arm], axis) for arm in DRAWN if arms[arm])
    rows = tuple((number_words(rate, POINTS), tuple(spoken(arms[arm].get(rate)) for arm in shown)) for rate in rates)
    return Roc(entry, axis, curves, tuple(ARMS[arm] for arm in shown), rows, _told(entry, rates, arms["attack"], rows))


def _points(entry: Entry, arm: Arm) -> dict[float, Measurement]:
    found: dict[float, Measurement] = {}
    for one in entry.result.measurements:
        rate: Any = one.group.get("fpr", 0)
        if one.metric == POINTS and one.arm == arm and one.value is not None and rate > 0:
            found[float(rate)] = one
    return found


def _curve(arm: Arm, points: dict[float, Measurement], axis: LogAxis) -> Curve:
    def height(value: float | None) -> float | None:
        return None if value is None else round(100 - axis.at(value), 2)

    marks = []
    for rate, one in sorted(points.items()):
        exact = one.low == one.high == one.value
        low, high = (None, None) if exact else (height(one.low), height(one.high))
        marks.append(Mark(axis.at(rate), height(one.value) or 0.0, low, high))
    return Curve(arm, tuple(marks))


def _told(
    entry: Entry,
    rates: Sequence[float],
    attack: dict[float, Measurement],
    rows: Sequence[tuple[str, tuple[Spoken, ...]]],
) -> str:
    """What the picture shows, for whoever cannot see it: each point of the attack, and the rest in the table."""
    said = [f"at {words} {spoken(attack[rate]).short}" for rate, (words, _) in zip(rates, rows, strict=True)]
    return (
        f"Share of members that {entry.attack} finds, by the share of non-members that it wrongly accuses, both on "
        f"logarithmic axes: {'; '.join(said)}. Guessing finds as many members as it wrongly accuses others."
    )
