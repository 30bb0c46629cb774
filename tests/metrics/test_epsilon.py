"""The epsilon that guesses about coins prove: against hand-worked sums, randomized response, and silence."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from divulge.metrics.epsilon import chance_of, epsilon_lower_bound, largest_provable, least_epsilon


def test_the_chance_of_right_guesses_is_a_binomial_tail() -> None:
    """Three of four right at epsilon ln 3, where a guess is right with 3/4: 4 * 27/256 + 81/256 = 189/256."""
    assert chance_of(10, 4, 3, math.log(3), 0.0) == pytest.approx(189 / 256)
    assert chance_of(10, 4, 0, 0.0, 0.0) == 1.0


def test_delta_adds_the_largest_mean_of_a_window_below() -> None:
    """By a loop over all windows, as theorem 5.2 has it."""
    canaries, guesses, right, epsilon, delta = 100, 20, 15, 0.7, 1e-3
    share = math.exp(epsilon) / (1 + math.exp(epsilon))
    windows = [sum(binom.pmf(right - k, guesses, share) for k in range(1, i + 1)) / i for i in range(1, right + 1)]
    wanted = binom.sf(right - 1, guesses, share) + 2 * canaries * delta * max(windows)
    assert chance_of(canaries, guesses, right, epsilon, delta) == pytest.approx(wanted)
    assert chance_of(canaries, guesses, right, epsilon, 1.0) == 1.0


def test_the_least_epsilon_is_where_the_chance_meets_the_doubt() -> None:
    """All 100 right: share^100 = 0.05, so epsilon is the log-odds of 0.05^(1/100)."""
    share = 0.05 ** (1 / 100)
    assert least_epsilon(100, 100, 100, 0.0, 0.05) == pytest.approx(math.log(share / (1 - share)), abs=1e-9)
    assert least_epsilon(100, 100, 50, 0.0, 0.05) == 0.0
    assert least_epsilon(100, 100, 80, 1e-3, 0.05) < least_epsilon(100, 100, 80, 0.0, 0.05)


def test_randomized_response_is_bounded_by_its_own_epsilon() -> None:
    """Scores that show each coin with probability e^eps / (1 + e^eps): the bound stays below, and comes near."""
    epsilon, rng = 2.0, np.random.default_rng(0)
    share = 1 / (1 + math.exp(-epsilon))
    found = []
    for _ in range(100):
        coins = rng.random(2000) < 0.5
        shown = np.where(rng.random(2000) < share, coins, ~coins) + 0.01 * rng.random(2000)
        found.append(epsilon_lower_bound(shown[coins], shown[~coins], 0.0).epsilon)
    assert np.mean(np.array(found) > epsilon) <= 0.05
    assert np.median(found) > 1.6


def test_silence_proves_nothing() -> None:
    """Scores that know nothing exceed 0 in at most one audit of twenty; equal scores never do."""
    rng = np.random.default_rng(1)
    positive = [epsilon_lower_bound(rng.random(250), rng.random(250), 0.0).epsilon > 0 for _ in range(200)]
    assert np.mean(positive) <= 0.08  # 0.05, and two standard errors of 200 trials
    assert epsilon_lower_bound(np.zeros(500), np.zeros(500), 0.0).epsilon == 0.0


def test_what_is_ranked_last_is_given_away_too() -> None:
    """A model may show what it has seen by liking it least; the bound is that of the scores turned round."""
    rng = np.random.default_rng(2)
    low, high = rng.normal(-3, 1, 300), rng.normal(0, 1, 300)
    assert epsilon_lower_bound(low, high, 0.0) == epsilon_lower_bound(-low, -high, 0.0)
    assert epsilon_lower_bound(low, high, 0.0).epsilon > 1


def test_ties_count_against_the_adversary() -> None:
    """One planted canary above all others, which are alike: only that guess is certainly right."""
    found = epsilon_lower_bound(np.array([1.0, *np.zeros(49)]), np.zeros(50), 0.0)
    assert found.epsilon == 0.0


def test_the_largest_provable_epsilon_grows_with_the_canaries() -> None:
    """A thousand canaries, all guessed right, prove between 4 and 6; the audit of perfect scores reaches just that."""
    most = largest_provable(1000, 0.0)
    assert 4 < most < 6
    assert largest_provable(100, 0.0) < most
    perfect = epsilon_lower_bound(np.ones(500) + np.arange(500), -np.arange(1.0, 501.0), 0.0)
    assert perfect.epsilon == pytest.approx(most)
    assert (perfect.guesses, perfect.right) == (1000, 1000)
    assert largest_provable(1000, 1e-5) < most
    assert epsilon_lower_bound([], [], 0.0).epsilon == largest_provable(0, 0.0) == 0.0
