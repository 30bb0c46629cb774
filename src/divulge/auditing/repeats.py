"""The same secret asked of several models: rows and users of one corpus come back under every seed.

Their ids differ by seed, so that they are told by what they hold; that stays inside the process. Asked of five models,
a sentence is not five sentences: n counts it once, and the interval allows for answers to it that err together.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from divulge.canonical import canonical_json, digest, thaw
from divulge.metrics.base import Metric, Scored
from divulge.records import Answer, Arm, Hint, LeakedRow, Measurement, Member, UserTexts

__all__ = ["distinct", "identities", "measured_once_each"]


def identities(scored: Scored, asked: Scored) -> dict[str, str]:
    """Names each secret of one model's arm by its content; `asked` is the attack arm of that model.

    A row is its number and its own text, also in the control arm, where another one's text is the answer. A user is
    the texts, whether used or not. A canary is made anew for every seed, so that its id belongs to it; only those of a
    secrets file come back.
    """
    own = {hint.row: asked.answers[key] for key, hint in asked.hints.items() if isinstance(hint, LeakedRow)}
    return {key: _identity(key, scored.hints[key], answer, own) for key, answer in scored.answers.items()}


def distinct(n: int, scored: Scored, same: Mapping[str, str]) -> int:
    """How many different secrets lie behind a figure over `n` of them: all, or those alone that it is about."""
    members = [key for key, answer in scored.answers.items() if isinstance(answer, Member) and answer.used]
    others = [key for key, answer in scored.answers.items() if isinstance(answer, Member) and not answer.used]
    for counted in (list(scored.answers), members, others, list(scored.standings)):
        if len(counted) == n:
            return len({same[key] for key in counted})
    return min(n, len(set(same.values())))


def measured_once_each(
    metric: Metric, scored: Scored, same: Mapping[str, str], arm: Arm, rng: np.random.Generator
) -> tuple[Measurement, ...]:
    """Measures pooled secrets, of which some are the same; the interval holds those clustered by model and by secret.

    Where a metric compares only secrets of one model, clusters of secrets mean nothing to it. Then the interval is as
    wide, on both sides, as that of a sample in which every secret occurs once.
    """
    figures = metric.measure(scored, metric.outcomes(scored), arm, rng)
    if len(set(same.values())) == len(same):
        return figures
    by_secret = _by_group(metric, replace(scored, clusters=dict(same)), arm, rng)
    agree = all(_agree(one, by_secret.get(canonical_json(one.group))) for one in figures)
    beside = by_secret if agree else _by_group(metric, _once(scored, same), arm, rng)
    share = metric.unit == "share"
    return tuple(
        _widened(one, beside.get(canonical_json(one.group)), distinct(one.n, scored, same), share=share)
        for one in figures
    )


def _identity(key: str, hint: Hint, answer: Answer, own: Mapping[int, Answer]) -> str:
    if isinstance(hint, LeakedRow):
        return digest([hint, own.get(hint.row, answer)])
    if isinstance(hint, UserTexts):
        return digest([hint])
    return digest([key, hint, answer])


def _by_group(metric: Metric, scored: Scored, arm: Arm, rng: np.random.Generator) -> dict[str, Measurement]:
    if not metric.applies(scored):
        return {}
    return {canonical_json(one.group): one for one in metric.measure(scored, metric.outcomes(scored), arm, rng)}


def _agree(one: Measurement, other: Measurement | None) -> bool:
    if one.value is None or other is None or other.value is None:
        return one.value is None
    return math.isclose(one.value, other.value, rel_tol=1e-9, abs_tol=1e-12)


def _once(scored: Scored, same: Mapping[str, str]) -> Scored:
    """Keeps the first occurrence of each secret, with its model as cluster."""
    first: dict[str, str] = {}
    for key in scored.answers:
        first.setdefault(same[key], key)
    kept = list(first.values())
    return Scored(
        answers={key: scored.answers[key] for key in kept},
        hints={key: scored.hints[key] for key in kept},
        guesses={key: scored.guesses[key] for key in kept if key in scored.guesses},
        standings={key: scored.standings[key] for key in kept if key in scored.standings},
        clusters={key: scored.clusters[key] for key in kept if key in scored.clusters},
    )


def _widened(one: Measurement, other: Measurement | None, n: int, *, share: bool) -> Measurement:
    low, high = one.low, one.high
    moved = one.value - other.value if one.value is not None and other and other.value is not None else None
    if moved is not None and other is not None:
        low = None if low is None or other.low is None else min(low, other.low + moved)
        high = None if high is None or other.high is None else max(high, other.high + moved)
    if share and moved:  # an interval that was moved may have left the scale
        low, high = (None if end is None else min(max(end, 0.0), 1.0) for end in (low, high))
    fields = {"metric": one.metric, "value": one.value, "low": low, "high": high, "n": n, "arm": one.arm}
    return Measurement.model_validate({**fields, "group": thaw(one.group)})
