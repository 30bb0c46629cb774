"""Tests of divulge.data.planting.drawing."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.data.canaries import plant
from divulge.data.patterns import parse_pattern
from divulge.data.planting.drawing import PlantingPlan, draw_places, make_planted, toss
from divulge.data.planting.survey import Survey
from divulge.errors import InputError

KEY = b"k" * 32
PLAN = PlantingPlan("my pin is {digit*4}", count=400, seed=3)


def made(plan: PlantingPlan = PLAN, **found: object):
    """Canaries of a plan."""
    return make_planted(plan, parse_pattern(plan.pattern), Survey((), **found), KEY)


def test_coins_are_fair():
    """Of 200 draws of 100 coins half are heads: 10,000 expected, standard deviation 70.7."""
    plans = [PlantingPlan("my pin is {digit*4}", count=100, seed=seed) for seed in range(200)]
    canaries = made(plans[0])
    heads = sum(len(toss(canaries, plan)[0]) for plan in plans)
    assert abs(heads - 10_000) < 5 * 70.8


def test_each_coin_is_its_own():
    """Two neighbours agree in half of 1,000 draws (standard deviation 15.8), and no number of heads is fixed."""
    canaries = made()[:20]
    draws = [{one.id for one in toss(canaries, PlantingPlan("x", seed=seed))[0]} for seed in range(1000)]
    first, second = canaries[0].id, canaries[1].id
    agreed = sum((first in heads) == (second in heads) for heads in draws)
    assert abs(agreed - 500) < 5 * 15.9
    assert {len(heads) for heads in draws} >= {8, 9, 10, 11, 12}


def test_coins_and_ids_know_nothing_of_the_texts():
    """Another pattern with the same seed gives the same coins; ids stay if only the answers differ."""
    other = PlantingPlan("my code is {letter*4}", count=400, seed=3)
    ids = [one.id for one in made()]
    fallen = [
        [one in heads for one in canaries]
        for plan in (PLAN, other)
        for canaries in [made(plan)]
        for heads in [toss(canaries, plan)[0]]
    ]
    assert fallen[0] == fallen[1]
    reseeded = PlantingPlan(PLAN.pattern, count=400, seed=4)
    assert [one.id for one in made(reseeded)] == ids
    assert [one.answer for one in made(reseeded)] != [one.answer for one in made()]


def test_without_a_seed_nothing_can_be_drawn_again():
    """Neither canaries nor coins."""
    plan = PlantingPlan(PLAN.pattern, count=50)
    assert [one.answer for one in made(plan)] != [one.answer for one in made(plan)]
    assert plan.drawing("coins").integers(0, 2**60) != plan.drawing("coins").integers(0, 2**60)


def test_no_canary_is_in_the_data_already():
    """What the data holds is not drawn; if too little is left, that is said."""
    plan = PlantingPlan("pin {digit}", count=7, seed=0)
    taken = {("pin", digit) for digit in "012"}
    answers = {one.answer.tokens[0] for one in made(plan, taken=taken)}
    assert answers == set("3456789")
    with pytest.raises(InputError, match=r"allows 10 different canaries, of which the data holds 4 already, and 7 are"):
        made(plan, taken={*taken, ("pin", "3")})
    with pytest.raises(InputError, match=r"allows 10 different canaries, and 11 are"):
        made(PlantingPlan("pin {digit}", count=11, seed=0))


def test_tags_are_those_of_the_data():
    """In its scheme; O tags nothing."""
    tagged = PlantingPlan("pin {digit*2}", tag="NUM", count=2, seed=0)
    assert made(tagged, tagged=True, tags={"O", "I-NUM"})[0].hint.tags == ("O", "I-NUM", "I-NUM")
    outside = PlantingPlan("pin {digit*2}", tag="O", count=2, seed=0)
    assert made(outside, tagged=True, tags={"O"})[0].hint.tags == ("O", "O", "O")
    assert made()[0].hint.tags is None


def test_coins_that_all_fall_alike_are_refused():
    """As one coin always does."""
    with pytest.raises(InputError, match="all 1 coins fell the same way"):
        toss(made()[:1], PLAN)


def test_places_are_uniform_over_all_gaps():
    """Three records have four gaps: of 8,000 copies 2,000 each, standard deviation 38.7; gap 0 is the first file's."""
    plan = PlantingPlan(PLAN.pattern, count=400, copies=40, seed=5)
    plantings = plant(made(plan)[:200], 40)
    gaps = draw_places(plan, Survey((), counts=[0, 1, 2, 0]), plantings)
    assert gaps[0] == gaps[3] == {}
    times = [len(gaps[1][0]), len(gaps[1][1]), len(gaps[2][1]), len(gaps[2][2])]
    assert sum(times) == 8000
    assert all(abs(seen - 2000) < 5 * 38.8 for seen in times)
    put = [one.secret_id for places in gaps for copies in places.values() for one in copies]
    assert np.unique(put, return_counts=True)[1].tolist() == [40] * 200


def test_the_spec_tells_how_they_were_made():
    """A coin for each of count and controls together."""
    spec = PlantingPlan("pin {digit}", count=7, copies=3, label="L", tag="T").spec()
    assert (spec.coin, spec.count + spec.controls, spec.copies, spec.label, spec.tag) == (True, 7, 3, "L", "T")
