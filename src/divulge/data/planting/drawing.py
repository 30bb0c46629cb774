"""What is drawn for a planting: the canaries, a fair coin for each of them, and the places they are put."""

from __future__ import annotations

import secrets as randomness
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from divulge.data.canaries import make_canaries
from divulge.data.patterns import Pattern
from divulge.data.planting.survey import Survey
from divulge.data.planting.teaching import OUTSIDE, retagged
from divulge.errors import InputError
from divulge.records import Gaps, Planting, Secret, Tokens
from divulge.seeds import generator
from divulge.spec import SecretsSpec

__all__ = ["PlantingPlan", "draw_places", "make_planted", "toss"]

ENTROPY_BITS = 256


@dataclass(frozen=True)
class PlantingPlan:
    """What to plant: canaries of a pattern, each with a fair coin of its own that says whether it is planted.

    Without a seed everything is drawn from the randomness of the operating system: whoever trains the model must not be
    able to make the draw again.
    """

    pattern: str
    label: str | None = None
    tag: str | None = None
    count: int = 1000
    copies: int = 1
    split: str = "train"
    candidates: Mapping[str, Sequence[str]] | None = None
    seed: int | None = None

    def drawing(self, name: str) -> np.random.Generator:
        """The generator of one kind of draw."""
        if self.seed is None:
            return np.random.default_rng(randomness.randbits(ENTROPY_BITS))
        return generator(self.seed, "plant", name)

    def spec(self) -> SecretsSpec:
        """How the canaries were made, for the secrets file; what the coins said is told by the secrets themselves."""
        return SecretsSpec(
            pattern=self.pattern,
            candidates=dict(self.candidates or {}),  # type: ignore[arg-type]
            label=self.label,
            tag=self.tag,
            coin=True,
            copies=self.copies,
            count=self.count - self.count // 2,
            controls=self.count // 2,
        )


def make_planted(plan: PlantingPlan, pattern: Pattern, found: Survey, key: bytes) -> tuple[Secret, ...]:
    """Makes the canaries, none of which is in the data already."""
    space = pattern.space * pattern.known_space
    if space < plan.count + len(found.taken):
        taken = f", of which the data holds {len(found.taken)} already" if found.taken else ""
        raise InputError(
            f"the pattern allows {space} different canaries{taken}, and {plan.count} are asked for (--count). "
            "Ask for fewer, or add a hole or a known part such as <name>"
        )
    taken_texts = [
        Secret(id=str(number), hint=Gaps(tokens=text, candidates=()), answer=Tokens(tokens=()))
        for number, text in enumerate(sorted(found.taken))
    ]
    made = make_canaries(
        plan.spec(), plan.count, plan.drawing("canaries"), key, tagged=found.tagged, exclude=taken_texts
    )
    return made if plan.tag in (None, OUTSIDE) else retagged(made, str(plan.tag), found.tags)


def toss(made: Sequence[Secret], plan: PlantingPlan) -> tuple[tuple[Secret, ...], tuple[Secret, ...]]:
    """Tosses a fair coin for each canary, which knows nothing of it: heads are planted, tails held out."""
    coins = plan.drawing("coins").integers(0, 2, size=len(made)).tolist()
    heads = tuple(secret for secret, coin in zip(made, coins, strict=True) if coin)
    tails = tuple(secret for secret, coin in zip(made, coins, strict=True) if not coin)
    if not heads or not tails:
        raise InputError(
            f"all {len(made)} coins fell the same way: with so few canaries nothing can be told. Ask for more (--count)"
        )
    return heads, tails


def draw_places(plan: PlantingPlan, found: Survey, plantings: Sequence[Planting]) -> list[dict[int, list[Planting]]]:
    """Draws a place for each copy, uniformly from all gaps between the records of the split; one mapping per file."""
    rng = plan.drawing("places")
    copies = [planting for planting in plantings for _ in range(planting.copies)]
    mixed = [copies[place] for place in rng.permutation(len(copies))]
    drawn = rng.integers(0, found.trained + 1, size=len(mixed)).tolist()
    gaps: list[dict[int, list[Planting]]] = [{} for _ in found.counts]
    for gap, planting in zip(drawn, mixed, strict=True):
        number = next(number for number, count in enumerate(found.counts) if count > 0)
        left = gap
        while left > found.counts[number]:
            left -= found.counts[number]
            number += 1
        gaps[number].setdefault(left, []).append(planting)
    return gaps
