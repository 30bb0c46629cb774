"""Membership figures over people, by hand and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import precision_score, recall_score

from divulge.metrics.base import Scored
from divulge.metrics.intervals import wilson
from divulge.metrics.membership import AreaUnderCurve, Precision, Recall, TruePositiveRate, precision, recall
from divulge.metrics.roc import auc_interval
from divulge.records import Measurement, Member, UserTexts, Verdict


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
    assert recall(members) == pytest.approx(recall_score(truth, said))
    if any(said):
        assert precision(members, others) == pytest.approx(precision_score(truth, said))
    else:
        assert precision(members, others) is None


def test_precision_is_not_recall() -> None:
    """Three of four members found, one of five others accused."""
    scored = people([1, 1, 1, -1], [1, -1, -1, -1, -1])
    assert measured(Precision(), scored).value == 0.75
    assert measured(Recall(), scored).value == 0.75
    scored = people([1, -1, -1, -1], [-1, -1, -1, -1, -1])
    found = measured(Precision(), scored)
    assert (found.value, found.low, found.high, found.n) == pytest.approx((1.0, *wilson(1, 1), 9))
    assert measured(Recall(), scored).value == 0.25
    assert (measured(Recall(), scored).low, measured(Recall(), scored).high) == pytest.approx(wilson(1, 4))


def test_an_attack_that_accuses_nobody_has_no_precision() -> None:
    """Null, with no interval, rather than 0 or 1."""
    found = measured(Precision(), people([-1, -1], [-1]))
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 3)


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
    assert (absent.value, absent.low, absent.high, absent.n) == (None, None, None, 103)
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


def test_chance_of_each_figure() -> None:
    """Three members of four: precision 0.75 by accusing at random, the others 0.5; 1 % at 1 %."""
    scored = people([1, 1, 1], [1])
    chances = {
        metric.name: metric.baseline(scored)[0].value
        for metric in (AreaUnderCurve(), Precision(), Recall(), TruePositiveRate())
    }
    assert chances == {"auc": 0.5, "precision": 0.75, "recall": 0.5, "tpr_at_fpr_0.01": pytest.approx(0.01)}
