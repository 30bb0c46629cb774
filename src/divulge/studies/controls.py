"""Checks of a whole table: to an honest attack, controls that no model was trained on are like any other completion.

Their ranks must then be uniform, and they must be recovered no more often than by chance. A table that fails either has
a fault in its planting, its decoys or its attack, whatever its figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from divulge.auditing.pooling import Attacked
from divulge.canonical import digest
from divulge.metrics.extraction import chance_of_success, exact_match
from divulge.records import FloatArray, Gaps, Ranking, Standing, Tokens
from divulge.seeds import generator
from divulge.studies.rows import TableCheck

__all__ = ["AT_CHANCE", "UNIFORM", "Controls", "chance_of_as_many", "spread_ranks"]

UNIFORM = "ranks of controls are uniform"
AT_CHANCE = "controls are recovered at chance"


class _Seen(NamedTuple):
    """One control in one cell."""

    standing: Standing | None
    chance: float
    found: bool


class Controls:
    """Gathers the controls of all cells, attack by attack.

    The same control comes back in all cells that share their seed and pattern, and their models are alike. So each is
    counted once, in one of its cells, picked by a generator of its own. Controls of one seed and kind but of other
    lengths may begin alike, since they are drawn from one stream: that makes a p-value rather too small than too large.
    """

    def __init__(self, study: str) -> None:
        self._study = study
        self._seen: dict[str, dict[str, list[_Seen]]] = {}

    def add(self, attack: str, parts: Iterable[Attacked]) -> None:
        """Adds what one attack said in one cell; what a broken access answered means nothing."""
        for part in parts:
            scored = part.arms.get("control")
            if scored is None or part.failed_checks:
                continue
            for key, answer in scored.answers.items():
                hint, guess = scored.hints[key], scored.guesses.get(key)
                if not (isinstance(hint, Gaps) and isinstance(answer, Tokens)):
                    continue
                ranking = guess.candidates if isinstance(guess, Ranking) else ()
                seen = _Seen(scored.standings.get(key), chance_of_success(hint), exact_match(ranking, answer.tokens))
                same = self._seen.setdefault(attack, {}).setdefault(digest([part.seed, hint, answer]), [])
                same.append(seen)

    def checks(self) -> tuple[TableCheck, ...]:
        """Both tests for each attack, as far as it can be put to them."""
        found = [check for attack, seen in self._seen.items() for check in self._of_attack(attack, seen)]
        return tuple(sorted(found, key=lambda check: check.name != UNIFORM))  # stable: attacks keep their order

    def _of_attack(self, attack: str, seen: dict[str, list[_Seen]]) -> Iterable[TableCheck]:
        rng = generator(0, "study", self._study, "checks", attack)
        picked = [seen[identity][int(rng.integers(len(seen[identity])))] for identity in sorted(seen)]
        standings = [one.standing for one in picked if one.standing is not None]
        every = [one for same in seen.values() for one in same]
        if standings:
            statistic, p_value = uniformity(spread_ranks(standings, rng))
            ties = sum(one.tied > 0 for one in standings)
            note = f"Kolmogorov-Smirnov; {len(every)} in all cells, each control once" + (
                f"; {ties} tied" if ties else ""
            )
            yield TableCheck(
                name=UNIFORM,
                attack=attack,
                statistic=_rounded(statistic),
                p_value=_rounded(p_value),
                n=len(standings),
                note=note,
            )
        hits = sum(one.found for one in picked)
        note = f"exact, one-sided; in all cells {sum(one.found for one in every)} of {len(every)}"
        p_value = chance_of_as_many(hits, [one.chance for one in picked])
        yield TableCheck(
            name=AT_CHANCE, attack=attack, statistic=float(hits), p_value=_rounded(p_value), n=len(picked), note=note
        )


def spread_ranks(standings: Sequence[Standing], rng: np.random.Generator) -> FloatArray:
    """Ranks as shares of what they are ranked among, each drawn uniformly from the room that it and its ties take.

    If all ranks are equally likely, the results are exactly uniform, however few ranks there are.
    """
    within = rng.random(len(standings))
    return np.array(
        [
            (one.rank - 1 - one.tied + share * (one.tied + 1)) / one.among
            for one, share in zip(standings, within, strict=True)
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
