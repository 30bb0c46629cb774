"""The epsilon that an audit proves, beside the one that was claimed."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from divulge.data.cases import Case
from divulge.metrics.epsilon import epsilon_lower_bound
from divulge.records import Measurement, Standing

__all__ = ["DEFAULT_DELTA", "accounted", "allowed_epsilon", "claim_of", "privacy_loss", "refutation"]

DEFAULT_DELTA = 1e-5
LARGEST_EXPONENT = 700.0  # of e, in double precision


def privacy_loss(
    case: Case,
    planted: Mapping[str, Standing],
    held_out: Mapping[str, Standing],
    claim: Mapping[str, float | None],
) -> list[Measurement]:
    """The lower bound on epsilon where a coin decided about each canary, and what is claimed for so many copies.

    Canaries are ordered by how far each stands out from its own decoys: that needs no other model. Planted more than
    once, they bound the epsilon of a group of so many records.
    """
    if not case.coin or not (planted or held_out):
        return []
    delta = claim.get("delta")
    delta = DEFAULT_DELTA if delta is None else delta
    copies = case.copies
    claimed = claim.get("epsilon")
    within, loss = (delta, None) if claimed is None else allowed_epsilon(claimed, delta, copies)
    if within >= 1:  # of so many copies the claim allows anything: the bound stands alone
        within, loss = delta, None
    inside, outside = ([one.exposure for one in arm.values()] for arm in (planted, held_out))
    found = epsilon_lower_bound(inside, outside, within)
    group = {"delta": within, "copies": copies}
    n = len(planted) + len(held_out)
    figures = [
        Measurement(
            metric="epsilon_lower_bound", value=found.epsilon, low=found.epsilon, high=None, n=n, arm="attack",
            group=group,
        )
    ]  # fmt: skip
    if loss is not None:
        figures.append(Measurement(metric="epsilon", value=loss, n=n, arm="probe", group=group))
    return figures


def accounted(privacy: Mapping[str, Any]) -> Measurement:
    """What the accountant of a training says: the epsilon of one copy of one training text, or of a whole user."""
    group, n = {"delta": privacy["delta"]}, privacy["texts"]
    if "users" in privacy:
        group, n = {**group, "unit": "user"}, privacy["users"]
    return Measurement(metric="epsilon", value=privacy["epsilon"], n=n, arm="probe", group=group)


def claim_of(claim: Mapping[str, float | None], figures: Sequence[Measurement]) -> Mapping[str, float | None]:
    """The owner's claim; where there is none, what the training's accountant says, if it was private."""
    told = [one for one in figures if one.metric == "epsilon" and one.arm == "probe"]
    if claim.get("epsilon") is not None or not told:
        return claim
    group: Any = told[0].group
    return {"epsilon": told[0].value, "delta": group["delta"]}


def refutation(figures: Sequence[Measurement]) -> str | None:
    """Says it loudly where more is proven than was claimed; None where it is not."""
    claims = {one.group: one.value for one in figures if one.metric == "epsilon" and one.arm == "probe"}
    for one in figures:
        claimed = claims.get(one.group) if one.metric == "epsilon_lower_bound" else None
        if claimed is not None and one.value is not None and one.value > claimed:
            return (
                f"THE CLAIMED EPSILON IS REFUTED: at least {one.value:.2f} is proven (95 % confidence, delta "
                f"{one.group['delta']:g}), and the claim allows {claimed:g}. The accountant, the training or the "
                "sampling does not do what it is said to do."
            )
    return None


def allowed_epsilon(epsilon: float, delta: float, copies: int) -> tuple[float, float]:
    """The delta and epsilon that a claim about one record allows for a group of so many (group privacy)."""
    if copies == 1:
        return delta, epsilon
    if copies * epsilon > LARGEST_EXPONENT:
        return 1.0, copies * epsilon
    grown = delta * math.expm1(copies * epsilon) / math.expm1(epsilon)
    return min(grown, 1.0), copies * epsilon
