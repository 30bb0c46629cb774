"""Tests of which side of a figure is the worse one."""

from __future__ import annotations

import pytest
from tests.report.whole_run import whole_run

from divulge.gate.sides import OTHER_FIGURES, is_share, known_figures, tells_of_leak, worse_side
from divulge.metrics import METRICS
from divulge.report.findings import metric_called
from divulge.studies.verdicts import OWNERS_METRICS


def test_metrics_say_themselves_which_side_is_worse():
    """Where more leaks."""
    assert {name: worse_side(name) for name in METRICS} == {name: metric_called(name).leaks_when for name in METRICS}


@pytest.mark.parametrize(
    ("metric", "side"),
    [("slot_f1", "low"), ("train_perplexity", "high"), ("epsilon", "high"), ("my_loss", "high"), ("my_score", "low")],
)
def test_figures_of_the_owner_are_worse_where_the_model_is_of_less_use(metric, side):
    """Also those of probes of one's own, by the end of their name."""
    assert worse_side(metric) == side


def test_every_figure_of_the_study_tables_has_its_side():
    """And the same one: where users, or for epsilon the owner, are worse off."""
    assert set(OWNERS_METRICS) <= set(OTHER_FIGURES)
    for name, better in OWNERS_METRICS.items():
        worse = better if name.startswith("epsilon") else {"high": "low", "low": "high"}[better]
        assert OTHER_FIGURES[name] == worse


def test_what_a_run_measures_can_be_limited():
    """Every figure of a run with one of everything is known."""
    measured = {one.metric for result in whole_run().results for one in result.measurements}
    assert measured <= set(known_figures())
    assert known_figures() == sorted(known_figures())


def test_leaks_and_shares_are_told_from_the_rest():
    """Exposure is in bits, perplexity in none; accuracy of a probe tells of no leak."""
    assert {name: is_share(name) for name in ("accuracy", "auc", "cosine", "test_accuracy", "slot_f1", "tpr")} == {
        "accuracy": True,
        "auc": True,
        "cosine": True,
        "test_accuracy": True,
        "slot_f1": True,
        "tpr": True,
    }
    assert not any(map(is_share, ("exposure", "rank", "count", "test_perplexity", "epsilon_lower_bound")))
    assert [tells_of_leak(name) for name in ("exposure", "epsilon_lower_bound", "test_accuracy")] == [True, True, False]
    assert all(is_share(name) and tells_of_leak(name) for name in ("trace", "trace_p_value"))
    assert (worse_side("trace"), worse_side("trace_p_value")) == ("high", "low")
