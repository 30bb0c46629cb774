"""Figure 4."""

from __future__ import annotations

from divulge.studies.planning import plan_study
from divulge.studies.song2019.figure4 import FIGURE4


def test_only_the_target_is_trained_anew() -> None:
    """At scale smoke: a target for each fraction, two shadows for both."""
    tasks = list(plan_study(FIGURE4, "smoke").plan.graph)
    assert sum(task.kind == "train-target" for task in tasks) == 2
    assert sum(task.kind == "train-practice" for task in tasks) == 2
