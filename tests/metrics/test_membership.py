"""Membership figures over people, by hand and against scikit-learn."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

from divulge.metrics.base import Scored
from divulge.metrics.intervals import wilson
from divulge.metrics.membership import (
    AreaUnderCurve,
    Precision,
    RareTruePositiveRate,
    Recall,
    TruePositiveRate,
    about_records,
    false_alarms,
)
from divulge.metrics.roc import auc_interval, pooled_auc_interval, true_positive_rate
from divulge.records import Measurement, Member, RecordText, UserTexts, Verdict


def people(members: list[float | None], others: list[float | None], models: int = 0) -> Scored:
    """Members m0, m1, … and others o0, o1, … with their statistics; None for no verdict."""
    found = {f"m{i}": value for i, value in enumerate(members)} | {f"o{i}": value for i, value in enumerate(others)}
    return Scored(
        answers={name: Member(used=name.startswith("m")) for name in found},
        hints=dict.fromkeys(found, UserTexts(examples=())),
        guesses={name: Verdict(secret_id=name, statistic=value) for name, value in found.items() if value is not None},
        clusters={name: str(i % models) for i, name in enumerate(found)} if models else {},
    )


def measured(metric, scored: Scored) -> Measurement:
    """The one figure of a metric."""
    (found,) = metric.measure(scored, metric.outcomes(scored), "attack", np.random.default_rng(0))
    return found


@settings(max_examples=30)  # scikit-learn is slow
@given(
    st.lists(st.integers(-2, 2).map(float), min_size=1, max_size=12),
    st.lists(st.integers(-2, 2).map(float), min_size=1, max_size=12),
)
def test_precision_and_recall_agree_with_sklearn(members: list[float], others: list[float]) -> None:
    """Above zero means "used"; precision without anybody accused does not exist."""
    truth = [1] * len(members) + [0] * len(others)
    said = [int(value > 0) for value in members + others]
    scored = people(list(members), list(others))
    assert measured(Recall(), scored).value == pytest.approx(recall_score(truth, said))
    if any(said):
        assert measured(Precision(), scored).value == pytest.approx(precision_score(truth, said))
    else:
        assert measured(Precision(), scored).value is None


def test_precision_is_not_recall() -> None:
    """Three of four members found, one of five others accused."""
    scored = people([1, 1, 1, -1], [1, -1, -1, -1, -1])
    assert measured(Precision(), scored).value == 0.75
    assert measured(Recall(), scored).value == 0.75
    scored = people([1, -1, -1, -1], [-1, -1, -1, -1, -1])
    found = measured(Precision(), scored)
    assert (found.value, found.low, found.high, found.n) == pytest.approx((1.0, *wilson(1, 1), 1))
    assert measured(Recall(), scored).value == 0.25
    assert (measured(Recall(), scored).low, measured(Recall(), scored).high) == pytest.approx(wilson(1, 4))


def test_false_alarms_are_of_all_who_were_not_used() -> None:
    """Two of four others lie above the line, one of whom got no verdict; members do not count."""
    (found,) = false_alarms(people([1.0, 2.0, -1.0], [0.5, -0.5, None, 0.0]), np.random.default_rng(0))
    assert (found.metric, found.arm, found.value, found.n) == ("false_positive_rate", "attack", 0.5, 4)
    assert (found.low, found.high) == pytest.approx(wilson(2, 4))
    (nobody,) = false_alarms(people([1.0], []), np.random.default_rng(0))
    assert (nobody.value, nobody.n) == (None, 0)


def test_false_alarms_are_those_of_people() -> None:
    """Of records, true positives at rare false alarms say it; of no secrets there are none."""
    scored = people([1.0], [0.5])
    records = replace(scored, hints=dict.fromkeys(scored.hints, RecordText(tokens=("a",))))
    assert false_alarms(records, np.random.default_rng(0)) == ()
    assert false_alarms(people([], []), np.random.default_rng(0)) == ()


def test_an_attack_that_accuses_nobody_has_no_precision() -> None:
    """Null, with no interval, rather than 0 or 1."""
    found = measured(Precision(), people([-1, -1], [-1]))
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)


def test_auc_over_people() -> None:
    """The area and Newcombe's interval; outcomes of members average to the area, those of others too."""
    scored = people([3, 1], [2, 1])
    found = measured(AreaUnderCurve(), scored)
    assert (found.value, found.low, found.high) == pytest.approx((0.625, *auc_interval(0.625, 2, 2)))
    # 3 beats both; 1 ties with 1 and loses to 2; 2 loses to 3 and beats 1; 1 loses to 3 and ties with 1
    assert [outcome.value for outcome in AreaUnderCurve().outcomes(scored)] == [1.0, 0.25, 0.5, 0.75]


