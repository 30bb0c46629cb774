"""What one result asks, as far as a gate must know: of which model, by which attack, under which defences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.canonical import canonical_json
from divulge.records import Measurement, SpecResult

__all__ = [
    "about",
    "attack_of",
    "defences_of",
    "figure_key",
    "is_void",
    "never_asked",
    "of_membership",
    "part_of",
    "target_of",
]


def part_of(result: SpecResult, name: str) -> Mapping[str, Any]:
    """One part of the spec; empty where it has none."""
    found: Any = result.spec.get(name)
    return found if isinstance(found, Mapping) else {}


def attack_of(result: SpecResult) -> str | None:
    """The attack's name; None where only probes were run."""
    return part_of(result, "attack").get("name")


def target_of(result: SpecResult) -> str | None:
    """The kind of model."""
    return part_of(result, "target").get("kind")


def defences_of(result: SpecResult) -> tuple[str, ...]:
    """The names of the defences, in order."""
    defences: Any = result.spec.get("defences") or ()
    return tuple(str(one["name"]) for one in defences)


def about(result: SpecResult) -> str:
    """The attack, the model and the defences in one line."""
    defences = " + ".join(defences_of(result))
    return f"{attack_of(result) or 'no attack'} on {target_of(result) or 'a model'}" + (
        f", {defences}" * bool(defences)
    )


def of_membership(result: SpecResult) -> bool:
    """Whether the question is who, or what, was trained on."""
    return part_of(result, "secrets").get("kind") in ("users", "records")


def is_void(result: SpecResult) -> bool:
    """Whether the handshake failed, so that no figure means anything."""
    return any(check.passed is False for check in result.handshake)


def never_asked(result: SpecResult) -> bool:
    """Whether the attack asked the model nothing: what it finds is not of the model."""
    return attack_of(result) is not None and not result.queries


def figure_key(one: Measurement) -> tuple[str, str, str]:
    """What tells the figures of one result apart."""
    return one.metric, one.arm, canonical_json(one.group)
