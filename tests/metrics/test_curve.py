"""The ROC curve of records at few false alarms, by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from divulge.metrics.base import Scored
from divulge.metrics.curve import RATES, TruePositiveCurve
from divulge.metrics.intervals import wilson
from divulge.metrics.roc import true_positive_rate
from divulge.records import Measurement, Member, RecordText, UserTexts, Verdict


def records(members: list[float | None], others: list[float | None], models: int = 0) -> Scored:
    """Members m0, m1, … and others o0, o1, … with their statistics; None for no verdict."""
    found = {f"m{i}": value for i, value in enumerate(members)} | {f"o{i}": value for i, value in enumerate(others)}
    return Scored(
        answers={name: Member(used=name.startswith("m")) for name in found},
        hints={name: RecordText(tokens=(name,)) for name in found},
        guesses={name: Verdict(secret_id=name, statistic=value) for name, value in found.items() if value is not None},
        clusters={name: str(i % models) for i, name in enumerate(found)} if models else {},
    )


def curve(scored: Scored) -> dict[float, Measurement]:
    metric = TruePositiveCurve()
    found = metric.measure(scored, metric.outcomes(scored), "attack", np.random.default_rng(0))
    return {one.group["fpr"]: one for one in found}


def test_each_rate_has_a_figure_if_one_other_may_be_accused() -> None:
    """Of a hundred others 1 % is one; 0.3 % is none. Ten thousand others allow the whole curve; three allow none."""
    assert list(curve(records([1.0], [0.0] * 100))) == [0.01, 0.03, 0.1, 0.3]
    assert list(curve(records([1.0], [0.0] * 10_000))) == list(RATES)
    assert curve(records([1.0], [0.0] * 3)) == {}
    assert curve(records([], [0.0] * 100)) == {}


def test_the_curve_by_hand() -> None:
    """Others 0 to 99: at 1 % the second highest, 98, must be exceeded; at 10 % the eleventh, 89; at 30 % 69."""
    members = [50.5, 70.5, 90.5, 98.5]
    found = curve(records(members, [float(number) for number in range(100)]))
    assert [one.value for one in found.values()] == [0.25, 0.25, 0.5, 0.75]
    # Of 100 others, 5 to 16 exceed the true threshold at 10 % (binomial): it lies between 83 and 95, where 2 and 1 of 4
    # members are beyond it.
    assert (found[0.1].low, found[0.1].high, found[0.1].n) == pytest.approx((wilson(1, 4)[0], wilson(2, 4)[1], 4))
    assert found[0.01].low == 0.0  # the true threshold at 1 % may lie above all of them


def test_its_intervals_hold_what_is_true() -> None:
    """Members one standard deviation above 500 others: in at least nine of ten draws the true rate is inside."""
    from scipy.stats import norm

    rng, inside = np.random.default_rng(3), {0.01: 0, 0.1: 0}
    for _ in range(60):
        found = curve(records(rng.normal(1, 1, 200).tolist(), rng.normal(0, 1, 500).tolist()))
        for rate in inside:
            truth = norm.sf(norm.isf(rate) - 1)
            inside[rate] += found[rate].low <= truth <= found[rate].high
    assert min(inside.values()) >= 54


def test_it_agrees_with_the_single_figures() -> None:
    """At each rate the share of members caught; it never falls as more alarms are allowed."""
    rng = np.random.default_rng(1)
    members, others = rng.normal(1, 1, 300).tolist(), rng.normal(0, 1, 1000).tolist()
    found = curve(records(members, others))
    for rate, one in found.items():
        assert one.value == pytest.approx(true_positive_rate(members, others, rate))
    values = [one.value for one in found.values()]
    assert values == sorted(values)
    assert len(values) == 6


def test_the_risk_of_a_record_is_the_share_of_others_below_it() -> None:
    """3 is above both others, 1 above none: a tie counts against the attack; others have no risk, nor has silence."""
    outcomes = TruePositiveCurve().outcomes(records([3.0, 1.0, None], [2.0, 1.0]))
    assert [one.value for one in outcomes] == [1.0, 0.0, 0.0, 0.0, 0.0]


def test_each_model_has_a_threshold_and_others_of_its_own() -> None:
    """Two models 1,000 apart: members are compared with the others of their model alone."""
    members = [150.0, 1000.0, 150.0, 1150.0]  # m0, m2 of model 0; m1, m3 of model 1
    others = [1000.0 * (number % 2) + number // 2 for number in range(200)]
    scored = records(members, others, models=2)
    assert curve(scored)[0.01].value == 0.75
    assert [one.value for one in TruePositiveCurve().outcomes(scored)][:4] == [1.0, 0.0, 1.0, 1.0]


def test_chance_is_that_of_the_estimator() -> None:
    """Of 100 others one may be accused at 1 %: a member like them is caught with chance 2 / 101; at 30 %, 31 / 101."""
    found = {one.group["fpr"]: one.value for one in TruePositiveCurve().baseline(records([0.0], [0.0] * 100))}
    assert found == {0.01: pytest.approx(2 / 101), 0.03: pytest.approx(4 / 101), 0.1: 11 / 101, 0.3: 31 / 101}


def test_it_is_about_records_alone() -> None:
    """People have figures of their own."""
    scored = records([1.0], [0.0] * 100)
    people = Scored(answers=scored.answers, hints=dict.fromkeys(scored.answers, UserTexts(examples=())))
    assert TruePositiveCurve().applies(scored)
    assert not TruePositiveCurve().applies(people)


def test_a_tie_with_the_threshold_is_no_catch() -> None:
    """98 is not above the second highest of 0 to 99."""
    assert curve(records([98.0], [float(number) for number in range(100)]))[0.01].value == 0.0


def test_the_smallest_model_limits_the_curve() -> None:
    """One model has a hundred others, one twenty: 10 % is the least rate at which both may accuse somebody."""
    scored = records([1.0, 1.0], [0.0] * 120)
    models = {name: "1" if name in {"m1", *(f"o{number}" for number in range(20))} else "0" for name in scored.answers}
    assert list(curve(replace(scored, clusters=models))) == [0.1, 0.3]
