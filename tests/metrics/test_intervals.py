"""Intervals against hand-worked values, enumeration, scipy and simulation."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

from divulge.metrics.intervals import (
    Interval,
    bootstrap,
    clopper_pearson,
    effective_size,
    hull,
    is_clustered,
    mean,
    mean_interval,
    median_interval,
    rate_interval,
    resample,
    wilson,
)


def fresh(seed: int = 0) -> np.random.Generator:
    """A generator of its own for each call."""
    return np.random.default_rng(seed)


def test_wilson_of_eight_in_ten_by_hand() -> None:
    """The score interval of 8/10 is worked out on paper."""
    # z² = 3.84146; 1 + z²/n = 1.384146; centre = (0.8 + 0.192073) / 1.384146 = 0.716740
    # half = 1.959964 x sqrt(0.8 x 0.2 / 10 + 3.84146 / 400) / 1.384146 = 0.226578
    assert wilson(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-5)


def test_clopper_pearson_of_none_in_ten_by_hand() -> None:
    """With no success the upper end solves (1 - p)^10 = 0.025."""
    assert clopper_pearson(0, 10) == pytest.approx((0.0, 1 - 0.025**0.1), abs=1e-9)


@settings(max_examples=50)
@given(n=st.integers(1, 200), data=st.data())
def test_closed_forms_agree_with_scipy(n: int, data: st.DataObject) -> None:
    """Both intervals of a rate are those scipy gives."""
    successes = data.draw(st.integers(0, n))
    test = stats.binomtest(successes, n)
    for ours, method in ((wilson(successes, n), "wilson"), (clopper_pearson(successes, n), "exact")):
        theirs = test.proportion_ci(0.95, method)
        assert ours == pytest.approx((theirs.low, theirs.high), abs=1e-9)
        assert ours is not None
        assert 0 <= ours.low <= successes / n <= ours.high <= 1
        assert ours.low < ours.high


def test_an_interval_of_nothing_is_none() -> None:
    """Without data there is no interval, whichever is asked for."""
    assert wilson(0, 0) is None
    assert clopper_pearson(0, 0) is None
    assert bootstrap([], mean, fresh()) is None
    assert rate_interval([], fresh()) is None
    assert mean_interval([], fresh()) is None
    assert median_interval([], fresh()) is None
    assert hull(None, None) is None


def expanded_tail(units: int) -> float:
    """The share cut off at each end, from scipy's distributions."""
    return float(stats.norm.cdf(math.sqrt(units / (units - 1)) * stats.t.ppf(0.025, units - 1)))


def test_bootstrap_agrees_with_all_resamples_there_are() -> None:
    """The interval of a mean of five is that of all 3,125 resamples, at Student-widened percentiles."""
    values = [0.0, 1.0, 2.0, 4.0, 8.0]
    every = [float(np.mean(sample)) for sample in itertools.product(values, repeat=5)]
    tail = expanded_tail(5)
    low, high = np.quantile(every, [tail, 1 - tail])
    assert bootstrap(values, mean, fresh(), draws=20_000) == pytest.approx((low, high), abs=0.4)


@pytest.mark.parametrize("statistic", [mean, np.mean])
def test_clustered_bootstrap_draws_whole_clusters(statistic) -> None:
    """Resampled means of three unequal clusters are those of the 27 ways to draw three of them."""
    clusters = ["a", "b", "b", "c", "c", "c"]
    groups = {"a": [9.0], "b": [3.0, 5.0], "c": [1.0, 2.0, 0.0]}
    values = [9.0, 3.0, 5.0, 1.0, 2.0, 0.0]
    picks = itertools.product("abc", repeat=3)
    expected = {round(float(np.mean(np.concatenate([groups[name] for name in pick]))), 9) for pick in picks}
    drawn = resample(values, statistic, fresh(), clusters, draws=2000)
    assert {round(float(value), 9) for value in drawn} == expected


@pytest.mark.parametrize("statistic", [mean, np.mean])
def test_strata_keep_their_sizes(statistic) -> None:
    """Every resample has as many rows of each kind as the data."""
    kinds = [0, 0, 0, 1]
    drawn = resample(np.array([0.0, 0.0, 0.0, 1.0]), statistic, fresh(), strata=kinds, draws=200)
    assert set(drawn) == {0.25}


@pytest.mark.parametrize("clusters", [None, [number % 7 for number in range(3000)]])
def test_means_are_resampled_alike_one_by_one_and_all_at_once(clusters: list[int] | None) -> None:
    """The fast way for means has the centre and the spread of the general one."""
    values = fresh(1).random(3000) + np.arange(3000) % 7
    fast, slow = (resample(values, statistic, fresh(), clusters, draws=1500) for statistic in (mean, np.mean))
    assert len(fast) == len(slow) == 1500
    assert fast.mean() == pytest.approx(slow.mean(), abs=0.15 * slow.std())
    assert fast.std() == pytest.approx(slow.std(), rel=0.1)


