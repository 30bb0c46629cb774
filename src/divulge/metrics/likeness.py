"""Is somebody like the people they are compared with? By traits of what they wrote, without asking any model.

Whoever writes more, or of other things, than everybody else stands out to any test, whether the texts were used or not.
Each trait is looked at from both sides: too little is as far away as too much.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.records import FloatArray

__all__ = ["Likeness", "likeness"]

USUAL = 0.9  # of all people are no farther from the middle than what one trait is measured by
NEAR = 1e-9


@dataclass(frozen=True)
class Likeness:
    """How far from the middle somebody is among `others`: the share of people who are as far, the person included.

    `p_value` is of all traits together: by the one in which each is farthest. `of_trait` has them one by one.
    """

    others: int
    p_value: float
    of_trait: Mapping[str, float]


def likeness(person: Sequence[float], others: Sequence[Sequence[float]], traits: Sequence[str]) -> Likeness | None:
    """Compares one row of traits with those of others; None where there are none.

    All are treated alike, the person too, so that of somebody who is like the others the p-value is as likely small as
    it says.
    """
    if not others:
        return None
    away = _away(np.array([person, *others], dtype=np.float64))  # (people, traits)
    each = (away >= away[0] - NEAR).mean(axis=0)
    farthest = away.max(axis=1)
    together = float((farthest >= farthest[0] - NEAR).mean())
    return Likeness(len(others), together, dict(zip(traits, map(float, each), strict=True)))


def _away(table: FloatArray) -> FloatArray:
    """How far each is from the middle, by what is usual for the trait: traits with long tails count no more."""
    away = np.abs(table - np.median(table, axis=0))
    usual, spread = np.quantile(away, USUAL, axis=0), table.std(axis=0)
    usual = np.where(usual > NEAR, usual, np.where(spread > NEAR, spread, 1.0))
    return np.asarray(away / usual, dtype=np.float64)
