"""People whom some of the adversary's own models learnt from: to the others of these models they are unknown.

Shadows halve one pool of people anew, so that each person was left out by about half of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from divulge.adversary import Practice
from divulge.records import Member, UserTexts

__all__ = ["PoolPerson", "models_by_person", "pool_people"]


class PoolPerson(NamedTuple):
    """Somebody of the pool, and the places of the models that did not learn from them."""

    hint: UserTexts
    unseen_by: tuple[int, ...]


def models_by_person(practice: Sequence[Practice]) -> dict[UserTexts, dict[int, bool]]:
    """Everybody whom these models know of: by the place of each that does, whether it learnt from them."""
    found: dict[UserTexts, dict[int, bool]] = {}
    for place, one in enumerate(practice):
        for secret in one.secrets:
            if isinstance(secret.hint, UserTexts) and isinstance(secret.answer, Member):
                found.setdefault(secret.hint, {})[place] = secret.answer.used
    return found


def pool_people(practice: Sequence[Practice]) -> list[PoolPerson]:
    """Everybody whom at least one of these models did not learn from, in the order in which models name them."""
    unseen = {
        hint: tuple(place for place, seen in used.items() if not seen)
        for hint, used in models_by_person(practice).items()
    }
    return [PoolPerson(hint, places) for hint, places in unseen.items() if places]
