"""Tests of the simulation behind the sampling plan, and of the plan as it is written down."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from benchmarks.sampling_plan import (
    KEPT,
    Setting,
    areas,
    clustered,
    coverages,
    draws_for,
    half_width,
    measure,
    plain,
    tables,
)

PAGE = Path(__file__).parent.parent / "docs" / "scaling.md"


def test_the_fewest_draws_that_are_enough_are_found():
    """Exactly where it turns, also at the first."""
    for turn in (1, 2, 3, 381, 4096, 4097):
        assert draws_for(lambda count, turn=turn: count >= turn) == turn
    with pytest.raises(ValueError, match="more than a billion"):
        draws_for(lambda count: False)


def test_half_widths_are_those_of_the_score_interval():
    """At 0.5 and n = 100: 1.96 * sqrt(0.25 / 100 + 1.96^2 / 40000) / (1 + 1.96^2 / 100) = 0.0962."""
    assert half_width(0.5, 100) == pytest.approx(0.0962, abs=5e-5)
    assert half_width(0.5, 400) == pytest.approx(half_width(0.5, 100) / 2, rel=0.03)


def test_the_population_does_not_matter_beside_the_draws():
    """1,000 of ten million or of a billion: as often right, as wide; a whole population drawn is always right."""
    rng = np.random.default_rng(0)
    some, more = (plain(size, 0.5, 1000, 4000, rng) for size in (10**7, 10**9))
    assert some.half == pytest.approx(more.half, rel=0.01)
    assert (some.coverage, more.coverage) == (pytest.approx(0.95, abs=0.015), pytest.approx(0.95, abs=0.015))
    assert plain(1000, 0.3, 1000, 10, rng).coverage == 1.0
    assert plain(10**9, 0.0, 1000, 10, rng).coverage == 1.0


def test_clusters_that_are_taken_for_single_draws_mislead():
    """Intervals as if each stood alone hold the rate far too rarely; with clusters regarded, nearly as they say."""
    both = clustered(0.5, 60, 10, alike=0.3, repeats=120, rng=np.random.default_rng(0))
    assert both.alone.coverage < 0.85
    assert both.regarded.coverage > 0.88
    assert both.regarded.half > 1.5 * both.alone.half


def test_areas_are_held():
    """Of scores that are apart so that the area is 0.8."""
    found = areas(0.8, 200, 200, np.random.default_rng(0))
    assert 0.9 < found.coverage <= 1.0
    assert 0.03 < found.half < 0.06


def test_the_simulation_tells_the_worst_of_each():
    """At a tiny size; what is demanded is 0.93 of 0.95."""
    found = measure("small", Setting(50, 5, 5, 100))
    assert [(ratio.bound, ratio.side) for ratio in found.ratios] == [(0.93, "at least")] * 4
    rates = {what: value for what, value in found.agreement.items() if " of " in what and what.endswith("coverage")}
    assert found.ratios[0].value == min(value for what, value in rates.items() if what.startswith("100 of "))
    assert found.ratios[1].value == min(value for what, value in rates.items() if not what.startswith("100 of "))
    assert len(rates) == 9 + 5 * 3


def test_the_page_shows_the_plan_as_computed():
    """Every line of the tables is in docs/scaling.md, and how often intervals held the truth when it was simulated."""
    page = PAGE.read_text(encoding="utf-8")
    assert [line for line in tables() if line not in page] == []
    found = json.loads(KEPT.read_text(encoding="utf-8"))
    shown = list(coverages(found["agreement"]))
    assert [line for line in shown if line not in page] == []
    assert len(shown) == 2 + 24 + 4 + 1 + 3  # rates, clusters, more of them, areas
    assert all(ratio["met"] for ratio in found["ratios"])


def test_fewer_draws_than_the_plan_advises_are_told_and_not_demanded():
    """Of 100 draws an interval of a rate of 0.01 begins above it from three finds on: P(at most 2 of 100) = 0.9206."""
    few = plain(10**9, 0.01, 100, 4000, np.random.default_rng(0))
    assert few.coverage == pytest.approx(0.9206, abs=0.02)
    found = measure("small", Setting(400, 2, 2, 1000))
    assert found.ratios[1].value > found.agreement["100 of a billion, rate 0.01: coverage"]
