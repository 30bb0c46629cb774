"""Rank and exposure against hand-worked values, scipy's skew-normal and a space scored in full."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from divulge.metrics import exposure
from divulge.metrics.exposure import (
    SkewNormal,
    exact_exposure,
    expected_exposure,
    expected_rank,
    extrapolated_exposure,
    fit_skew_normal,
    log_tail,
    rank_among,
    standing,
    tail_is_credible,
)


def test_rank_counts_ties_against_the_attack() -> None:
    """Decoys that score the same come before the truth."""
    assert rank_among(2.0, [3.0, 2.0, 2.0, 1.0]) == 4
    assert rank_among(4.0, [3.0, 2.0]) == 1
    assert rank_among(1.0, []) == 1


def test_scores_that_are_no_number_count_against_the_attack() -> None:
    """NaN never helps, neither as the truth's score nor as a decoy's."""
    assert rank_among(math.nan, [3.0, 2.0]) == 3
    assert rank_among(2.0, [math.nan, 1.0]) == 2


def test_exact_standing_by_hand() -> None:
    """Second of eight is log2(8) - log2(2) = 2 bits."""
    found = standing("s", 5.0, [9.0, 4.0, 4.0, 3.0, 2.0, 1.0, 0.0], 8, exact=True)
    assert (found.rank, found.among, found.space, found.exposure) == (2, 8, 8, 2.0)
    assert found.extrapolated is False


def test_exact_needs_the_whole_space() -> None:
    """A sample of decoys cannot pass for all of them."""
    with pytest.raises(ValueError, match="2 of 9"):
        standing("s", 1.0, [0.0, 0.0], 10, exact=True)


def test_the_last_rank_exposes_nothing() -> None:
    """A constant score is worth zero bits, exact or extrapolated."""
    assert standing("s", 0.0, [0.0] * 99, 100, exact=True).exposure == 0
    assert standing("s", 0.0, [0.0] * 99, 10**6, exact=False).exposure == 0


def test_losses_near_zero_are_told_apart() -> None:
    """Scores that differ in the fifteenth digit are no ties."""
    assert rank_among(-1e-15, [-2e-15, -3e-15]) == 1


@pytest.mark.parametrize("shape", [-6.0, -1.5, 0.0, 0.8, 5.0])
@pytest.mark.parametrize("place", [-4.0, -0.5, 0.7, 2.0, 3.0])
def test_tail_agrees_with_scipy(shape: float, place: float) -> None:
    """Where scipy's tail is reliable it is ours."""
    theirs = stats.skewnorm.sf(3.0 + 2.0 * place, shape, loc=3.0, scale=2.0)
    if theirs > 1e-9:
        assert log_tail(SkewNormal(3.0, 2.0, shape), 3.0 + 2.0 * place) == pytest.approx(math.log(theirs), abs=1e-6)


@pytest.mark.parametrize("place", [3.5, 6.0, 15.0, 40.0, 200.0])
def test_far_tail_without_skew_is_the_normal_one(place: float) -> None:
    """With shape 0 the tail is the normal distribution's, far beyond underflow."""
    assert log_tail(SkewNormal(0.0, 1.0, 0.0), place) == pytest.approx(stats.norm.logsf(place), abs=1e-6)


@pytest.mark.parametrize(("shape", "place"), [(2.0, 9.0), (-2.0, 5.0), (-1.0, 12.0), (4.0, 45.0)])
def test_far_tail_agrees_with_quadrature(shape: float, place: float) -> None:
    """Integrating the density relative to its first value gives the same."""

    def log_density(x: float) -> float:
        return float(math.log(2) + stats.norm.logpdf(x) + stats.norm.logcdf(shape * x))

    area, _ = integrate.quad(lambda t: math.exp(log_density(place + t) - log_density(place)), 0, 3, limit=200)
    expected = log_density(place) + math.log(area)
    assert log_tail(SkewNormal(0.0, 1.0, shape), place) == pytest.approx(expected, abs=1e-5)


