"""Ratios of sums, against the general bootstrap."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.metrics import ratios
from divulge.metrics.intervals import bootstrap
from divulge.metrics.ratios import ratio, ratio_interval


def sums(units: int, seed: int = 5) -> np.ndarray:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 9, units)
    return np.stack([rng.normal(3, 1, units) * sizes, sizes], axis=1)


def test_a_ratio_is_of_sums() -> None:
    """1 + 3 over 2 + 8, not the mean of 1/2 and 3/8."""
    assert ratio(np.array([[1.0, 2.0], [3.0, 8.0]])) == 0.4


@pytest.mark.parametrize("units", [2, 7, 60])
def test_the_interval_is_that_of_the_general_bootstrap(units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn all at once or in parts, from the same generator, it is what resampling row by row gives."""
    slow = bootstrap(sums(units), ratio, np.random.default_rng(1))
    assert ratio_interval(sums(units), np.random.default_rng(1)) == pytest.approx(slow)
    monkeypatch.setattr(ratios, "CELLS", 50)
    assert ratio_interval(sums(units), np.random.default_rng(1)) == pytest.approx(slow)


def test_the_order_of_units_does_not_matter() -> None:
    """Nor whether two of them share a first column."""
    tied = np.array([[2.0, 3.0], [2.0, 5.0], [1.0, 4.0], [6.0, 7.0]])
    one, other = (ratio_interval(rows, np.random.default_rng(2)) for rows in (tied, tied[[3, 1, 0, 2]]))
    assert one == other
    assert one is not None
    assert one.low < 11 / 19 < one.high


def test_one_unit_has_no_interval() -> None:
    """Nothing can be resampled."""
    assert ratio_interval(sums(1), np.random.default_rng(0)) is None
    assert ratio_interval(np.empty((0, 2)), np.random.default_rng(0)) is None
