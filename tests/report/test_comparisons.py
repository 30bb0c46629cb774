"""The arms of a figure side by side; what follows from them is tried in test_findings."""

from __future__ import annotations

import pytest
from tests.report.deletions import of_deletion
from tests.report.sample import arms, figure, result

from divulge.report.comparisons import Comparison, TraceComparison, beyond, comparisons, metric_called


def trace(value: float, low: float, high: float, p_value: float | None) -> TraceComparison:
    """The comparison of a deletion."""
    (one,) = [one for one in comparisons(of_deletion((value, low, high), p_value)) if one.metric == "trace"]
    assert isinstance(one, TraceComparison)
    return one


def test_arms_are_lined_up_by_metric_and_group() -> None:
    """What only an oracle could choose, and the points of a curve, are left out."""
    made = result(
        *arms("success", (0.5, 0.4, 0.6), 0.1, (0.0, 0.0, 0.1)),
        figure("success", 0.9, 0.8, 1.0, choice="oracle"),
        figure("tpr", 0.9, 0.8, 1.0, fpr=0.1),
        figure("train_accuracy", 0.9, 0.8, 1.0, arm="utility"),
    )
    (one,) = comparisons(made)
    assert (one.metric, one.arms) == ("success", "baseline and control")
    assert one.control is not None
    assert beyond(one.attack, one.control)


def test_a_judge_of_texts_who_is_reliably_wrong_explains_as_much() -> None:
    """Where the sign was learnt on other people; of one who knows these people's answers it says nothing."""
    attack, wrong = figure("auc", 0.9, 0.84, 0.95), figure("auc", 0.1, 0.05, 0.16, arm="baseline")
    control = figure("auc", 0.5, 0.4, 0.6, arm="control")
    assert Comparison("auc", attack, wrong, control, reversible=True).explained
    assert not Comparison("auc", attack, wrong, control).explained
    assert not Comparison("auc", figure("auc", 1.0, 0.98, 1.0), wrong, control, reversible=True).explained
    unsure = figure("auc", 0.4, 0.3, 0.51, arm="baseline")
    assert not Comparison("auc", attack, unsure, control, reversible=True).explained


@pytest.mark.parametrize(("kind", "held_out", "reversible"), [("users", None, True), ("users", "test", False)])
def test_the_sign_is_learnt_elsewhere_where_chance_parted_people(kind, held_out, reversible) -> None:
    """There the attack that never asks is the judge; where the data did, one who learns on these people."""
    made = result(*arms("auc", (0.9, 0.8, 1.0), 0.5, (0.5, 0.4, 0.6)))
    spec = {**made.spec, "secrets": {"kind": kind, "held_out": held_out}}
    (one,) = comparisons(made.model_copy(update={"spec": spec}))
    assert one.reversible == reversible


@pytest.mark.parametrize(
    ("one", "leaks"),
    [
        (trace(0.9, 0.7, 0.98, 0.001), True),
        (trace(0.7, 0.49, 0.85, 0.05), True),  # the p-value decides, one-sided, not the interval
        (trace(0.7, 0.49, 0.85, 0.0501), False),
        (trace(0.5, 0.3, 0.7, 0.04), False),  # no more than none
        (trace(1.0, 0.6, 1.0, None), False),
    ],
)
def test_a_trace_is_left_where_its_p_value_says_so(one: TraceComparison, *, leaks: bool) -> None:
    """And only above 0.5."""
    assert (one.leaks, one.apart) == (leaks, leaks)
    assert not one.suspicious
    assert not one.explained


def test_what_leaves_a_trace_open() -> None:
    """Too few canaries; or canaries that stand clearly worse than controls."""
    assert trace(0.6, 0.4, 0.8, 0.2).doubt == ""
    assert trace(0.6, 0.4, 0.8, None).doubt.startswith("too few canaries")
    assert trace(0.2, 0.1, 0.49, 0.99).doubt.startswith("planted canaries stand worse")
    assert trace(0.4, 0.2, 0.5, 0.9).doubt == ""


def test_no_budget_bears_on_a_trace() -> None:
    """It is the owner's question; exposure under a budget decides nothing."""
    made = of_deletion((0.9, 0.7, 0.98), 0.001, adversary={"max_queries": 10})
    views = {one.metric: one.owners_view for one in comparisons(made)}
    assert views == {"trace": False, "exposure": True}


def test_a_trace_can_be_compared_although_it_is_no_metric_of_guesses() -> None:
    """Higher is worse."""
    low, high = figure("trace", 0.5, 0.4, 0.6), figure("trace", 0.9, 0.7, 1.0)
    assert beyond(high, low)
    assert not beyond(low, high)
    assert not Comparison("hdt", figure("hdt", 0.9, 0.8, 1.0), figure("hdt", 0.5, 0.5, 0.5), None).apart
    assert metric_called("hdt").leaks_when == "low"
