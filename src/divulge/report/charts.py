"""Where marks stand in a chart, in per cent of its width, so that a page needs no script to fit any screen.

A strip shows one figure with its interval on an axis that all strips of a metric share. A trade-off shows leak against
utility for each setting. Both say the same in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from divulge.metrics import METRICS
from divulge.records import Measurement
from divulge.report.findings import Comparison, metric_called
from divulge.report.sections import Audit, Entry, Figure, Setting
from divulge.report.wording import LOWER_IS_BETTER, figure_words, metric_words, number_words, spoken, way

__all__ = [
    "PREFERRED_UTILITY",
    "Axis",
    "Point",
    "Strip",
    "TradeOff",
    "axis_of",
    "best_utility",
    "strip",
    "trade_off",
    "worth_axis",
]

EDGE = 3.0  # per cent left free at both ends, so that marks are never cut
CLOSE = 5.0  # per cent between points that would hide each other
ROUND_ENDS = (1, 2, 5, 10)
PREFERRED_UTILITY = ("intent_accuracy", "test_accuracy", "slot_f1", "entity_f1", "recall_at_10", "test_perplexity")


@dataclass(frozen=True)
class Axis:
    """From where to where the values of a metric are drawn."""

    metric: str
    start: float
    end: float

    def at(self, value: float) -> float:
        """The place of a value in per cent; what lies outside is drawn at the end."""
        share = (value - self.start) / (self.end - self.start)
        return round(EDGE + (100 - 2 * EDGE) * min(max(share, 0.0), 1.0), 2)

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends in words."""
        return number_words(self.start, self.metric), number_words(self.end, self.metric)


@dataclass(frozen=True)
class Strip:
    """One figure on an axis: a mark, a whisker, and what an attack must lie beyond; all in per cent."""

    arm: str
    at: float | None
    low: float | None
    high: float | None
    beyond: float | None
    words: str


@dataclass(frozen=True)
class Point:
    """One setting in a trade-off: the strongest attack under it, and the utility that is left."""

    number: int
    setting: Setting
    entry: Entry
    leak: Measurement
    utility: Measurement
    across: Strip
    y: float | None
    y_low: float | None
    y_high: float | None


@dataclass(frozen=True)
class Label:
    """The numbers of points that would hide each other, at the place of the first."""

    numbers: str
    x: float | None
    y: float | None
    width: int
    defended: bool


@dataclass(frozen=True)
class TradeOff:
    """Leak (upwards) against utility (to the right)."""

    leak: str
    utility: str
    across: Axis
    up: Axis
    points: tuple[Point, ...]
    words: str

    @property
    def labels(self) -> list[Label]:
        """One label for each place."""
        places: list[list[Point]] = []
        for point in self.points:
            near = next((ones for ones in places if _near(ones[0], point)), None)
            places.append([point]) if near is None else near.append(point)
        return [
            Label(
                ", ".join(str(one.number) for one in ones),
                ones[0].across.at,
                ones[0].y,
                8 + 14 * len(ones),
                all(one.setting.defended for one in ones),
            )
            for ones in places
        ]

    @property
    def leaks_up(self) -> bool:
        """Whether the larger value is drawn higher: the leaking end is always on top."""
        return way(self.up.metric) == "high"


def axis_of(metric: str, figures: Iterable[Measurement | None]) -> Axis:
    """An axis for a metric: shares from none to all, other figures from their least to a round number."""
    if metric in METRICS and metric_called(metric).unit in ("share", "similarity"):
        return Axis(metric, 0.0, 1.0)
    ends = [end for one in figures if one for end in (one.value, one.low, one.high) if end is not None]
    start = 1.0 if metric == "rank" else min(0.0, *ends) if ends else 0.0
    return Axis(metric, start, max(_round_up(max(ends, default=1.0)), start + 1.0))


