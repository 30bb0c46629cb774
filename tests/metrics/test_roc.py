"""ROC figures against hand-worked values, scikit-learn and simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

from divulge.metrics.roc import (
    allowed_alarms,
    auc,
    auc_interval,
    placements,
    pooled_auc_interval,
    strict_threshold,
    true_positive_rate,
)

SCORES = st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=15)


def test_auc_by_hand() -> None:
    """Of four pairs two are won, one is lost and one is a tie: 2.5 / 4."""
    assert auc([3.0, 1.0], [2.0, 1.0]) == 0.625


@settings(max_examples=30)  # scikit-learn is slow
@given(SCORES, SCORES)
def test_auc_agrees_with_sklearn_and_with_counting(members: list[float], others: list[float]) -> None:
    """With many ties the area is scikit-learn's, and the share of pairs won."""
    pairs = [(mine > other) + 0.5 * (mine == other) for mine in members for other in others]
    found = auc(members, others)
    assert found == pytest.approx(sum(pairs) / len(pairs))
    assert found == pytest.approx(roc_auc_score([1] * len(members) + [0] * len(others), members + others))


def test_auc_needs_both_kinds() -> None:
    """Without members, or without others, there is no area."""
    assert auc([], [1.0]) is None
    assert auc([1.0], []) is None


def test_missing_verdicts_lose_every_pair() -> None:
    """Infinite statistics are compared like any other."""
    assert auc([-math.inf, 1.0], [0.0, math.inf]) == 0.25


def test_placements_by_hand() -> None:
    """Each value beats the share of others below it, and half of those alike."""
    assert placements([0.0, 2.0, 9.0], [1.0, 2.0, 2.0, 3.0]).tolist() == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(("value", "members", "others"), [(0.8, 20, 30), (0.55, 100, 100), (0.97, 8, 500)])
def test_interval_ends_lie_at_their_own_error(value: float, members: int, others: int) -> None:
    """Each end is 1.96 Hanley-McNeil standard errors, taken at that end, away from the area found."""
    for end in auc_interval(value, members, others):
        size = (members + others) / 2
        first, second = end / (2 - end), 2 * end**2 / (1 + end)
        variance = (end * (1 - end) + (size - 1) * (first - end**2 + second - end**2)) / (members * others)
        assert abs(value - end) == pytest.approx(1.959964 * math.sqrt(variance), rel=1e-5)


def test_the_pooled_interval_adds_up_variances() -> None:
    """Over models of 5 x 8 and 20 x 10 pairs, each end is 1.96 errors of the weighted mean away."""
    sizes = [(5, 8), (20, 10)]
    for end in pooled_auc_interval(0.8, sizes):
        variance = 0.0
        for members, others in sizes:
            size = (members + others) / 2
            first, second = end / (2 - end), 2 * end**2 / (1 + end)
            own = (end * (1 - end) + (size - 1) * (first - end**2 + second - end**2)) / (members * others)
            variance += (members * others / 240) ** 2 * own
        assert abs(0.8 - end) == pytest.approx(1.959964 * math.sqrt(variance), rel=1e-5)


def test_allowed_alarms_survive_rounding() -> None:
    """29 % of a hundred are 29, though 0.29 x 100 is less in floating point; 1 % of 199 is one."""
    assert [allowed_alarms(100, 0.29), allowed_alarms(199, 0.01), allowed_alarms(99, 0.01)] == [29, 1, 0]


def test_a_perfect_area_is_no_certainty() -> None:
    """Sixty against sixty, all told apart: the area may be as low as 0.967; five against five, 0.71."""
    assert auc_interval(1.0, 60, 60) == pytest.approx((0.967, 1.0), abs=1e-3)
    few = auc_interval(1.0, 5, 5)
    assert few.low < 0.8
    assert auc_interval(0.0, 5, 5) == pytest.approx((0.0, 1 - few.low))


@given(st.floats(0, 1), st.integers(1, 300), st.integers(1, 300))
def test_interval_holds_its_value(value: float, members: int, others: int) -> None:
    """Low, value and high are in order, inside [0, 1], with some width."""
    low, high = auc_interval(value, members, others)
    assert 0 <= low <= value + 1e-12
    assert value - 1e-12 <= high <= 1
    assert high - low > 1e-3


@pytest.mark.parametrize("shift", [0.0, 1.0, 2.5])
def test_interval_covers_in_nineteen_of_twenty(shift: float) -> None:
    """The area of two shifted normal distributions is missed in about 5 % of runs."""
    rng = np.random.default_rng(3)
    area = 0.5 * (1 + math.erf(shift / 2))
    hits = 0
    for _ in range(250):
        found = auc(rng.normal(shift, 1, 30), rng.normal(0, 1, 40))
        assert found is not None
        low, high = auc_interval(found, 30, 40)
        hits += low <= area <= high
    assert hits / 250 >= 0.92


def test_threshold_needs_one_null_score_for_each_allowed_share() -> None:
    """At 1 % a hundred others are needed; ninety-nine say nothing."""
    assert strict_threshold(range(99), 0.01) is None
    assert strict_threshold(range(100), 0.01) == 98.0


@given(st.integers(1, 600), st.sampled_from([0.01, 0.05, 0.07, 0.29, 0.5]), st.integers(0, 10**6))
def test_no_more_than_the_allowed_share_exceeds_the_threshold(count: int, rate: float, seed: int) -> None:
    """The share of others accused never exceeds the rate, ties included, and is as near as it can be without ties."""
    rng = np.random.default_rng(seed)
    threshold = strict_threshold(tied := rng.integers(0, 20, count), rate)
    if threshold is not None:
        assert np.sum(tied > threshold) <= rate * count + 1e-9
    threshold = strict_threshold(untied := rng.permutation(count), rate)
    if threshold is not None:
        assert np.sum(untied > threshold) == math.floor(round(rate * count, 6))


def test_true_positives_by_hand() -> None:
    """Others 0 to 199: two may be accused, so members must exceed 197; a tie does not count."""
    others = range(200)
    assert true_positive_rate([197.0, 197.5, 300.0, 5.0], others, 0.01) == 0.5
    assert true_positive_rate([], others, 0.01) is None
    assert true_positive_rate([1.0], range(50), 0.01) is None
