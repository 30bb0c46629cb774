"""What may be said about one person, in words: evidence that the texts were used, none shown, or it cannot be told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.metrics.one_person import (
    BLIND_P_VALUE,
    FALSE_POSITIVES,
    P_VALUE,
    Decided,
    Reason,
    decided,
    fewest_known_out,
    smallest_p_value,
    unlike_in,
)
from divulge.records import Measurement, SpecResult

__all__ = ["is_about_person", "listed", "person_decided", "person_figure", "person_reasons", "person_sentence"]

SMALL = "the p-value is small, but"


def is_about_person(result: SpecResult) -> bool:
    """Whether one person is the question."""
    secrets: Any = result.spec["secrets"]
    return secrets.get("person") is not None


def person_decided(result: SpecResult) -> Decided:
    """Decides by the figures of a result; a broken access decides nothing."""
    broken = any(check.passed is False for check in result.handshake)
    return decided(result.measurements, _alpha(result), broken=broken)


def person_figure(result: SpecResult, metric: str) -> Measurement | None:
    """One of the figures about the person."""
    return next((one for one in result.measurements if one.metric == metric), None)


def person_sentence(result: SpecResult, access: str) -> str:
    """The finding in a sentence or two."""
    found, p_value = person_decided(result), person_figure(result, P_VALUE)
    if found.decision == "inconclusive":
        return f"Inconclusive: {'; '.join(person_reasons(result, found))}."
    assert p_value is not None
    among = f"among {p_value.n} people known to be out"
    shown = f"p-value {p_value.value:.3g} {among}, where {_alpha(result):g} or less counts as evidence"
    if found.decision == "member":
        return f"There is evidence at {access} that this person's texts were used: {shown}."
    return (
        f"That this person's texts were used is not shown at {access}: {shown}. That does not show that they were not."
    )


def person_reasons(result: SpecResult, found: Decided) -> list[str]:
    """Why it cannot be told, each as half a sentence."""
    return [_reason(one, result) for one in found.reasons]


def _reason(reason: Reason, result: SpecResult) -> str:
    alpha, known = _alpha(result), person_figure(result, P_VALUE)
    blind, rate = person_figure(result, BLIND_P_VALUE), person_figure(result, FALSE_POSITIVES)
    number = known.n if known is not None else 0
    tried = blind.n if blind is not None else 0
    needed = f"{fewest_known_out(alpha)} or more are needed"
    among = f" (p-value {blind.value:.3g})" if blind is not None and blind.value is not None else ""
    unlike = listed(unlike_in(result.measurements, alpha))
    accused = f"{rate.value:.0%} of {rate.n}" if rate is not None and rate.value is not None else "too many"
    words: dict[Reason, str] = {
        "broken access": "the model cannot be asked reliably: the trial of the access before the audit failed",
        "no answer": "the questions allowed ended before the person was asked about",
        "too few known out": f"with {number} people known to be out, no p-value can be below "
        f"{smallest_p_value(number):.2g}; {needed}",
        "too few controls": f"{SMALL} with so few controls it cannot be told whether the texts alone give the person "
        f"away, without the model: {tried} were tried, {needed}",
        "no blind judge": f"{SMALL} no judge who reads the texts alone was asked whether they stand out by themselves",
        "blind": f"{SMALL} a judge who reads the texts and never asks the model picks the person out too{among}: the "
        f"person is not comparable with the people known to be out, who differ in {unlike or 'their texts'}",
        "miscalibrated": f"{SMALL} {accused} other people known to be out are accused too, where {alpha:.0%} are "
        "expected: the two groups of people known to be out differ",
    }
    return words[reason]


def listed(words: Sequence[str]) -> str:
    """Some words as a list in a sentence.

    >>> listed(("topic",)), listed(("topic", "rare words", "number of texts"))
    ('topic', 'topic, rare words and number of texts')
    """
    return " and ".join([", ".join(words[:-1]), words[-1]]) if len(words) > 1 else "".join(words)


def _alpha(result: SpecResult) -> float:
    secrets: Any = result.spec["secrets"]
    return float(secrets.get("alpha", 0.05))