def test_one_kind_alone_has_no_area() -> None:
    """Only members: null."""
    scored = people([1, 2], [])
    assert measured(AreaUnderCurve(), scored).value is None
    assert [outcome.value for outcome in AreaUnderCurve().outcomes(scored)] == [0.5, 0.5]
    assert measured(Recall(), people([], [1])).value is None


def test_silence_is_the_worst_statistic() -> None:
    """A member nobody speaks of is missed, an other nobody speaks of is accused."""
    scored = people([1, None], [-1, None])
    assert measured(Recall(), scored).value == 0.5
    assert measured(Precision(), scored).value == 0.5
    # pairs won: 1 > -1 only
    assert measured(AreaUnderCurve(), scored).value == 0.25
    assert [outcome.value for outcome in Recall().outcomes(scored)] == [1.0, 0.0, 1.0, 0.0]


def test_rare_false_alarms_need_a_hundred_others() -> None:
    """With ninety-nine the figure is null, with a hundred it is there."""
    members = [50.5, 98.5, 99.5, 120.0]
    absent = measured(TruePositiveRate(), people(members, list(range(99))))
    assert (absent.value, absent.low, absent.high, absent.n) == (None, None, None, 4)
    # one other of a hundred may be accused: the threshold is the second highest, 98
    scored = people(members, list(range(100)))
    found = measured(TruePositiveRate(), scored)
    assert found.value == 0.75
    outcomes = [outcome.value for outcome in TruePositiveRate().outcomes(scored)]
    assert outcomes == [0.0, 1.0, 1.0, 1.0] + [1.0] * 99 + [0.0]


def test_doubt_about_the_threshold_widens_the_interval() -> None:
    """Members just above the second highest other depend on that one: more doubt than Wilson's alone."""
    found = measured(TruePositiveRate(), people([98.5] * 200, list(range(100))))
    plain = wilson(200, 200)
    assert plain is not None
    assert found.value == 1.0
    assert found.low is not None
    assert found.low == 0.0 < plain.low


def test_shared_models_widen_every_figure() -> None:
    """Where one model tells everything and the other nothing, pooled figures are less certain."""
    members = [5.0, -5.0] * 60
    others = [-5.0, 5.0] * 60
    for metric in (AreaUnderCurve(), Precision(), Recall()):
        plain, clustered = (
            measured(metric, people(members, others)),
            measured(metric, people(members, others, models=2)),
        )
        assert plain.value == clustered.value
        assert None not in (plain.low, plain.high, clustered.low, clustered.high)
        assert clustered.low < plain.low < plain.high < clustered.high


def test_n_is_the_number_behind_the_interval() -> None:
    """Of four members and 150 others, seven are accused: precision rests on these, recall on the members."""
    scored = people([1, 1, -1, -1], [1.0] * 5 + [-1.0] * 145)
    metrics = (AreaUnderCurve(), Precision(), Recall(), TruePositiveRate())
    assert [measured(metric, scored).n for metric in metrics] == [154, 7, 4, 4]
    assert [metric.baseline(scored)[0].n for metric in metrics] == [154, 154, 4, 4]


