"""Tests of intervals at another confidence: near the exact formula, never outside what is possible."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.sample import figure

from divulge.gate.confidence import ends_at, stretch

QUANTILES = {
    0.8: 1.281552,
    0.9: 1.644854,
    0.95: 1.959964,
    0.99: 2.575829,
    0.999: 3.290527,
}  # of the normal distribution


def wilson_at(successes: int, n: int, z: float) -> tuple[float, float]:
    """Wilson's interval at any quantile, as the textbook has it."""
    rate = successes / n
    centre, half = rate + z * z / (2 * n), z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n))
    return (centre - half) / (1 + z * z / n), (centre + half) / (1 + z * z / n)


@pytest.mark.parametrize(("confidence", "quantile"), QUANTILES.items())
def test_the_stretch_is_the_ratio_of_quantiles(confidence, quantile):
    """To that of 95 %."""
    assert stretch(confidence) == pytest.approx(quantile / 1.959964, abs=1e-5)


@pytest.mark.parametrize("n", [40, 100, 400])
@pytest.mark.parametrize("confidence", [0.8, 0.9, 0.99, 0.999])
def test_shares_come_near_wilsons_interval(n, confidence):
    """Within two hundredths for some tens of secrets at any share; the more secrets, the nearer."""
    for successes in range(0, n + 1, n // 20):
        low, high = wilson_at(successes, n, QUANTILES[0.95])
        kept = figure("accuracy", successes / n, max(low, 0.0), min(high, 1.0), n)
        found, exact = ends_at(kept, confidence), wilson_at(successes, n, QUANTILES[confidence])
        allowed = 0.06 if confidence == 0.999 else 0.02
        assert found == pytest.approx(exact, abs=allowed * 40 / n + 1e-3)


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(0.5, 0.999),
    st.floats(0.5, 0.999),
)
def test_more_confidence_is_wider_and_a_share_stays_a_share(value, down, up, one, other):
    """The value stays inside."""
    kept = figure("accuracy", value, value * down, value + (1 - value) * up)
    (low, high), (wider_low, wider_high) = (ends_at(kept, at) for at in sorted((one, other)))
    assert 0 <= wider_low <= low + 1e-12
    assert high - 1e-12 <= wider_high <= 1
    assert low - 1e-9 <= value <= high + 1e-9


def test_other_figures_are_stretched_as_they_are():
    """8 - (8 - 7) * 1.3142 and 8 + (10 - 8) * 1.3142, for 99 %."""
    assert ends_at(figure("exposure", 8.0, 7.0, 10.0), 0.99) == pytest.approx((6.68578, 10.62845), abs=1e-4)


def test_what_results_hold_is_not_touched():
    """At 95 % to the last bit; an end that is not there stays away; no value, no stretch."""
    kept = figure("accuracy", 0.1 + 0.2, 0.1, 0.7)
    assert ends_at(kept, 0.95) == (0.1, 0.7)
    assert ends_at(figure("exposure", 2.0, 1.0, None), 0.9)[1] is None
    assert ends_at(figure("accuracy", 0.5, None, 0.6), 0.9)[0] is None
    assert ends_at(figure("accuracy", None, None, None), 0.9) == (None, None)


def test_a_share_outside_its_bounds_is_stretched_as_it_is():
    """A similarity below zero has no arcsine."""
    assert ends_at(figure("cosine", -0.1, -0.2, 0.0), 0.99) == pytest.approx((-0.23142, 0.03142), abs=1e-4)
