"""One limit held against one figure: passed, exceeded, or inconclusive with the reason."""

from __future__ import annotations

from typing import Any

from divulge.gate.comparing import Change, Difference
from divulge.gate.confidence import ends_at, stretch
from divulge.gate.judgements import Judgement
from divulge.gate.policy import Limit
from divulge.gate.questions import about, figure_key, is_void, never_asked, of_membership
from divulge.gate.sides import worse_side
from divulge.metrics.one_person import BLIND_P_VALUE, P_VALUE
from divulge.records import Arm, Measurement, SpecResult

__all__ = ["Changes", "absent", "judged_figure"]

Changes = dict[tuple[str, tuple[str, str, str]], Change]


def absent(limit: Limit, reason: str, result: SpecResult | None = None, one: Measurement | None = None) -> Judgement:
    """What to say where there is nothing to judge: the policy decides."""
    passed = limit.when_absent == "pass"
    allowed = "; the policy lets that pass (when_absent)" if passed else ""
    return _judgement(limit, "passed" if passed else "inconclusive", reason + allowed, result, one)


def judged_figure(limit: Limit, result: SpecResult, one: Measurement, changes: Changes) -> Judgement:
    """Holds one limit against one figure, or against its change since the earlier run."""
    doubt = _doubt(limit, result, one)
    if doubt:
        return _judgement(limit, "inconclusive", doubt, result, one)
    if limit.no_worse_by is not None:
        return _judged_change(limit, result, one, changes)
    low, high = ends_at(one, limit.confidence)
    return _held(limit, result, one, (one.value, low, high), one.n)


def _doubt(limit: Limit, result: SpecResult, one: Measurement) -> str:
    """Why a figure cannot be judged at all; empty if it can."""
    if is_void(result):
        return "the handshake failed: the access is broken, and no figure means anything"
    if one.arm == "attack" and never_asked(result):
        return "the attack never asked the model, so that its figures say nothing about it"
    if one.value is None:
        return "the figure could not be measured"
    if one.n < limit.at_least_n:
        return f"n = {one.n}, but the limit wants at least {limit.at_least_n}"
    return ""


def _judged_change(limit: Limit, result: SpecResult, one: Measurement, changes: Changes) -> Judgement:
    change = changes.get((result.spec_hash, figure_key(one)))
    if change is None:
        return absent(limit, "there is no earlier figure to compare with", result, one)
    difference = change.difference
    if difference is None:
        return _judgement(limit, "inconclusive", f"against the earlier run: {change.note}", result, one)
    if difference.n < limit.at_least_n:
        reason = f"n = {difference.n} in the comparison, but the limit wants at least {limit.at_least_n}"
        return _judgement(limit, "inconclusive", reason, result, one)
    return _held(limit, result, one, _worsening(one.metric, difference, stretch(limit.confidence)), difference.n)


def _worsening(metric: str, difference: Difference, factor: float) -> tuple[float, float | None, float | None]:
    """How much worse a figure became, with its interval: positive is worse, whichever way the metric points."""
    value = difference.value
    low = None if difference.low is None else value - factor * (value - difference.low)
    high = None if difference.high is None else value + factor * (difference.high - value)
    if worse_side(metric) == "high":
        return value, low, high
    return -value, None if high is None else -high, None if low is None else -low


def _held(
    limit: Limit,
    result: SpecResult,
    one: Measurement,
    figure: tuple[float | None, float | None, float | None],
    n: int,
) -> Judgement:
    """Holds the end that the limit is about against it."""
    value, low, high = figure
    judged = {"value": value, "low": low, "high": high}[limit.judged_end]
    known: dict[str, Any] = {"value": value, "low": low, "high": high, "n": n, "judged": judged}
    if judged is None or value is None:
        reason = f"the figure has no {limit.judged_end} end; set end to one that it has"
        return _judgement(limit, "inconclusive", reason, result, one, **known)
    if _within(limit, judged):
        return _judgement(limit, "passed", "within the limit", result, one, **known)
    explained = _explained(limit, result, one)
    if explained:
        return _judgement(limit, "inconclusive", f"beyond the limit, but {explained}", result, one, **known)
    clear = all(end is not None and not _within(limit, end) for end in (low, high))
    reason = "only the end of the interval is beyond the limit, the figure is not: more secrets narrow it"
    if not _within(limit, value):
        reason = "the whole interval is beyond the limit" if clear else "the figure is beyond the limit"
    return _judgement(limit, "exceeded", reason, result, one, **known, clear=clear)


def _within(limit: Limit, value: float) -> bool:
    if limit.no_worse_by is not None:
        return value <= limit.no_worse_by
    if limit.below is not None:
        return value < limit.below
    return limit.above is not None and value > limit.above


def _explained(limit: Limit, result: SpecResult, one: Measurement) -> str:
    """What else than the model may be behind a figure of an attack; empty if nothing is known of."""
    if one.arm != "attack":
        return ""
    if one.metric == P_VALUE:
        blind = next((other for other in result.measurements if other.metric == BLIND_P_VALUE), None)
        beyond_too = blind is not None and blind.value is not None and not _within(limit, blind.value)
        return "a judge who never asks the model picks the person out too" if beyond_too else ""
    alike = {other.arm: other for other in result.measurements if figure_key(other)[::2] == figure_key(one)[::2]}
    words: dict[Arm, str] = {
        "baseline": "what needs no model",
        "control": "the attack on secrets the model cannot know",
    }
    for arm, said in words.items():
        other = alike.get(arm)
        reached = other.value if other is not None else None
        beyond_too = limit.no_worse_by is None and reached is not None and not _within(limit, reached)
        if other is not None and beyond_too and not _apart(one, other):
            return f"so is {said} ({arm} {reached:.3g})"
    baseline = alike.get("baseline")
    if of_membership(result) and baseline is not None and not _apart(one, baseline):
        return "the attack is not clearly better than what needs no model: the texts may give it away by themselves"
    return ""


def _apart(attack: Measurement, other: Measurement) -> bool:
    """Whether the attack's whole interval is on the leaking side of the other's."""
    if worse_side(attack.metric) == "high":
        edge = other.high if other.high is not None else other.value
        return attack.low is not None and edge is not None and attack.low > edge
    edge = other.low if other.low is not None else other.value
    return attack.high is not None and edge is not None and attack.high < edge


def _judgement(
    limit: Limit, verdict: Any, reason: str, result: SpecResult | None, one: Measurement | None, **known: Any
) -> Judgement:
    if one is not None and not known:
        low, high = ends_at(one, limit.confidence)
        known = {"value": one.value, "low": low, "high": high, "n": one.n}
    return Judgement(
        required=limit.required,
        verdict=verdict,
        reason=reason,
        about=about(result) if result is not None else "",
        metric=limit.metric,
        arm=one.arm if one is not None else limit.arm,
        group=one.group if one is not None else limit.group,
        spec_hash=result.spec_hash if result is not None else None,
        **known,
    )