def test_draws_without_a_value_are_left_out() -> None:
    """A statistic that is undefined on some resamples still has an interval from the others."""

    def share_of_positives(values: np.ndarray) -> float:
        return float(np.mean(values[values != 0] > 0)) if np.any(values) else math.nan

    interval = bootstrap([0.0, 0.0, 1.0, -1.0], share_of_positives, fresh())
    assert interval == (0.0, 1.0)


def test_one_unit_cannot_be_resampled() -> None:
    """One value, or one cluster, says nothing about spread."""
    assert bootstrap([1.0], mean, fresh()) is None
    assert bootstrap([1.0, 2.0], mean, fresh(), ["a", "a"]) is None


def test_centre_moves_the_interval_and_keeps_its_width() -> None:
    """Draws are shifted to have their mean where asked."""
    values = list(range(12))
    plain = bootstrap(values, mean, fresh())
    moved = bootstrap(values, mean, fresh(), centre=105.5)
    assert plain is not None
    assert moved is not None
    assert moved.high - moved.low == pytest.approx(plain.high - plain.low)
    assert moved == pytest.approx((plain.low + 100, plain.high + 100), abs=0.2)


def test_labels_must_match_rows() -> None:
    """A label too few is a mistake of the caller's, not a silent misassignment."""
    with pytest.raises(ValueError, match="2 for 3 rows"):
        bootstrap([1.0, 2.0, 3.0], mean, fresh(), ["a", "b"])


@settings(max_examples=50)
@given(st.lists(st.floats(0, 1), min_size=2, max_size=12), st.randoms(use_true_random=False))
def test_the_order_of_values_does_not_matter(values: list[float], random) -> None:
    """The same values in another order, with their clusters, have the same interval to the last digit."""
    rows = [(value, number % 3) for number, value in enumerate(values)]
    shuffled = random.sample(rows, len(rows))
    first, second = (
        bootstrap([value for value, _ in some], mean, fresh(), [label for _, label in some], draws=20)
        for some in (rows, shuffled)
    )
    assert first == pytest.approx(second, rel=1e-12)


@pytest.mark.parametrize("count", [1, 3, 20])
@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_all_alike_is_no_proof(count: int, outcome: float) -> None:
    """Where every secret failed, or every one succeeded, rates and means have Wilson's interval."""
    expected = wilson(outcome * count, count)
    assert rate_interval([outcome] * count, fresh()) == pytest.approx(expected)
    assert mean_interval([outcome] * count, fresh()) == pytest.approx(expected)


@pytest.mark.parametrize("outcome", [0.0, 1.0])
def test_models_that_agree_are_as_many_trials_as_models(outcome: float) -> None:
    """A hundred secrets of five models, all alike, may be five trials with twenty copies each."""
    clusters = [number // 20 for number in range(100)]
    expected = wilson(outcome * 5, 5)
    assert rate_interval([outcome] * 100, fresh(), clusters) == pytest.approx(expected)
    assert mean_interval([outcome] * 100, fresh(), clusters) == pytest.approx(expected)


@pytest.mark.parametrize("interval_of", [rate_interval, mean_interval])
def test_models_that_leak_all_or_nothing_are_covered(interval_of) -> None:
    """Five models, each leaking wholly with probability 0.8: that rate is missed in at most 7 % of such studies."""
    clusters = [number // 20 for number in range(100)]
    missed = 0.0
    for leaking in range(6):
        interval = interval_of([1.0] * 20 * leaking + [0.0] * 20 * (5 - leaking), fresh(), clusters)
        missed += 0.0 if interval.low <= 0.8 <= interval.high else float(stats.binom.pmf(leaking, 5, 0.8))
    assert missed <= 0.07


def test_effective_size_by_hand() -> None:
    """Two clusters of four with three successes and one: a correlation of 0.2, and worth five values."""
    # means 3/4 and 1/4: between = 4 x (1/16 + 1/16) / 1 = 0.5; inside = (4 x 3/16 + 4 x 3/16) / 6 = 0.25
    # icc = (0.5 - 0.25) / (0.5 + 3 x 0.25) = 0.2; 8 / (1 + 3 x 0.2) = 5
    assert effective_size([1, 1, 1, 0, 1, 0, 0, 0], list("aaaabbbb")) == pytest.approx(5.0)
    # clusters that are each like the whole are worth all their values
    assert effective_size([1, 0, 1, 0, 1, 0], list("aabbcc")) == 6
    # clusters of one mind, unequal: 6² / (1 + 4 + 9) = 36 / 14
    assert effective_size([0.1, 0.7, 0.7, 0.3, 0.3, 0.3], list("abbccc")) == pytest.approx(36 / 14)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 3)), min_size=2, max_size=30))
