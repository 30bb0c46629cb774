"""Tests of divulge.metrics.trace."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy.stats import mannwhitneyu

from divulge.metrics import trace as module
from divulge.metrics.trace import Arms, least_p_value, least_significant, strata, trace


def arms(planted, controls, name: str = "") -> Arms:
    """Canaries of one model, with ids that say which arm and model they are of."""
    return (
        {f"p{name}{place}": float(value) for place, value in enumerate(planted)},
        {f"c{name}{place}": float(value) for place, value in enumerate(controls)},
    )


def found(*models: Arms, seed: int = 0):
    """The trace of some models, which there must be."""
    result = trace(models, np.random.default_rng(seed))
    assert result is not None
    return result


def slow_p_value(models: list[Arms]) -> float:
    """The share of all exchanges, in all models at once, whose won pairs are as many or more."""

    def won(planted, controls):
        return sum((a > b) + (a == b) / 2 for a in planted for b in controls)

    reached = sum(won(inside.values(), outside.values()) for inside, outside in models)
    by_model = []
    for inside, outside in models:
        values = [*inside.values(), *outside.values()]
        sums = []
        for chosen in itertools.combinations(range(len(values)), len(inside)):
            rest = [values[place] for place in range(len(values)) if place not in chosen]
            sums.append(won([values[place] for place in chosen], rest))
        by_model.append(sums)
    every = [sum(one) for one in itertools.product(*by_model)]
    return sum(one >= reached for one in every) / len(every)


def test_a_trace_by_hand():
    """Of 4 pairs, (3, 1), (3, 2), (2, 1) are won and (2, 2) is a tie: 3.5 of 4; of 6 exchanges 2 are as good."""
    few = found(arms([3, 2], [1, 2]))
    assert few.value == 0.875
    assert few.n == 4
    assert few.p_value is None  # the best exchange, 3 with either 2, has 2 of 6: never below 0.05
    assert few.interval.low < 0.5 < few.interval.high == pytest.approx(1, abs=0.05)


@pytest.mark.parametrize(("planted", "controls"), [(4, 4), (10, 10), (7, 15), (25, 25)])
def test_without_ties_it_is_the_test_of_mann_and_whitney(planted, controls):
    """One-sided, exact."""
    rng = np.random.default_rng(planted)
    inside, outside = rng.normal(0.7, 1, planted), rng.normal(0, 1, controls)
    oracle = mannwhitneyu(inside, outside, alternative="greater", method="exact")
    one = found(arms(inside, outside))
    assert one.p_value == pytest.approx(oracle.pvalue, rel=1e-9)
    assert one.value == pytest.approx(oracle.statistic / (planted * controls))


@pytest.mark.parametrize("seed", range(6))
def test_ties_and_several_models_as_by_trying_all_exchanges(seed):
    """Ranks are midranks, and canaries are exchanged within their model only."""
    rng = np.random.default_rng(seed)
    models = [arms(rng.integers(1, 5, 4), rng.integers(0, 4, 3), name) for name in "ab"]
    assert found(*models).p_value == pytest.approx(slow_p_value(models))
    assert found(models[0], seed=seed).p_value in (None, pytest.approx(slow_p_value(models[:1])))


def test_models_differ_in_scale_without_harm():
    """A model in which everything stands better than in another says nothing about planting."""
    low, high = arms([1, 3, 5, 7], [2, 4, 6, 8], "a"), arms([101, 103, 105, 107], [102, 104, 106, 108], "b")
    # In each model 6 of 16 pairs are won: 1 over none, 3 over one, 5 over two, 7 over three.
    assert found(low, high).value == 6 / 16
    assert found(low, high).p_value > 0.5


def test_a_canary_asked_of_several_models_is_exchanged_as_a_whole():
    """Five equal answers about eight canaries are eight canaries: the p-value is that of one model."""
    once = arms([5, 6, 7, 8], [1, 2, 3, 9])
    again = found(*[once] * 5)
    assert again.p_value == pytest.approx(found(once).p_value)
    assert again.n == 8
    assert again.interval == pytest.approx(found(once).interval)
    apart = found(*(arms([5, 6, 7, 8], [1, 2, 3, 9], name) for name in "abcde"))
    assert apart.p_value < again.p_value / 10
    assert apart.n == 40


def test_all_models_bear_on_a_canary_that_was_asked_of_several():
    """By trying all exchanges of 4 + 3 canaries, each with its standings in both models."""
    rng = np.random.default_rng(4)
    models = [arms(rng.integers(2, 9, 4), rng.integers(0, 7, 3)) for _ in range(2)]
    names = [*models[0][0], *models[0][1]]
    values = [{**inside, **outside} for inside, outside in models]

    def won(chosen):
        rest = [name for name in names if name not in chosen]
        pairs = [(one[a], one[b]) for one in values for a in chosen for b in rest]
        return sum((a > b) + (a == b) / 2 for a, b in pairs)

    every = [won(chosen) for chosen in itertools.combinations(names, 4)]
    reached = won(list(models[0][0]))
    assert found(*models).p_value == pytest.approx(sum(one >= reached for one in every) / 35)  # C(7, 4)
    assert found(*models).value == reached / 24


def test_without_a_trace_few_audits_find_one():
    """Of 1,000 audits of 10 + 10 canaries at most about 5 % have a p-value of 0.05, also where many stand alike."""
    rng = np.random.default_rng(1)
    for draw in (rng.normal, lambda size: rng.integers(0, 4, size)):
        p_values = np.array([found(arms(draw(size=10), draw(size=10))).p_value for _ in range(1000)])
        assert np.mean(p_values <= 0.05) < 0.065  # 0.05 + 2 standard errors of 0.007
        assert np.mean(p_values <= 0.2) < 0.225
        assert np.mean(p_values <= 0.5) > 0.4  # and it is not for being always large


def test_with_a_trace_most_audits_find_it():
    """Canaries that stand two standard deviations better; the interval holds the true probability."""
    rng = np.random.default_rng(2)
    every = [found(arms(rng.normal(2, 1, 10), rng.normal(0, 1, 10))) for _ in range(200)]
    assert np.mean([one.p_value <= 0.05 for one in every]) > 0.95
    true = 0.5 * (1 + math.erf(2 / 2))  # P(N(2, 1) > N(0, 1)) = Phi(2 / sqrt 2)
    assert np.mean([one.interval.low <= true <= one.interval.high for one in every]) > 0.9


def test_many_canaries_are_exchanged_at_random(monkeypatch):
    """Then the p-value is near the exact one, never 0, and the same for the same seed."""
    rng = np.random.default_rng(3)
    one, extreme = arms(rng.normal(0.4, 1, 20), rng.normal(0, 1, 20)), arms(range(20, 40), range(20))
    exact = found(one).p_value
    monkeypatch.setattr(module, "MOST_CELLS", 0)
    assert found(one).p_value == pytest.approx(exact, abs=0.01)
    assert found(one).p_value == found(one).p_value != found(one, seed=1).p_value
    assert found(extreme).p_value == 1 / 10_000


def test_canaries_that_all_stand_alike_decide_nothing():
    """No exchange makes a difference."""
    one = found(arms([1] * 10, [1] * 10))
    assert (one.value, one.p_value) == (0.5, None)


def test_without_both_kinds_there_is_no_trace():
    """A model that lacks one kind is left out."""
    assert trace([arms([1, 2], [])], np.random.default_rng(0)) is None
    assert trace([], np.random.default_rng(0)) is None
    assert found(arms([1, 2], [], "a"), arms([4, 3], [1, 2], "b")).n == 4


def test_who_may_be_exchanged():
    """Canaries of the very same models, whichever their arm."""
    one, other = arms([1, 2], [3], "a"), arms([1], [2, 3], "b")
    assert strata([one, other]) == [(["pa0", "pa1"], ["ca0"]), (["pb0"], ["cb0", "cb1"])]
    assert strata([one, one]) == [(["pa0", "pa1"], ["ca0"])]


def test_the_smallest_p_value():
    """One exchange of all: 1 / C(4, 2), 1 / C(20, 10), and their product over models."""
    assert least_p_value([(2, 2)]) == 1 / 6
    assert least_p_value([(10, 10)]) == 1 / 184756
    assert least_p_value([(2, 2), (2, 2)]) == 1 / 36


@pytest.mark.parametrize("size", [4, 10, 30])
def test_the_smallest_trace_that_would_show(size):
    """One pair less would not."""
    least = least_significant([(size, size)])
    assert least is not None
    pairs = size * size
    won = round(least * pairs)
    for wanted, significant in ((won, True), (won - 1, False)):
        assert (found(arms(*_with_pairs(size, wanted))).p_value <= 0.05) is significant


def test_the_smallest_trace_of_many_canaries_comes_from_a_formula(monkeypatch):
    """The normal distribution is near by then, also over models."""
    for sizes in ([(30, 30)], [(10, 20)] * 4):
        exact = least_significant(sizes)
        with monkeypatch.context() as patched:
            patched.setattr(module, "MOST_CELLS", 0)
            assert least_significant(sizes) == pytest.approx(exact, abs=0.01)


def _with_pairs(size: int, wanted: int) -> tuple[list[float], list[float]]:
    """Values of which the first arm wins `wanted` of all pairs, none tied."""
    controls = [float(place) for place in range(size)]
    planted = []
    for place in range(size):
        wins = min(size, wanted)
        wanted -= wins
        planted.append(wins - 0.5 + place / (10 * size))
    return planted, controls
