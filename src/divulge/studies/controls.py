"""Checks of a whole table: to an honest attack, controls that no model was trained on are like any other completion.

Their ranks must then be uniform, and they must be recovered no more often than by chance. A table that fails either has
a fault in its planting, its decoys or its attack, whatever its figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from divulge.auditing.pooling import Attacked
from divulge.canonical import digest
from divulge.metrics.base import Scored
from divulge.metrics.extraction import chance_of_success, exact_match
from divulge.records import FloatArray, Gaps, Ranking, Tokens
from divulge.seeds import generator
from divulge.studies.rows import SeenControl, TableCheck

__all__ = ["AT_CHANCE", "UNIFORM", "Controls", "chance_of_as_many", "controls_of", "spread_ranks"]

UNIFORM = "ranks of controls are uniform"
AT_CHANCE = "controls are recovered at chance"
IDENTITY = 16  # hex digits that tell the controls of a study apart


def controls_of(attack: str, parts: Iterable[Attacked]) -> Iterator[SeenControl]:
    """The controls that one attack looked for in one cell; what a broken access answered means nothing."""
    for part in parts:
        if not part.failed_checks:
            yield from _seen(attack, part.seed, part.arms.get("control"), looked_for=True)
            yield from _seen(attack, part.seed, part.ranked, looked_for=False)


def _seen(attack: str, seed: int, scored: Scored | None, *, looked_for: bool) -> Iterator[SeenControl]:
    if scored is None:
        return
    for key, answer in scored.answers.items():
        hint, guess = scored.hints[key], scored.guesses.get(key)
        if not (isinstance(hint, Gaps) and isinstance(answer, Tokens)):
            continue
        ranking = guess.candidates if isinstance(guess, Ranking) else ()
        one = scored.standings.get(key)
        yield SeenControl(
            attack=attack,
            identity=digest([seed, hint, answer], IDENTITY),
            rank=one.rank if one else None,
            tied=one.tied if one else 0,
            among=one.among if one else 0,
            chance=chance_of_success(hint) if looked_for else None,
            found=exact_match(ranking, answer.tokens),
        )


class Controls:
    """Gathers the controls of all cells, attack by attack.

    The same control comes back in all cells that share their seed and pattern, and their models are alike. So each is
    counted once, in one of its cells, picked by a generator of its own. Controls of one seed and kind but of other
    lengths may begin alike, since they are drawn from one stream: that makes a p-value rather too small than too large.
    """

    def __init__(self, study: str) -> None:
        self._study = study
        self._seen: dict[str, dict[str, list[SeenControl]]] = {}

    def add(self, seen: Iterable[SeenControl]) -> None:
        """Adds the controls of one cell."""
        for one in seen:
            self._seen.setdefault(one.attack, {}).setdefault(one.identity, []).append(one)

    def checks(self) -> tuple[TableCheck, ...]:
        """Both tests for each attack, as far as it can be put to them."""
        found = [check for attack, seen in self._seen.items() for check in self._of_attack(attack, seen)]
        return tuple(sorted(found, key=lambda check: check.name != UNIFORM))  # stable: attacks keep their order

    def _of_attack(self, attack: str, seen: dict[str, list[SeenControl]]) -> Iterable[TableCheck]:
        rng = generator(0, "study", self._study, "checks", attack)
        picked = [seen[identity][int(rng.integers(len(seen[identity])))] for identity in sorted(seen)]
        places = [(one.rank, one.tied, one.among) for one in picked if one.rank is not None]
        every = [one for same in seen.values() for one in same]
        if places:
            statistic, p_value = uniformity(spread_ranks(places, rng))
            ties = sum(tied > 0 for _, tied, _ in places)
            note = f"Kolmogorov-Smirnov; {len(every)} in all cells, each control once" + (
                f"; {ties} tied" if ties else ""
            )
            yield TableCheck(
                name=UNIFORM,
                attack=attack,
                statistic=_rounded(statistic),
                p_value=_rounded(p_value),
                n=len(places),
                note=note,
            )
        chances = [one.chance for one in picked if one.chance is not None]
        if chances:
            looked_for = [one for one in every if one.chance is not None]
            hits = sum(one.found for one in picked)
            note = f"exact, one-sided; in all cells {sum(one.found for one in every)} of {len(looked_for)}"
            p_value = _rounded(chance_of_as_many(hits, chances))
            yield TableCheck(
                name=AT_CHANCE, attack=attack, statistic=float(hits), p_value=p_value, n=len(chances), note=note
            )


def spread_ranks(places: Sequence[tuple[int, int, int]], rng: np.random.Generator) -> FloatArray:
    """Ranks as shares of what they are ranked among, each drawn uniformly from the room that it and its ties take.

    A place is (rank, tied, among). If all ranks are equally likely, the results are exactly uniform, however few ranks
    there are.
    """
    within = rng.random(len(places))
    return np.array(
        [
            (rank - 1 - tied + share * (tied + 1)) / among
            for (rank, tied, among), share in zip(places, within, strict=True)
        ]
    )


def uniformity(shares: FloatArray) -> tuple[float, float]:
    """The Kolmogorov-Smirnov statistic against the uniform distribution, and its p-value."""
    from scipy.stats import kstest

    found = kstest(shares, "uniform")
    return float(found.statistic), float(found.pvalue)


def chance_of_as_many(hits: int, chances: Sequence[float]) -> float:
    """How likely at least `hits` of independent events are, each with a chance of its own; a binomial tail if equal.

    >>> chance_of_as_many(2, [0.5, 0.5, 0.5])
    0.5
    """
    # The last place stands for "so many or more": sums of small terms, no difference of large ones.
    counts = [1.0, *[0.0] * hits]
    for chance in chances:
        for place in range(hits, 0, -1):
            stays = counts[place] if place == hits else counts[place] * (1 - chance)
            counts[place] = stays + counts[place - 1] * chance
        if hits:
            counts[0] *= 1 - chance
    return min(1.0, counts[hits])


def _rounded(value: float) -> float:
    return float(f"{value:.6g}")
