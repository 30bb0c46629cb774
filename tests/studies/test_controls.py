"""Checks of a whole table by its controls."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom, kstest

from divulge.auditing.pooling import Attacked
from divulge.metrics.base import Scored
from divulge.metrics.exposure import standing
from divulge.records import Gaps, Ranking, Standing, Tokens
from divulge.studies.controls import (
    AT_CHANCE,
    UNIFORM,
    Controls,
    chance_of_as_many,
    controls_of,
    spread_ranks,
    uniformity,
)

DIGITS = tuple("0123456789")


def control(seed: int, word: str, rank: int, *, guess: str = "0", among: int = 10, failed: bool = False) -> Attacked:
    """One control of one model: one missing digit."""
    hint = Gaps(tokens=("pin", None), label="Pin", tags=None, candidates=(DIGITS,))
    place = Standing(secret_id="c", rank=rank, among=among, space=10, exposure=0.0)
    scored = Scored(
        answers={"c": Tokens(tokens=(word,))},
        hints={"c": hint},
        guesses={"c": Ranking(secret_id="c", candidates=((guess,),), scores=(0.0,))},
        standings={"c": place},
    )
    return Attacked(seed, f"model {seed}", {"control": scored}, ("broken",) if failed else ())


def checks(*cells: list[Attacked]) -> dict[str, tuple[float, float, int]]:
    """Both checks of one attack over some cells: statistic, p-value, n."""
    pool = Controls("sample/table1")
    for parts in cells:
        pool.add(controls_of("a", parts))
    return {check.name: (check.statistic, check.p_value, check.n) for check in pool.checks()}


def test_ranks_are_spread_over_the_room_they_take() -> None:
    """Rank 3 of 10 lies in (0.2, 0.3); with two ties it may be rank 1, 2 or 3."""
    rng = np.random.default_rng(0)
    alone, tied = (3, 0, 10), (3, 2, 10)
    drawn = np.array([spread_ranks([alone, tied], rng) for _ in range(2000)])
    assert drawn.min(axis=0) == pytest.approx([0.2, 0.0], abs=0.001)
    assert drawn.max(axis=0) == pytest.approx([0.3, 0.3], abs=0.001)
    assert drawn.mean(axis=0) == pytest.approx([0.25, 0.15], abs=0.01)


def test_ranks_by_chance_are_uniform_even_if_many_are_tied() -> None:
    """Scores from 0 to 3 among 20: most are tied, and nothing speaks against a fair attack."""
    rng = np.random.default_rng(1)
    found = []
    for number in range(3000):
        scores = rng.integers(0, 4, size=20).astype(float)
        found.append(standing(str(number), scores[0], scores[1:], 20, exact=True))
    assert sum(one.tied > 0 for one in found) > 2900
    shares = spread_ranks([(one.rank, one.tied, one.among) for one in found], rng)
    assert kstest(shares, "uniform").pvalue > 0.01
    # Counted against the attack, as ranks are, they would look anything but uniform.
    assert kstest([(one.rank - 0.5) / one.among for one in found], "uniform").pvalue < 1e-6


def test_the_statistic_is_the_largest_gap() -> None:
    """Of 0.1, 0.2, 0.9: at 0.2 two thirds lie below, 2/3 - 0.2; at 0.9 the gap is 0.9 - 2/3."""
    statistic, p_value = uniformity(np.array([0.1, 0.2, 0.9]))
    assert statistic == pytest.approx(2 / 3 - 0.2)
    assert 0.3 < p_value < 1


@pytest.mark.parametrize("hits", range(6))
def test_equal_chances_give_the_binomial_tail(hits: int) -> None:
    """The same as SciPy's, also far out."""
    assert chance_of_as_many(hits, [0.1] * 5) == pytest.approx(binom.sf(hits - 1, 5, 0.1), rel=1e-12)
    assert chance_of_as_many(hits, [1e-10] * 5) == pytest.approx(binom.sf(hits - 1, 5, 1e-10), rel=1e-9)


@given(st.lists(st.floats(0, 1), max_size=6), st.integers(0, 7))
def test_unequal_chances_are_summed_over_all_outcomes(chances: list[float], hits: int) -> None:
    """A slow sum over every way the events can turn out."""
    slow = sum(
        math.prod(p if hit else 1 - p for p, hit in zip(chances, pattern, strict=True))
        for pattern in itertools.product([False, True], repeat=len(chances))
        if sum(pattern) >= hits
    )
    assert chance_of_as_many(hits, chances) == pytest.approx(slow, abs=1e-12)


def test_uniform_ranks_pass_and_favoured_controls_do_not() -> None:
    """Ranks 1 to 10 in turn, against rank 1 always; and guesses that hit one in ten, against all."""
    fair = checks([control(seed, "1", seed % 10 + 1, guess=str(seed % 10)) for seed in range(200)])
    assert fair[UNIFORM][1] > 0.05
    assert fair[AT_CHANCE][0] == 20
    assert fair[AT_CHANCE][1] == pytest.approx(binom.sf(19, 200, 0.1), rel=1e-5)
    leaking = checks([control(seed, "1", 1, guess="1") for seed in range(30)])
    assert leaking[UNIFORM][1] < 1e-6
    assert leaking[AT_CHANCE][1] == pytest.approx(1e-30)


def test_a_control_that_comes_back_in_other_cells_counts_once() -> None:
    """The same seed and text is no new evidence; another seed, or another text, is."""
    one = [control(0, "1", 1)]
    assert checks(one, one, one)[UNIFORM][2] == 1
    assert checks(one, [control(1, "1", 1)], [control(0, "2", 1)])[AT_CHANCE][2] == 3


def test_all_cells_are_told_even_those_that_do_not_count() -> None:
    """The note holds the plain number of recoveries."""
    pool = Controls("sample/table1")
    for guess in ("1", "1", "5"):
        pool.add(controls_of("a", [control(0, "1", 1, guess=guess)]))
    (note,) = [check.note for check in pool.checks() if check.name == AT_CHANCE]
    assert note == "exact, one-sided; in all cells 2 of 3"


def test_a_broken_access_says_nothing() -> None:
    """And without controls there is nothing to check."""
    assert checks([control(0, "1", 1, failed=True)]) == {}
    assert checks([Attacked(0, "m", {})]) == {}


def test_controls_that_are_only_ranked_count_for_ranks_alone() -> None:
    """Twenty more ranks; how many were found is of the one that was looked for."""
    looked_for = control(0, "3", 4)
    names = [f"r{number}" for number in range(20)]
    words = [(first, second) for first in DIGITS[:5] for second in DIGITS[:4]]
    hint = Gaps(tokens=("pin", None, None), label="Pin", tags=None, candidates=(DIGITS, DIGITS))
    ranked = Scored(
        answers={name: Tokens(tokens=word) for name, word in zip(names, words, strict=True)},
        hints=dict.fromkeys(names, hint),
        guesses={},
        standings={
            name: Standing(secret_id=name, rank=place + 1, among=20, space=100, exposure=0.0)
            for place, name in enumerate(names)
        },
    )
    found = checks([Attacked(0, "m", looked_for.arms, ranked=ranked)])
    assert found[UNIFORM][2] == 21
    assert found[UNIFORM][1] > 0.9
    assert found[AT_CHANCE][2] == 1
    assert checks([Attacked(0, "m", {}, ranked=ranked)]).keys() == {UNIFORM}
