"""Tests of the decision about one person: what counts as evidence, and what keeps it from counting."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest

from divulge.metrics.likeness import Likeness
from divulge.metrics.one_person import (
    Decided,
    accused_too_often,
    decided,
    fewest_known_out,
    person_figures,
    smallest_p_value,
    unlike_in,
)
from divulge.records import Verdict


def said(statistic, p_value=None):
    """What an attack says of somebody."""
    return Verdict(secret_id=f"{statistic}", statistic=statistic, p_value=p_value)


def figures(p_value=0.01, known_out=99, controls=(0.5,) * 40, blind=(0.4, 40), alpha=0.05):
    """The figures of a person."""
    judged = None if blind is None else Likeness(blind[1], blind[0], {"topic": blind[0], "rare words": 0.6})
    person = None if p_value is None else said(2.5, p_value)
    tried = [said(0.0, one) for one in controls]
    return person_figures(person, tried, judged, known_out=known_out, alpha=alpha)


def test_the_figures_are_shares_among_people_known_to_be_out():
    """The rate of accusations has an interval."""
    found = {one.metric: one for one in figures(controls=[0.05, 0.04, 0.06, 1.0], blind=(0.75, 3))}
    assert (found["p_value"].value, found["p_value"].n, found["p_value"].arm) == (0.01, 99, "attack")
    assert found["statistic"].value == 2.5
    assert (found["blind_p_value"].value, found["blind_p_value"].n) == (0.75, 3)
    rate = found["false_positive_rate"]
    assert (rate.value, rate.n, rate.arm, dict(rate.group)) == (0.5, 4, "control", {"alpha": 0.05})
    assert 0 < rate.low < 0.5 < rate.high < 1


def test_without_verdicts_there_are_no_values():
    """Nothing is made up."""
    found = {one.metric: one for one in figures(p_value=None, controls=(), blind=None)}
    assert [one.value for one in found.values()] == [None, None, None]
    assert "blind_p_value" not in found


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({}, Decided("member")),
        ({"p_value": 0.05, "known_out": 19}, Decided("member")),
        ({"p_value": 0.06}, Decided("not shown")),
        ({"p_value": 0.06, "blind": None, "controls": ()}, Decided("not shown")),
        ({"p_value": 1 / 19, "known_out": 18}, Decided("inconclusive", ("too few known out",))),
        ({"p_value": None}, Decided("inconclusive", ("no answer",))),
        ({"blind": None}, Decided("inconclusive", ("no blind judge",))),
        ({"blind": (0.5, 18)}, Decided("inconclusive", ("too few controls",))),
        ({"blind": (1 / 41, 40)}, Decided("inconclusive", ("blind",))),
        ({"blind": (3 / 41, 40)}, Decided("member")),
        ({"controls": (0.01,) * 20 + (0.5,) * 20}, Decided("inconclusive", ("miscalibrated",))),
        ({"controls": (0.01,) * 4 + (0.5,) * 36}, Decided("member")),
        ({"blind": None, "controls": (0.01,) * 40}, Decided("inconclusive", ("no blind judge", "miscalibrated"))),
    ],
)
def test_what_is_decided(given, expected):
    """A small p-value is evidence where nothing else explains it; a large one shows nothing."""
    assert decided(figures(**given), 0.05) == expected


def test_traits_are_named_only_where_all_together_stand_out():
    """Of several traits one is often at the edge; the farthest of all decides."""
    assert unlike_in(figures(blind=(0.02, 60)), 0.05) == ("topic",)
    assert unlike_in(figures(blind=(0.06, 60)), 0.05) == ()
    assert unlike_in(figures(blind=None), 0.05) == ()


def test_a_broken_access_decides_nothing():
    """Whatever the figures are."""
    assert decided(figures(), 0.05, broken=True) == Decided("inconclusive", ("broken access",))


def test_alpha_is_the_line():
    """The same p-value is evidence at one and none at the other."""
    assert decided(figures(p_value=0.02), 0.05).decision == "member"
    assert decided(figures(p_value=0.02, alpha=0.01), 0.01).decision == "not shown"


@pytest.mark.parametrize(("alpha", "least"), [(0.05, 19), (0.01, 99), (0.2, 4), (0.3, 3)])
def test_how_many_people_it_takes(alpha, least):
    """The smallest number whose smallest p-value is small enough."""
    assert fewest_known_out(alpha) == least
    assert smallest_p_value(least) <= alpha < smallest_p_value(least - 1)


@pytest.mark.parametrize(("known_out", "controls", "alpha"), [(4, 3, 0.2), (5, 3, 0.4), (3, 4, 0.3), (6, 2, 0.3)])
def test_how_often_so_many_are_accused_by_chance(known_out, controls, alpha):
    """As many as in all orders of so many people, one by one."""
    orders = list(itertools.combinations(range(known_out + controls), controls))  # where controls stand, best first
    for accused in range(controls + 1):
        reached = 0
        for places in orders:
            out = [place for place in range(known_out + controls) if place not in places]
            p_values = [(1 + sum(place < own for place in out)) / (known_out + 1) for own in places]
            reached += sum(one <= alpha + 1e-9 for one in p_values) >= accused
        expected = float(Fraction(reached, len(orders)))
        assert accused_too_often(accused, controls, known_out, alpha) == pytest.approx(expected)
