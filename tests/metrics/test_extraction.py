"""Exact match, distance, success, rank and exposure over secrets, by hand."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.metrics.base import Scored
from divulge.metrics.extraction import (
    Exposure,
    HammingDistance,
    Rank,
    Success,
    chance_of_distance,
    chance_of_success,
    exact_match,
    found_within,
    hamming_per_token,
)
from divulge.metrics.intervals import wilson
from divulge.records import Gaps, Measurement, Ranking, Standing, Tokens

DIGITS = tuple("0123456789")
Candidates = tuple[tuple[str, ...], ...]


def fresh() -> np.random.Generator:
    """A generator of its own for each call."""
    return np.random.default_rng(0)


def pins(truths: dict[str, str], rankings: dict[str, Candidates], options: tuple[str, ...] = DIGITS) -> Scored:
    """Secrets that are strings of digits, and what was guessed about them."""
    return Scored(
        answers={name: Tokens(tokens=tuple(truth)) for name, truth in truths.items()},
        hints={
            name: Gaps(tokens=("pin", *[None] * len(truth)), candidates=(options,) * len(truth))
            for name, truth in truths.items()
        },
        guesses={name: Ranking(secret_id=name, candidates=found) for name, found in rankings.items()},
    )


def measured(metric, scored: Scored) -> tuple[Measurement, ...]:
    """All figures of a metric."""
    return metric.measure(scored, metric.outcomes(scored), "attack", fresh())


def test_hamming_by_hand() -> None:
    """Two wrong digits of four are half the distance; a missing guess is all of it."""
    assert hamming_per_token([tuple("1239")], tuple("1234")) == 0.25
    assert hamming_per_token([tuple("4321")], tuple("1234")) == 1.0
    assert hamming_per_token([tuple("1234")], tuple("1234")) == 0.0
    assert hamming_per_token([], tuple("1234")) == 1.0


def test_hamming_of_other_lengths() -> None:
    """Tokens too few and tokens too many are wrong tokens."""
    assert hamming_per_token([tuple("12")], tuple("1234")) == 0.5
    assert hamming_per_token([tuple("12345678")], tuple("1234")) == 0.5
    assert hamming_per_token([()], ()) == 0.0


def test_only_the_best_guess_is_an_exact_match() -> None:
    """The truth in second place is found within two, and no match."""
    ranking = [tuple("11"), tuple("12"), tuple("13")]
    assert not exact_match(ranking, tuple("12"))
    assert exact_match(ranking, tuple("11"))
    assert not found_within(ranking, tuple("12"), 1)
    assert found_within(ranking, tuple("12"), 2)
    assert not found_within(ranking, tuple("99"), 3)


@given(st.lists(st.integers(1, 4), min_size=1, max_size=4), st.integers(1, 40))
def test_chance_agrees_with_trying_everything(sizes: list[int], k: int) -> None:
    """Closed forms are averages over all completions."""
    options = tuple(tuple(str(number) for number in range(size)) for size in sizes)
    hint = Gaps(tokens=(None,) * len(sizes), candidates=options)
    space = list(itertools.product(*options))
    truth = space[0]
    assert chance_of_success(hint) == pytest.approx(sum(guess == truth for guess in space) / len(space))
    assert chance_of_success(hint, k) == pytest.approx(min(1, k / len(space)))
    distances = [hamming_per_token([guess], truth) for guess in space]
    assert chance_of_distance(hint) == pytest.approx(sum(distances) / len(space))


def test_chance_in_a_space_beyond_floats() -> None:
    """Two hundred holes of 17,000 words are hopeless, not an overflow."""
    words = tuple(str(number) for number in range(17_000))
    assert chance_of_success(Gaps(tokens=(None,) * 200, candidates=(words,) * 200), 100) == 0.0


def test_distance_over_secrets() -> None:
    """Distances 0, 1/2 and 1 (no guess) have the mean 1/2; chance with ten digits is 0.9."""
    scored = pins({"a": "12", "b": "34", "c": "56"}, {"a": (tuple("12"),), "b": (tuple("39"),)})
    metric = HammingDistance()
    assert [(outcome.secret_id, outcome.value) for outcome in metric.outcomes(scored)] == [
        ("a", 0.0),
        ("b", 0.5),
        ("c", 1.0),
    ]
    (found,) = measured(metric, scored)
    assert (found.value, found.n, found.arm) == (0.5, 3, "attack")
    (baseline,) = metric.baseline(scored)
    assert (baseline.value, baseline.arm) == (pytest.approx(0.9), "baseline")


def test_success_at_each_k() -> None:
    """Found first, found fourth and not found: one third at k = 1, two thirds from k = 4 on."""
    others = (tuple("00"), tuple("01"), tuple("02"))
    scored = pins(
        {"a": "12", "b": "34", "c": "56"},
        {"a": (tuple("12"), *others), "b": (*others, tuple("34")), "c": (*others, tuple("03"))},
    )
    metric = Success({"ks": [1, 4, 50, 100]})
    found = {measurement.group["k"]: measurement for measurement in measured(metric, scored)}
    assert {k: measurement.value for k, measurement in found.items()} == {
        1: pytest.approx(1 / 3),
        4: pytest.approx(2 / 3),
        50: pytest.approx(2 / 3),
    }
    assert (found[4].low, found[4].high) == pytest.approx(wilson(2, 3))
    assert [outcome.value for outcome in metric.outcomes(scored)] == [1.0, 1.0, 0.0]
    assert {m.group["k"]: m.value for m in metric.baseline(scored)} == {
        1: pytest.approx(0.01),
        4: pytest.approx(0.04),
        50: pytest.approx(0.5),
    }


def test_success_is_not_measured_where_it_is_certain() -> None:
    """A ranking of the whole space holds the truth at its end: no k as large as the space counts."""
    space = tuple(itertools.product("01", repeat=3))
    scored = pins({"a": "111"}, {"a": space}, options=("0", "1"))
    assert [measurement.group["k"] for measurement in measured(Success(), scored)] == [1]
    assert Success({"ks": [2, 5, 8, 50]}).depths(scored) == (2, 5)
    assert not Success().applies(pins({"a": "1"}, {}, options=("1",)))


def test_success_without_any_guess_is_failure() -> None:
    """An attack that says nothing is measured like any other and fails."""
    found = measured(Success(), pins({"a": "12"}, {}))
    assert [(one.group["k"], one.value) for one in found] == [(1, 0.0), (10, 0.0), (50, 0.0)]


def test_every_arm_is_measured_at_the_same_k() -> None:
    """However long the rankings of the attack and of the control, neither has a figure that the other lacks."""
    space = tuple(itertools.product(DIGITS, repeat=3))
    long, short, silent = (pins({"a": "123"}, {"a": space[:length]} if length else {}) for length in (22, 3, 0))
    asked = [[one.group["k"] for one in measured(Success(), scored)] for scored in (long, short, silent)]
    assert asked == [[1, 10, 50, 100, 200]] * 3
    assert [one.group["k"] for one in Success().baseline(short)] == asked[0]


def placed(ranks: list[int], among: int = 1024, secrets: int | None = None) -> Scored:
    """Secrets with exact standings; the last ones without."""
    names = [f"s{number}" for number in range(secrets or len(ranks))]
    scored = pins(dict.fromkeys(names, "1"), {})
    standings = {
        name: Standing(secret_id=name, rank=rank, among=among, space=among, exposure=math.log2(among) - math.log2(rank))
        for name, rank in zip(names, ranks, strict=False)
    }
    return Scored(answers=scored.answers, hints=scored.hints, standings=standings)


def test_exposure_over_secrets() -> None:
    """Ranks 1, 4 and 16 of 1,024 are worth 10, 8 and 6 bits."""
    (found,) = measured(Exposure(), placed([1, 4, 16]))
    assert (found.value, found.n) == (pytest.approx(8.0), 3)
    assert found.high is not None
    assert found.high <= 10


def test_an_unscored_secret_is_not_exposed() -> None:
    """Where the attack gave no score, exposure is 0 and rank the last."""
    scored = placed([1, 1], secrets=3)
    assert [outcome.value for outcome in Exposure().outcomes(scored)] == [10.0, 10.0, 0.0]
    assert [outcome.value for outcome in Rank().outcomes(scored)] == [1.0, 1.0, 1024.0]


def test_rank_is_the_median() -> None:
    """One hopeless secret does not hide that the others stand first."""
    (found,) = measured(Rank(), placed([1, 1, 1, 2, 3, 3, 1000]))
    assert found.value == 2.0
    # seven values: P(no head in 7) = 1/128 <= 0.025, P(at most 1) = 8/128: from the first to the last value
    assert (found.low, found.high) == (1.0, 1000.0)


def test_chance_of_ranks() -> None:
    """Ordering 1,024 completions at random gives rank 512.5 and about 1.44 bits."""
    (rank,), (bits,) = Rank().baseline(placed([1, 1])), Exposure().baseline(placed([1, 1]))
    assert rank.value == 512.5
    assert bits.value == pytest.approx(10 - math.lgamma(1025) / math.log(2) / 1024)


def test_what_these_metrics_are_about() -> None:
    """Distance and success need holes, rank and exposure need standings."""
    guessed, ranked = pins({"a": "12"}, {}), placed([1])
    empty = Scored(answers={}, hints={})
    assert HammingDistance().applies(guessed)
    assert Success().applies(guessed)
    assert not Rank().applies(guessed)
    assert not Exposure().applies(guessed)
    assert Rank().applies(ranked)
    assert Exposure().applies(ranked)
    assert not any(metric.applies(empty) for metric in (HammingDistance(), Success(), Rank(), Exposure()))