def five_models(size: int, gain: float = 1.0) -> Scored:
    """Five models whose statistics lie 1,000 apart; in each, members are `gain` above the others of like number."""
    place = [1000.0 * (number % 5) + number // 5 for number in range(5 * size)]
    return people([value + gain for value in place], [*place], models=5)


def test_models_with_scales_of_their_own_are_not_mixed() -> None:
    """Five models that tell everybody apart have the area 1 together, and everybody is well placed."""
    scored = five_models(10, gain=100.0)
    found = measured(AreaUnderCurve(), scored)
    assert (found.value, found.n) == (1.0, 100)
    assert (found.low, found.high) == pytest.approx(pooled_auc_interval(1.0, [(10, 10)] * 5))
    assert {outcome.value for outcome in AreaUnderCurve().outcomes(scored)} == {1.0}


def test_the_pooled_area_is_the_share_of_pairs_within_models() -> None:
    """Model 0 wins 1 of 1 pairs, model 1 wins 2 of 4, model 2 has no others: 3 / 5, of 2 + 4 people."""
    scored = people([1, 10, 14, 50], [0, 12, 13])
    models = {"m0": "0", "m1": "1", "m2": "1", "m3": "2", "o0": "0", "o1": "1", "o2": "1"}
    found = measured(AreaUnderCurve(), replace(scored, clusters=models))
    assert (found.value, found.n) == (pytest.approx(3 / 5), 6)  # 14 beats both others of model 1
    apart = replace(scored, clusters={name: name[0] for name in scored.answers})
    assert (measured(AreaUnderCurve(), apart).value, measured(AreaUnderCurve(), apart).n) == (None, 0)


def test_each_model_has_a_threshold_of_its_own() -> None:
    """Others 0 to 99 above each model's offset: members 90 above their peers exceed 98 from the ninth on."""
    scored = five_models(100, gain=90.0)
    found = measured(TruePositiveRate(), scored)
    assert (found.value, found.n) == (pytest.approx(0.91), 500)  # 90 + number > 98 for numbers 9 to 99
    assert found.low is not None
    assert found.low < 0.91
    assert sum(o.value for o in TruePositiveRate().outcomes(scored)) == 5 * (91 + 99)
    assert measured(TruePositiveRate(), five_models(99, gain=90.0)).value is None


def test_the_doubt_about_a_threshold_is_in_the_interval() -> None:
    """A hundred others do not tell where the true threshold at 1 % lies: perhaps above them all. A thousand do."""
    assert measured(TruePositiveRate(), five_models(100, gain=5000.0)).low == 0.0
    found = measured(TruePositiveRate(), five_models(1000, gain=5000.0))
    assert (found.value, found.low, found.high) == pytest.approx((1.0, *wilson(5, 5)))


def test_models_of_one_mind_are_few_trials() -> None:
    """Five models that catch all their members: five trials, not five hundred."""
    assert measured(Recall(), people([1.0] * 100, [-1.0] * 100, models=5)).low == pytest.approx(wilson(5, 5)[0])
    assert measured(Precision(), people([1.0] * 100, [-1.0] * 100, models=5)).low == pytest.approx(wilson(5, 5)[0])


@pytest.mark.parametrize(("others", "expected"), [(100, 2 / 101), (199, 2 / 200), (250, 3 / 251)])
def test_chance_of_rare_false_alarms_is_that_of_the_estimator(others: int, expected: float) -> None:
    """Of m others floor(m/100) are accused; a member like them is above the next with chance (that + 1)/(m + 1)."""
    rng = np.random.default_rng(0)
    (baseline,) = TruePositiveRate().baseline(people([0.0], [0.0] * others))
    assert baseline.value == pytest.approx(expected)
    draws = rng.random((4000, others + 1))
    caught = [true_positive_rate(drawn[:1], drawn[1:], 0.01) for drawn in draws]
    assert np.mean(caught) == pytest.approx(expected, abs=0.007)


def test_chance_of_each_figure() -> None:
    """Three members of four: precision 0.75 by accusing at random, the others 0.5; 1 % at 1 %."""
    scored = people([1, 1, 1], [1])
    chances = {
        metric.name: metric.baseline(scored)[0].value
        for metric in (AreaUnderCurve(), Precision(), Recall(), TruePositiveRate())
    }
    assert chances == {"auc": 0.5, "precision": 0.75, "recall": 0.5, "tpr_at_fpr_0.01": pytest.approx(0.01)}


def test_very_rare_false_alarms_need_a_thousand_others() -> None:
    """With 999 the figure is null; with a thousand one may be accused, and 998 must be exceeded."""
    members = [500.5, 997.5, 998.5, 2000.0]
    assert measured(RareTruePositiveRate(), people(members, [float(n) for n in range(999)])).value is None
    scored = people(members, [float(n) for n in range(1000)])
    assert measured(RareTruePositiveRate(), scored).value == 0.5
    assert RareTruePositiveRate().baseline(scored)[0].value == pytest.approx(2 / 1001)


def test_very_rare_false_alarms_are_about_records() -> None:
    """Of people there are never a thousand."""
    scored = people([1.0], [0.0])
    assert not RareTruePositiveRate().applies(scored)
    named = replace(scored, hints={name: RecordText(tokens=(name,)) for name in scored.answers})
    assert RareTruePositiveRate().applies(named)
    assert about_records(named)
    assert TruePositiveRate().applies(named)
