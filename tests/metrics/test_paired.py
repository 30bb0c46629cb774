"""Paired tests against hand-worked values and scipy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from divulge.metrics.paired import mcnemar, paired_difference, paired_values, sign_flip
from divulge.records import Outcome


def fresh(seed: int = 0) -> np.random.Generator:
    """A generator of its own for each call."""
    return np.random.default_rng(seed)


def test_mcnemar_by_hand() -> None:
    """One pair against eight: twice the chance of at most one head in nine tosses."""
    first = [1] + [0] * 8 + [1, 1, 0]
    second = [0] + [1] * 8 + [1, 1, 0]
    # 2 x (1 + 9) / 512
    assert mcnemar(first, second) == pytest.approx(0.0390625)


def test_mcnemar_sees_only_pairs_that_differ() -> None:
    """Attacks that agree everywhere, and attacks that win equally often, do not differ."""
    assert mcnemar([1, 0, 1], [1, 0, 1]) == 1.0
    assert mcnemar([1, 0], [0, 1]) == 1.0


def test_sign_flip_by_hand() -> None:
    """Of the eight sign patterns of 1, 2, 3 only two are as extreme as the observed one."""
    assert sign_flip([1.0, 2.0, 3.0], fresh()) == 0.25


def test_sign_flip_flips_whole_clusters() -> None:
    """Two models with sums 2 and 4 have four patterns, of which two reach 6."""
    assert sign_flip([1.0, 1.0, 2.0, 2.0], fresh(), ["a", "a", "b", "b"]) == 0.5


def test_sign_flip_agrees_with_scipy_on_many_pairs() -> None:
    """The sampled p-value is that of scipy's permutation test of paired samples."""
    first, second = fresh(1).normal(0.25, 1, 40), fresh(2).normal(0, 1, 40)
    theirs = stats.permutation_test(
        (first, second),
        lambda x, y: np.mean(x - y),
        permutation_type="samples",
        n_resamples=9999,
        rng=fresh(3),
    )
    assert sign_flip(first - second, fresh()) == pytest.approx(theirs.pvalue, abs=0.02)


def test_sampled_p_values_are_never_zero() -> None:
    """However clear the difference, the observed pattern is one of those that are possible."""
    assert sign_flip([1.0] * 60, fresh(), draws=99) == 0.01


def test_paired_difference_of_rates() -> None:
    """Zeros and ones get McNemar's p-value and the difference of the two rates."""
    first, second = [1] * 9 + [0] * 11, [1] + [0] * 19
    found = paired_difference(first, second, fresh())
    assert found is not None
    assert found.value == pytest.approx(0.4)
    assert found.n == 20
    assert found.p_value == pytest.approx(2 / 256)  # eight wins against none
    assert 0 < found.low < 0.4 < found.high < 1


def test_paired_difference_of_real_values_uses_sign_flips() -> None:
    """Values between zero and one are no coins; here all 2^3 patterns count."""
    found = paired_difference([0.3, 0.5, 0.9], [0.2, 0.3, 0.6], fresh())
    assert found is not None
    assert found.p_value == 0.25
    assert found.value == pytest.approx(0.2)


def test_shared_models_weaken_the_evidence() -> None:
    """Twenty wins in two models are two coins, not twenty."""
    clusters = [number // 10 for number in range(20)]
    found = paired_difference([1] * 20, [0] * 20, fresh(), clusters)
    assert found is not None
    assert found.p_value == 0.5


def test_no_difference_at_all_has_some_width() -> None:
    """Attacks alike on ten secrets may still differ on others."""
    found = paired_difference([1] * 10, [1] * 10, fresh())
    assert found is not None
    assert found.value == 0
    assert found.low == pytest.approx(-0.27753, abs=1e-5)  # wilson(0, 10).high
    assert found.high == pytest.approx(0.27753, abs=1e-5)


def test_nothing_to_compare_is_none() -> None:
    """Without pairs there is no test."""
    assert mcnemar([], []) is None
    assert sign_flip([], fresh()) is None
    assert paired_difference([], [], fresh()) is None


def test_pairs_must_match() -> None:
    """Values of different secrets are not silently paired."""
    with pytest.raises(ValueError, match="one to one"):
        mcnemar([1, 0], [1])


def test_outcomes_are_paired_by_secret() -> None:
    """Only secrets that both attacks have are compared, whatever their order."""
    first = [Outcome(secret_id=name, metric="m", value=value) for name, value in (("c", 3.0), ("a", 1.0), ("x", 9.0))]
    second = [Outcome(secret_id=name, metric="m", value=value) for name, value in (("a", 10.0), ("c", 30.0))]
    names, ours, theirs = paired_values(first, second)
    assert names == ("a", "c")
    assert ours.tolist() == [1.0, 3.0]
    assert theirs.tolist() == [10.0, 30.0]