def test_effective_size_lies_between_clusters_and_values(rows: list[tuple[int, int]]) -> None:
    """Never more than there are values, never fewer than one, and all of them for clusters of one value each."""
    values, clusters = [value for value, _ in rows], [label for _, label in rows]
    assume(len(set(clusters)) > 1)
    assert 1 <= effective_size(values, clusters) <= len(values) + 1e-9
    assert effective_size(values, range(len(values))) == pytest.approx(len(values))


def test_a_constant_inside_the_bounds_by_hand() -> None:
    """Twenty values of 5 in [2, 12]: up to Wilson's 16.1 % may lie at a bound."""
    # wilson(0, 20).high = (z²/20) / (1 + z²/20) = 0.192073 / 1.192073 = 0.161125
    # 5 - 0.161125 x 3 = 4.516625 and 5 + 0.161125 x 7 = 6.127875
    assert mean_interval([5.0] * 20, fresh(), bounds=(2, 12)) == pytest.approx((4.516625, 6.127875), abs=1e-5)


def test_shared_models_widen_a_rate() -> None:
    """Four models that leak all or nothing tell less than forty independent secrets."""
    values = [1.0] * 20 + [0.0] * 20
    clusters = [number // 10 for number in range(40)]
    plain, clustered = rate_interval(values, fresh()), rate_interval(values, fresh(), clusters)
    assert plain == wilson(20, 40)
    assert clustered == (0.0, 1.0)


def test_clusters_never_narrow() -> None:
    """Models that happen to agree do not make an interval narrower than without them."""
    values = [0.0, 1.0] * 10
    clusters = [number // 2 for number in range(20)]
    assert rate_interval(values, fresh(), clusters) == wilson(10, 20)
    scaled = [0.9 * value for value in values]
    plain, clustered = mean_interval(scaled, fresh()), mean_interval(scaled, fresh(), clusters)
    assert plain is not None
    assert clustered is not None
    assert clustered.low <= plain.low < plain.high <= clustered.high


def test_a_mean_stays_within_its_bounds() -> None:
    """No interval of a share leaves [0, 1]."""
    interval = mean_interval([0.0, 0.0, 1.0], fresh())
    assert interval is not None
    assert interval.low == 0
    assert interval.high <= 1


def test_bootstrap_covers_in_nineteen_of_twenty() -> None:
    """With ten values of a skewed distribution the true mean is missed in about 5 % of runs."""
    rng = fresh(7)
    hits = 0
    for _ in range(120):
        interval = bootstrap(rng.beta(2, 5, size=10), mean, rng, draws=200)
        assert interval is not None
        hits += interval.low <= 2 / 7 <= interval.high
    assert 0.91 <= hits / 120 <= 0.99


def test_median_of_ten_by_hand() -> None:
    """The median of ten lies between the second and the ninth value."""
    # P(at most 1 head in 10) = 11/1024 = 0.0107 <= 0.025; P(at most 2) = 56/1024 = 0.0547
    assert median_interval(range(1, 11), fresh()) == (2, 9)


def test_few_values_do_not_bound_a_median() -> None:
    """Five values leave 2 x 1/32 > 5 % outside; six leave 2 x 1/64."""
    assert median_interval([4.0] * 5, fresh(), bounds=(1, 99)) == (1, 99)
    assert median_interval([4.0] * 6, fresh(), bounds=(1, 99)) == (4, 4)


def test_shared_models_widen_a_median() -> None:
    """Five models with ranks of their own leave the median as wide open as they are apart."""
    values = [float(10 * (number // 8)) for number in range(40)]
    clusters = [number // 8 for number in range(40)]
    plain, clustered = median_interval(values, fresh()), median_interval(values, fresh(), clusters)
    assert plain is not None
    assert clustered is not None
    assert clustered.low < plain.low < plain.high < clustered.high


def test_hull_skips_what_is_not_there() -> None:
    """The hull spans those intervals that exist."""
    assert hull(None, Interval(0.2, 0.4), Interval(0.3, 0.9)) == (0.2, 0.9)


@pytest.mark.parametrize(
    ("clusters", "expected"), [(None, False), (["a", "a"], False), (["a", "b"], False), (["a", "a", "b"], True)]
)
def test_what_counts_as_clustered(clusters: list[str] | None, expected: bool) -> None:
    """One model, or one for each secret, is no clustering."""
    assert is_clustered(clusters) is expected