@given(st.floats(-8, 8), st.floats(-30, 30), st.floats(0.01, 5))
def test_tail_falls_and_never_breaks(shape: float, place: float, step: float) -> None:
    """A higher score is never more likely, and the logarithm is always a number."""
    near, far = (log_tail(SkewNormal(0.0, 1.0, shape), at) for at in (place, place + step))
    assert math.isfinite(far)
    assert far <= near + 1e-7
    assert near <= 1e-12


@pytest.mark.parametrize("shape", [-4.0, 1.0, 3.0])
def test_fit_finds_the_distribution_behind_a_large_sample(shape: float) -> None:
    """Location, scale and shape come back from 20,000 draws."""
    sample = stats.skewnorm.rvs(shape, loc=-7, scale=3, size=20_000, random_state=np.random.default_rng(5))
    assert fit_skew_normal(sample) == pytest.approx((-7, 3, shape), rel=0.1)


@pytest.mark.parametrize("seed", range(4))
def test_fit_is_as_likely_as_that_of_scipy(seed: int) -> None:
    """No other parameters make a small sample notably likelier."""
    sample = np.random.default_rng(seed).normal(loc=5, scale=0.01, size=60)
    fitted, (shape, location, scale) = fit_skew_normal(sample), stats.skewnorm.fit(sample)
    ours = stats.skewnorm.logpdf(sample, fitted.shape, fitted.location, fitted.scale).sum()
    assert ours >= stats.skewnorm.logpdf(sample, shape, location, scale).sum() - 0.01


def test_fit_survives_more_skew_than_the_family_has() -> None:
    """An exponential sample (skewness 2) is fitted with a steep member of the family."""
    fitted = fit_skew_normal(np.random.default_rng(0).exponential(size=500))
    assert all(math.isfinite(part) for part in fitted)
    assert fitted.shape > 5


@pytest.mark.parametrize("shape", [-3.0, 0.0, 3.0])
def test_extrapolated_agrees_with_the_true_chance(shape: float) -> None:
    """A score that one completion in 2^14 reaches is worth 14 bits, seen from a thousand decoys at a time."""
    rng = np.random.default_rng(11)
    truth = float(stats.skewnorm.isf(2.0**-14, shape))
    bits = []
    for _ in range(12):
        found = standing("s", truth, stats.skewnorm.rvs(shape, size=1000, random_state=rng), 10**9, exact=False)
        assert found.extrapolated is True
        bits.append(found.exposure)
    assert np.mean(bits) == pytest.approx(14, abs=1)


SPACE_BITS = 18


@pytest.mark.parametrize("bits", [18, 14, 10, 8])
@pytest.mark.parametrize(
    "scores",
    [
        lambda rng, n: 1 / (1 + np.exp(-rng.normal(-6, 2, n))),  # probabilities
        lambda rng, n: np.exp(rng.normal(0, 2, n)),
        lambda rng, n: rng.standard_t(3, n),
        lambda rng, n: rng.gamma(2, size=n),
    ],
)
def test_other_distributions_are_not_overstated(scores, bits: int) -> None:
    """Scores with tails of their own: a completion of known rank in its space never seems much rarer than it is."""
    rng = np.random.default_rng(2)
    space = np.sort(scores(rng, 2**SPACE_BITS))[::-1]
    truth = float(space[2 ** (SPACE_BITS - bits) - 1])
    found = [extrapolated_exposure(truth, rng.choice(space[space != truth], 1000), 2**SPACE_BITS) for _ in range(8)]
    assert np.mean(found) <= bits + 1.5


@pytest.mark.parametrize("seed", range(5))
def test_a_tail_is_believed_only_if_the_best_decoys_look_like_it(seed: int) -> None:
    """The right distribution is believed, one of half the width is not, nor a bell for a heavy tail."""
    sample = np.random.default_rng(seed).normal(size=1000)
    assert tail_is_credible(SkewNormal(0.0, 1.0, 0.0), sample)
    assert tail_is_credible(SkewNormal(0.0, 1.5, 0.0), sample)  # too thick: can only understate
    assert not tail_is_credible(SkewNormal(0.0, 0.5, 0.0), sample)
    heavy = np.random.default_rng(seed).standard_t(3, 1000)
    assert not tail_is_credible(fit_skew_normal(heavy), heavy)


