"""One person as the question: no rate can be had from one, but a p-value among people known to be out, and a decision.

The p-value is the share of people known to be out, and of the person, whose statistic reaches the person's. Three
things must hold before it counts: so many people that it can be small at all; other people known to be out who are
accused no more often than it says; and a judge of the texts alone, who never asks the model, to whom the person is
nobody special: like the others in how much was written, in which words, and about what.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from divulge.metrics.figures import figure
from divulge.metrics.intervals import wilson
from divulge.metrics.likeness import Likeness
from divulge.records import Guess, Measurement, Verdict

__all__ = [
    "BLIND_P_VALUE",
    "FALSE_POSITIVES",
    "FIGURES",
    "P_VALUE",
    "STATISTIC",
    "TRAIT_P_VALUE",
    "Decided",
    "Decision",
    "Reason",
    "accused_too_often",
    "decided",
    "fewest_known_out",
    "person_figures",
    "smallest_p_value",
    "unlike_in",
]

P_VALUE, STATISTIC, BLIND_P_VALUE, FALSE_POSITIVES = "p_value", "statistic", "blind_p_value", "false_positive_rate"
TRAIT_P_VALUE = "trait_p_value"
FIGURES = (P_VALUE, STATISTIC, BLIND_P_VALUE, TRAIT_P_VALUE, FALSE_POSITIVES)
HARDLY = 0.05  # controls that are accused so often by chance alone this seldom were not drawn like the others

Decision = Literal["member", "not shown", "inconclusive"]
Reason = Literal[
    "broken access", "no answer", "too few known out", "too few controls", "no blind judge", "blind", "miscalibrated"
]


@dataclass(frozen=True)
class Decided:
    """What may be said about one person, and why no more where it is inconclusive."""

    decision: Decision
    reasons: tuple[Reason, ...] = ()


def smallest_p_value(known_out: int) -> float:
    """What so many people known to be out can give at best."""
    return 1 / (known_out + 1)


def fewest_known_out(alpha: float) -> int:
    """How many people known to be out it takes for a p-value of alpha.

    >>> fewest_known_out(0.05), fewest_known_out(0.01), fewest_known_out(0.3)
    (19, 99, 3)
    """
    return math.ceil(1 / alpha - 1e-9) - 1


def person_figures(
    person: Guess | None,
    controls: Sequence[Guess],
    blind: Likeness | None,
    *,
    known_out: int,
    alpha: float,
) -> list[Measurement]:
    """The figures of one person, from what the attack and, if there is one, the judge of texts say of people.

    Args:
        person: The attack's verdict about the person; None if it came to none.
        controls: Its verdicts about other people known to be out.
        blind: How like the person is to the same controls, by the texts alone.
        known_out: How many people the p-values were calibrated on.
        alpha: The p-value that counts as evidence.
    """
    found = [
        figure(P_VALUE, person.p_value if isinstance(person, Verdict) else None, None, n=known_out, arm="attack"),
        figure(STATISTIC, person.statistic if isinstance(person, Verdict) else None, None, n=1, arm="attack"),
    ]
    if blind is not None:
        found.append(figure(BLIND_P_VALUE, blind.p_value, None, n=blind.others, arm="baseline"))
        found += [
            figure(TRAIT_P_VALUE, value, None, n=blind.others, arm="baseline", group={"trait": name})
            for name, value in blind.of_trait.items()
        ]
    tried = [one.p_value for one in controls if isinstance(one, Verdict) and one.p_value is not None]
    accused = sum(one <= alpha for one in tried)
    rate = accused / len(tried) if tried else None
    interval = wilson(accused, len(tried)) if tried else None
    found.append(figure(FALSE_POSITIVES, rate, interval, n=len(tried), arm="control", group={"alpha": alpha}))
    return found


def decided(figures: Iterable[Measurement], alpha: float, *, broken: bool = False) -> Decided:
    """Decides by the figures of one person; whatever is in doubt makes it inconclusive, if the p-value is small.

    A p-value above alpha shows nothing either way, unless it could not have been smaller.
    """
    by_name = {one.metric: one for one in figures}
    p_value, blind, rate = by_name.get(P_VALUE), by_name.get(BLIND_P_VALUE), by_name.get(FALSE_POSITIVES)
    if broken:
        return Decided("inconclusive", ("broken access",))
    if p_value is None or p_value.n == 0 or smallest_p_value(p_value.n) > alpha:
        return Decided("inconclusive", ("too few known out",))
    if p_value.value is None:
        return Decided("inconclusive", ("no answer",))
    if p_value.value > alpha:
        return Decided("not shown")
    doubts: list[Reason] = []
    if blind is None:
        doubts.append("no blind judge")
    elif smallest_p_value(blind.n) > alpha:
        doubts.append("too few controls")
    elif blind.value is None or blind.value <= alpha:
        doubts.append("blind")
    if rate is not None and rate.value is not None:
        accused = round(rate.value * rate.n)
        if accused_too_often(accused, rate.n, p_value.n, alpha) <= HARDLY:
            doubts.append("miscalibrated")
    return Decided("inconclusive", tuple(doubts)) if doubts else Decided("member")


def unlike_in(figures: Iterable[Measurement], alpha: float) -> tuple[str, ...]:
    """The traits in which a person is not comparable with the controls; none where all together do not say so.

    Of eight traits one may be at the edge by chance: only the farthest of all decides whether any is named.
    """
    figures = tuple(figures)
    whole = next((one.value for one in figures if one.metric == BLIND_P_VALUE), None)
    if whole is None or whole > alpha:
        return ()
    traits = [one for one in figures if one.metric == TRAIT_P_VALUE and one.value is not None and one.value <= alpha]
    return tuple(str(one.group["trait"]) for one in traits)


def accused_too_often(accused: int, controls: int, known_out: int, alpha: float) -> float:
    """How likely so many controls or more are accused, if they and the people known to be out were drawn alike.

    A control is accused if it lies above all but `spared` of those known to be out. Of all in order, that is so for
    `accused` controls or more where at most `spared` of the first accused + spared are not controls.
    """
    spared = math.floor(alpha * (known_out + 1) + 1e-9) - 1
    if spared < 0 or accused == 0:
        return 1.0
    first = accused + spared
    ways = sum(math.comb(known_out, out) * math.comb(controls, first - out) for out in range(min(spared, first) + 1))
    return ways / math.comb(known_out + controls, first)
