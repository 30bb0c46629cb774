"""Tests of the benchmark of what a task costs beside its work; time decides nothing."""

from __future__ import annotations

from collections import Counter

import pytest
from benchmarks import engine_overhead
from benchmarks.engine_overhead import Setting, Taken, graph_of, measure, run_once

from divulge.graph import Task
from divulge.store import Store


def test_tasks_come_in_groups_of_ten():
    """One that eight need, and one that needs the eight."""
    graph = graph_of(30)
    assert Counter(task.kind for task in graph) == {"train-target": 3, "attack": 24, "measure": 3}
    assert all(len(task.needs) == {"train-target": 0, "attack": 1, "measure": 8}[task.kind] for task in graph)
    assert len(graph.finals) == 3


def test_a_run_is_a_process_of_its_own(tmp_path):
    """It does all of its tasks; what it took is more than nothing, and far less than a process with torch takes."""
    taken = run_once("local", 20)
    assert taken.seconds > 0
    assert taken.processor > 0
    assert 10_000 < taken.kilobytes < 150_000
    assert engine_overhead.execute(Task(kind="attack"), Store(tmp_path)).values == {"done": True}


def test_costs_are_told_for_each_task(monkeypatch):
    """20 s for 10,000 tasks are 2 ms each; 16,000 kB more for 8,000 tasks more are 2 kB each."""
    took = {
        ("local", 10_000): Taken(20.0, 15.0, 66_000.0),
        ("local", 2_000): Taken(5.0, 4.0, 50_000.0),
        ("ray", 10_000): Taken(250.0, 15.0, 180_000.0),
        ("ray", 2_000): Taken(50.0, 4.0, 90_000.0),
    }
    monkeypatch.setattr(engine_overhead, "run_once", lambda engine, tasks: took[engine, tasks])
    found = measure("full")
    assert found.setting["tasks"] == 10_000
    values = {ratio.name: (pytest.approx(ratio.value), ratio.bound, ratio.met) for ratio in found.ratios}
    assert values == {
        "local: milliseconds a task": (2.0, 5.0, True),
        "local: kilobytes more for each task more": (2.0, 10.0, True),
        "ray: milliseconds a task": (25.0, 20.0, False),
        "ray: kilobytes more for each task more": (11.25, 10.0, False),
    }
    assert measure("full", Setting(10_000, 2_000, ("local",))).seconds["local, 10000 tasks, processor"] == 15.0