@pytest.mark.parametrize("ahead", [1, 4, 9])
def test_decoys_ahead_of_the_truth_limit_what_a_fit_may_add(monkeypatch: pytest.MonkeyPatch, ahead: int) -> None:
    """Even of a tail that is far too thin no more is believed than the exact interval of the share ahead leaves."""
    monkeypatch.setattr(exposure, "tail_is_credible", lambda fitted, scores: True)
    decoys = [*np.random.default_rng(4).normal(size=1000 - ahead), *np.linspace(8, 9, ahead)]
    least = stats.binomtest(ahead, 1000).proportion_ci(0.95, "exact").low
    assert extrapolated_exposure(7.9, decoys, 10**12) == pytest.approx(-math.log2(least))


def test_exposure_never_exceeds_the_space() -> None:
    """A truth hundreds of deviations ahead is first in its space, no more."""
    decoys = np.random.default_rng(0).normal(size=500)
    assert extrapolated_exposure(1e6, decoys, 10**8) == pytest.approx(math.log2(10**8))
    assert extrapolated_exposure(math.inf, decoys, 10**8) == pytest.approx(math.log2(501))


def test_extrapolated_grows_with_the_score() -> None:
    """Standing further ahead of the same decoys exposes more."""
    decoys = np.random.default_rng(0).normal(size=500)
    values = [extrapolated_exposure(score, decoys, 10**30) for score in (3.5, 5.0, 7.0)]
    assert values == sorted(values)
    assert values[0] < values[2]


def test_without_ground_for_a_fit_the_rank_counts() -> None:
    """Few decoys, equal decoys or a truth in mid-field leave the rank among the decoys."""
    assert extrapolated_exposure(9.0, [1.0, 2.0, 3.0], 10**9) == 2.0  # first of four
    assert extrapolated_exposure(9.0, [1.0] * 511, 10**9) == 9.0  # first of 512
    middle = [*range(31, 47), *np.linspace(-1, 0, 495)]  # 16 ahead: 17th of 512
    assert extrapolated_exposure(1.0, middle, 10**9) == pytest.approx(math.log2(512 / 17))


def test_a_bad_fit_never_hides_what_the_sample_shows() -> None:
    """Scores in two far clumps, the truth ahead of all 1,000: at least log2(1001) bits, whatever a bell says."""
    clumps = [*np.random.default_rng(0).normal(0, 0.01, 700), *np.random.default_rng(1).normal(5, 0.01, 300)]
    assert extrapolated_exposure(5.2, clumps, 10**9) >= math.log2(1001)


def test_impossible_decoys_thin_the_tail() -> None:
    """If half the decoys score minus infinity, the tail of the others is halved: one bit more."""
    decoys = np.random.default_rng(0).normal(size=400)
    half = np.concatenate([decoys, np.full(400, -np.inf)])
    assert extrapolated_exposure(4.0, half, 10**9) == pytest.approx(extrapolated_exposure(4.0, decoys, 10**9) + 1)


def test_chance_exposure_by_hand() -> None:
    """With four completions the mean over ranks 1 to 4 is 2 - log2(24)/4."""
    assert expected_exposure(4) == pytest.approx(2 - math.log2(24) / 4)
    assert expected_exposure(1) == 0


@given(st.integers(1, 3000))
def test_chance_exposure_is_the_mean_over_all_ranks(space: int) -> None:
    """The closed form is the plain average."""
    average = sum(exact_exposure(rank, space) for rank in range(1, space + 1)) / space
    assert expected_exposure(space) == pytest.approx(average, abs=1e-9)


def test_chance_exposure_of_a_huge_space() -> None:
    """It tends to 1/ln 2 without overflowing."""
    assert expected_exposure(10**400) == pytest.approx(1 / math.log(2))
    assert expected_exposure(10**12) == pytest.approx(1 / math.log(2), abs=1e-9)


def test_chance_rank_by_hand() -> None:
    """The mean of 1, 2, 3, 4 is 2.5."""
    assert expected_rank(4) == 2.5
