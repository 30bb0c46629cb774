"""One run beside another: which figures changed, by how much, and whether that is more than luck with the secrets.

Results are matched by what they ask, figures by metric, arm and group. Where both runs asked about the same secrets the
difference is taken secret by secret; else the two intervals are combined (square and add, after Newcombe; "MOVER").
Neither knows how much training the same model anew would change: the doubt is about secrets alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any, Literal

import numpy as np
from pydantic import Field

from divulge.canonical import canonical_json, freeze
from divulge.gate.matching import differing, matched
from divulge.gate.questions import about, figure_key, is_void, part_of
from divulge.gate.sides import is_share, worse_side
from divulge.metrics import METRICS
from divulge.metrics.figures import MeanMetric
from divulge.metrics.paired import paired_difference, paired_values
from divulge.records import Arm, FrozenMapping, Measurement, Record, RunResults, SpecResult
from divulge.report.findings import metric_called
from divulge.seeds import generator

__all__ = ["Change", "ChangeVerdict", "Difference", "RunComparison", "compare"]

ChangeVerdict = Literal["worse", "better", "changed", "no clear change", "not comparable"]
LEAST_SHARED = 0.5  # of the secrets of either run: pairs of fewer would be another question
ROUNDING = 1e-9


class Difference(Record):
    """Second minus first, with a 95 % interval; `n` pairs of secrets, or the fewer secrets of the two."""

    value: float
    low: float | None
    high: float | None
    paired: bool
    n: int


class Change(Record):
    """One figure in both runs. Which way is worse comes from the metric; baselines and controls only change."""

    about: str
    spec_hashes: tuple[str, str]
    metric: str
    arm: Arm
    group: FrozenMapping = Field(default_factory=lambda: freeze({}))
    first: Measurement
    second: Measurement
    difference: Difference | None
    verdict: ChangeVerdict
    note: str = ""


class RunComparison(Record):
    """All figures that both runs have, and what only one of them has."""

    changes: tuple[Change, ...]
    only_first: tuple[str, ...] = ()
    only_second: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def compare(first: RunResults, second: RunResults) -> RunComparison:
    """Compares two runs, the earlier one first."""
    pairs, left_first, left_second = matched(first.results, second.results)
    changes: list[Change] = []
    only_first, only_second = [about(one) for one in left_first], [about(one) for one in left_second]
    notes = [*_failures(first, "first"), *_failures(second, "second")]
    for old, new in pairs:
        olds = {figure_key(one): one for one in old.measurements}
        news = {figure_key(one): one for one in new.measurements}
        changes += [_change(old, new, olds[key], news[key]) for key in olds if key in news]
        only_first += [f"{about(old)}: {_named(one)}" for key, one in olds.items() if key not in news]
        only_second += [f"{about(new)}: {_named(one)}" for key, one in news.items() if key not in olds]
        if different := differing(old, new):
            notes.append(f"{about(new)}: the runs also differ in {', '.join(different)}.")
    found = tuple(dict.fromkeys(notes))
    return RunComparison(
        changes=tuple(changes), only_first=tuple(only_first), only_second=tuple(only_second), notes=found
    )


def _change(old: SpecResult, new: SpecResult, first: Measurement, second: Measurement) -> Change:
    void = [name for name, one in (("first", old), ("second", new)) if is_void(one)]
    note, difference = "", None
    if void:
        note = f"void: the handshake failed in the {' and in the '.join(void)} run"
    else:
        difference = _paired(old, new, first, second) or _unpaired(first, second)
        note = "" if difference is not None else "not measured in both runs"
    return Change(
        about=about(new),
        spec_hashes=(old.spec_hash, new.spec_hash),
        metric=second.metric,
        arm=second.arm,
        group=second.group,
        first=first,
        second=second,
        difference=difference,
        verdict=_verdict(difference, second),
        note=note,
    )


def _paired(old: SpecResult, new: SpecResult, first: Measurement, second: Measurement) -> Difference | None:
    """The difference secret by secret; None where outcomes are not what the figure is the mean of."""
    metric = second.metric
    if second.arm != "attack" or metric not in METRICS or not issubclass(metric_called(metric), MeanMetric):
        return None
    olds = [one for one in old.outcomes if one.metric == metric]
    news = [one for one in new.outcomes if one.metric == metric]
    ids, before, after = paired_values(olds, news)
    enough = len(ids) >= max(2, LEAST_SHARED * max(len(olds), len(news)))
    own = _is_mean(first, [one.value for one in olds]) and _is_mean(second, [one.value for one in news])
    if not enough or not own or any(_several_in_one_model(one) for one in (old, new)):
        return None
    ends = [end for one in (first, second) for end in (one.low, one.high) if end is not None]
    bounds = (0.0, 1.0) if is_share(metric) else (min([*before, *after, *ends]), max([*before, *after, *ends]))
    rng = generator(0, "compare", metric, canonical_json(second.group))
    found = paired_difference(after, before, rng, bounds=bounds)
    assert found is not None
    return Difference(value=found.value, low=found.low, high=found.high, paired=True, n=found.n)


def _is_mean(one: Measurement, values: Sequence[float]) -> bool:
    """Whether a figure is the mean of these outcomes; of several groups, only one is."""
    return bool(values) and one.value is not None and abs(float(np.mean(values)) - one.value) < ROUNDING


def _several_in_one_model(result: SpecResult) -> bool:
    """Whether secrets share models: outcomes do not say which, and pairs would look independent."""
    models: Any = result.spec.get("models", 1)
    return bool(models > 1) and part_of(result, "secrets").get("count", 1) > 1


def _unpaired(first: Measurement, second: Measurement) -> Difference | None:
    """Combines two intervals: each end of the difference is as far out as both doubts together reach."""
    if first.value is None or second.value is None:
        return None
    value = second.value - first.value
    down = _reach(first.high, first.value, second.low, second.value)
    up = _reach(first.low, first.value, second.high, second.value)
    low = None if down is None else value - down
    return Difference(
        value=value, low=low, high=None if up is None else value + up, paired=False, n=min(first.n, second.n)
    )


def _reach(one: float | None, value: float, other: float | None, other_value: float) -> float | None:
    return None if one is None or other is None else math.hypot(one - value, other - other_value)


def _verdict(difference: Difference | None, second: Measurement) -> ChangeVerdict:
    if difference is None:
        return "not comparable"
    rose = difference.low is not None and difference.low > 0
    if not rose and not (difference.high is not None and difference.high < 0):
        return "no clear change"
    if second.arm in ("baseline", "control"):
        return "changed"
    return "worse" if rose == (worse_side(second.metric) == "high") else "better"


def _named(one: Measurement) -> str:
    group = "".join(f" {key}={value}" for key, value in one.group.items())
    return f"{one.metric}{group} ({one.arm})"


def _failures(run: RunResults, name: str) -> Iterator[str]:
    if run.failures:
        yield f"{len(run.failures)} of the specs of the {name} run failed; nothing is said of them."
