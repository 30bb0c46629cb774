"""Secrets in plain words, for an owner who asked to see them: the attack's first, and nothing hidden in them.

Characters that turn or hide what stands beside them are spelt out, so that a text cannot disguise itself.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from divulge.records import Revealed

__all__ = ["NOTHING", "Shown", "shown", "visible"]

NOTHING: Mapping[str, Sequence[Revealed]] = MappingProxyType({})
TURNING = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
RIGHT = {True: "right", False: "wrong", None: "not judged"}


@dataclass(frozen=True)
class Shown:
    """One secret as a row of a table."""

    secret_id: str
    arm: str
    asked: str
    answer: str
    guess: str
    right: str


def shown(revealed: Iterable[Revealed]) -> tuple[Shown, ...]:
    """Rows for a table; those of the attack before those of the control, each in the order they came."""
    return tuple(
        Shown(
            one.secret_id,
            one.arm,
            visible(one.asked),
            visible(one.answer),
            "no guess" if one.guess is None else visible(one.guess),
            RIGHT[one.right],
        )
        for one in sorted(revealed, key=lambda one: one.arm != "attack")
    )


def visible(text: str) -> str:
    """Spells out what is not seen: direction marks and control characters; line breaks become spaces."""
    joined = " ".join(text.split())
    return "".join(
        f"⟨U+{ord(one):04X}⟩" if one in TURNING or unicodedata.category(one) == "Cc" else one for one in joined
    )
