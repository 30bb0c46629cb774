"""What a run proves about epsilon, beside what a privacy accountant claims of the training.

The bound is one-sided: it says that epsilon is at least so much. A bound of 0 proves nothing, and no bound confirms a
claim. Only a bound above the claim settles something: then the claim is wrong.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from divulge.canonical import canonical_json
from divulge.records import Measurement, SpecResult

__all__ = ["PROVEN", "Claim", "claims", "is_claim"]

PROVEN = "epsilon_lower_bound"
CLAIMED = "epsilon"


@dataclass(frozen=True)
class Claim:
    """The least epsilon that a result proves for a group of `copies` equal records, and the one claimed for it."""

    proven: float
    claimed: float | None
    delta: float | None
    copies: int
    canaries: int

    @property
    def refuted(self) -> bool:
        """Whether more is proven than was claimed."""
        return self.claimed is not None and self.proven > self.claimed

    @property
    def proof(self) -> str:
        """What is proven, and on what it rests; begins inside a sentence."""
        times = "once" if self.copies == 1 else f"{self.copies} times"
        delta = "" if self.delta is None else f"delta {self.delta:.3g}, "
        behind = f"95 % confidence, {delta}{self.canaries} canaries, a coin each, planted {times}"
        return f"epsilon is at least {self.proven:.3g} ({behind})"

    @property
    def claim(self) -> str:
        """What is claimed; empty if nothing is."""
        group = "" if self.copies == 1 else f" for a group of {self.copies} equal records"
        return "" if self.claimed is None else f"at most {self.claimed:.3g}{group}"

    @property
    def judgement(self) -> str:
        """What follows, in a sentence or two."""
        nothing = "The bound is 0, which proves nothing: it does not show that epsilon is 0." * (self.proven <= 0)
        if self.claimed is None:
            return nothing or "No claim of an accountant was given (target.epsilon) to set it beside."
        if self.refuted:
            return (
                "The claim is refuted: the accountant, the implementation of the training, or the sampling of its "
                "batches is wrong."
            )
        return f"{nothing} The claim is neither refuted nor confirmed.".strip()

    @property
    def sentence(self) -> str:
        """Why a claim that is refuted is; in words that no metric is called by."""
        return f"The privacy claim (epsilon {self.claim}) is refuted: {self.proof}."


def claims(result: SpecResult) -> tuple[Claim, ...]:
    """Every bound of a result, each with what is claimed for the same group."""
    claimed = {_group(one): one.value for one in result.measurements if one.metric == CLAIMED and one.arm == "probe"}
    found = []
    for one in result.measurements:
        group: Any = one.group
        if one.metric == PROVEN and one.arm == "attack" and one.value is not None:
            beside = claimed.get(_group(one))
            found.append(Claim(one.value, beside, group.get("delta"), int(group.get("copies", 1)), one.n))
    return tuple(found)


def is_claim(one: Measurement) -> bool:
    """Whether a figure is the claim beside a proven bound; an accountant's own epsilon, of one text, is none."""
    return one.metric == CLAIMED and "copies" in one.group


def _group(one: Measurement) -> str:
    return canonical_json(one.group)
