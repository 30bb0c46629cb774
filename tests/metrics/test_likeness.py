"""Tests of likeness: whoever differs in one trait, to either side, is found; whoever does not, as seldom as it says."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.metrics.likeness import likeness

TRAITS = ("words", "topic")


def test_shares_by_hand():
    """Middle 2 of 0, 1, 2, 3, 10 and of 5, 5, 5, 5, 5: of five people one is as far as the person, with 8."""
    others = [(0.0, 5.0), (1.0, 5.0), (2.0, 5.0), (3.0, 5.0)]
    found = likeness((10.0, 5.0), others, TRAITS)
    assert found.others == 4
    assert found.of_trait == {"words": pytest.approx(0.2), "topic": pytest.approx(1.0)}
    assert found.p_value == pytest.approx(0.2)
    assert likeness((2.0, 5.0), [(0.0, 5.0), (1.0, 5.0), (10.0, 5.0), (3.0, 5.0)], TRAITS).p_value == pytest.approx(1.0)


@pytest.mark.parametrize("far", [-6.0, 6.0])
def test_both_sides_are_far(far):
    """Too little is as far from the middle as too much, in whatever trait."""
    others = np.random.default_rng(0).normal(size=(60, 2)).tolist()
    for person in ((far, 0.0), (0.0, far)):
        assert likeness(person, others, TRAITS).p_value == pytest.approx(1 / 61)


def test_a_long_tail_does_not_drown_the_other_trait():
    """Incomes differ by thousands, topics by little: who differs in topic is found all the same."""
    rng = np.random.default_rng(1)
    others = np.stack([rng.exponential(size=60) ** 3, rng.normal(size=60)], axis=1).tolist()
    assert likeness((1.0, 9.0), others, TRAITS).of_trait["topic"] == pytest.approx(1 / 61)
    assert likeness((1.0, 60.0), others, TRAITS).p_value <= 2 / 61


def test_a_trait_that_all_but_one_share_tells():
    """Everybody wrote 12 texts, and the person 40."""
    others = [(12.0, float(number)) for number in range(30)]
    assert likeness((40.0, 15.0), others, TRAITS).p_value == pytest.approx(1 / 31)


def test_somebody_like_the_others_is_far_as_seldom_as_it_says():
    """Over 2,000 draws a p-value of 0.1 or less comes 0.1 of the time (standard deviation 0.0067)."""
    rng = np.random.default_rng(2)
    tables = rng.normal(size=(2000, 20, 2))
    small = [likeness(table[0], table[1:].tolist(), TRAITS).p_value <= 0.1 for table in tables]
    assert abs(np.mean(small) - 0.1) < 0.027


def test_nobody_to_compare_with_is_no_likeness():
    """None, and not a p-value of one."""
    assert likeness((1.0, 2.0), [], TRAITS) is None
