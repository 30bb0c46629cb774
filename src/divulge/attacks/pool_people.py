"""People whom some of the adversary's own models learnt from: to the others of these models they are unknown.

Shadows halve one pool of people anew, so that each person was left out by about half of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from divulge.adversary import Practice
from divulge.records import Member, UserTexts

__all__ = ["PoolPerson", "pool_people"]


class PoolPerson(NamedTuple):
    """Somebody of the pool, and the places of the models that did not learn from them."""

    hint: UserTexts
    unseen_by: tuple[int, ...]


def pool_people(practice: Sequence[Practice]) -> list[PoolPerson]:
    """Everybody whom at least one of these models did not learn from, in the order in which models name them."""
    unseen: dict[UserTexts, list[int]] = {}
    for place, one in enumerate(practice):
        for secret in one.secrets:
            if isinstance(secret.hint, UserTexts) and secret.answer == Member(used=False):
                unseen.setdefault(secret.hint, []).append(place)
    return [PoolPerson(hint, tuple(places)) for hint, places in unseen.items()]