def strip(one: Measurement, axis: Axis, compared: Comparison | None = None) -> Strip:
    """Places a figure; that of an attack with the mark that it must lie beyond."""
    exact = one.arm == "baseline" and one.low == one.high == one.value
    return Strip(
        one.arm,
        _at(one.value, axis),
        None if exact else _at(one.low, axis),
        None if exact else _at(one.high, axis),
        _at(_hurdle(compared), axis) if compared and one.arm == "attack" else None,
        f"{one.arm}: {spoken(one).whole}, on an axis from {axis.ends[0]} to {axis.ends[1]}",
    )


def trade_off(audit: Audit) -> TradeOff | None:
    """Leak against utility, where at least two settings have both."""
    utility = best_utility(audit.settings)
    if not audit.leads or utility is None:
        return None
    leak = audit.leads[0]
    found = []
    for setting in audit.settings:
        entry, worth = audit.strongest(setting.entries, leak), setting.utility().get(utility)
        compared = entry.compared(leak) if entry else None
        if entry and compared and worth and worth.value is not None:
            found.append((setting, entry, compared.attack, worth))
    if len(found) < 2:
        return None
    up = axis_of(leak[0], [one[2] for one in found])
    across = worth_axis(utility[0], [one[3] for one in found])
    points = tuple(
        Point(number, setting, entry, attack, worth, strip(worth, across), *_heights(attack, up))
        for number, (setting, entry, attack, worth) in enumerate(found, 1)
    )
    return TradeOff(
        figure_words(found[0][2], audit.secrets_kind, inside=False),
        metric_words(utility[0]),
        across,
        up,
        points,
        _told(points),
    )


def best_utility(settings: Sequence[Setting]) -> Figure | None:
    """The figure of utility that says most of those that all settings have."""
    shared = [figure for figure in settings[0].utility() if all(figure in one.utility() for one in settings)]
    known = [figure for figure in shared if figure[0] in PREFERRED_UTILITY]
    return min(known, key=lambda figure: PREFERRED_UTILITY.index(figure[0]), default=shared[0] if shared else None)


def worth_axis(metric: str, figures: Sequence[Measurement]) -> Axis:
    """The better end is to the right."""
    highs = [one.value for one in figures if one.value is not None]
    highs += [one.high for one in figures if one.high is not None]
    if metric.endswith(LOWER_IS_BETTER):
        return Axis(metric, _round_up(max(highs)), 0.0)
    return Axis(metric, 0.0, 1.0 if max(highs) <= 1 else _round_up(max(highs)))


def _heights(one: Measurement, axis: Axis) -> tuple[float | None, float | None, float | None]:
    """The places of value, low and high from the top, where most leaks."""
    places = (_at(one.value, axis), _at(one.low, axis), _at(one.high, axis))
    if way(one.metric) == "low":
        return places
    value, low, high = (None if at is None else round(100 - at, 2) for at in places)
    return value, low, high


def _hurdle(compared: Comparison) -> float | None:
    """How far an attack's interval must reach to lie beyond baseline and control."""
    beside = [one for one in (compared.baseline, compared.control) if one is not None]
    if way(compared.metric) == "high":
        ends = [one.high if one.high is not None else one.value for one in beside]
        return max((end for end in ends if end is not None), default=None)
    ends = [one.low if one.low is not None else one.value for one in beside]
    return min((end for end in ends if end is not None), default=None)


def _near(one: Point, other: Point) -> bool:
    places = (one.across.at, other.across.at), (one.y, other.y)
    return all(a is not None and b is not None and abs(a - b) < CLOSE for a, b in places)


def _told(points: Sequence[Point]) -> str:
    said = [
        f"{one.number}, {one.setting.label}: leak {spoken(one.leak).short}, utility {spoken(one.utility).short}"
        for one in points
    ]
    return "Leak against utility. " + "; ".join(said)


def _at(value: float | None, axis: Axis) -> float | None:
    return None if value is None else axis.at(value)


def _round_up(value: float) -> float:
    power = 1.0
    while power * 10 < value:
        power *= 10
    return next((step * power for step in ROUND_ENDS if step * power >= value), value)
