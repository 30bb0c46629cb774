"""Tests of how long a plan may take."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.auditing.timing import OVERHEAD_SECONDS, Costs, likely_times, makespan
from divulge.graph import Graph, Task
from divulge.store import Entry


def entry(kind, label, seconds):
    """A line of the store's listing."""
    return Entry("ab" * 32, kind, 1, 0.0, label, seconds)


def fan(width):
    """A training, so many attacks that need it, and a measure that needs those; keys in that order."""
    graph = Graph()
    train = graph.add(Task(kind="train-target", label="tagger"))
    attacks = [
        graph.add(Task(kind="attack", label="beam", payload={"n": n}, needs={"target": train})) for n in range(width)
    ]
    measure = graph.add(Task(kind="measure", needs={f"{n}": key for n, key in enumerate(attacks)}))
    return graph, train, attacks, measure


def test_a_task_costs_the_mean_of_its_like():
    """Of 2 s and 4 s it is 3 s; a part that was never done costs the mean of its kind, (2 + 4 + 9) / 3 s."""
    costs = Costs([entry("attack", "beam", 2.0), entry("attack", "beam", 4.0), entry("attack", "other", 9.0)])
    assert costs.of(Task(kind="attack", label="beam")) == 3.0
    assert costs.of(Task(kind="attack", label="new")) == 5.0
    assert costs.of_alike(Task(kind="attack", label="beam")) == 3.0
    assert costs.of_alike(Task(kind="attack", label="new")) is None
    assert costs.of(Task(kind="probe", label="beam")) is None
    assert Costs([entry("study", "a mark", None)]).of(Task(kind="study", label="a mark")) is None


@pytest.mark.parametrize(
    ("workers", "expected"),
    [
        (1, 10 + 4 * 3 + 1),  # one after another
        (2, 10 + 2 * 3 + 1),  # the training, two rounds of two attacks, the measure
        (3, 10 + 2 * 3 + 1),  # three attacks, then the fourth alone
        (4, 10 + 3 + 1),
        (99, 10 + 3 + 1),  # more workers than work
    ],
)
def test_tasks_wait_for_their_needs_and_for_a_worker(workers, expected):
    """A training of 10 s, four attacks of 3 s, a measure of 1 s."""
    graph, train, attacks, measure = fan(4)
    seconds = {train: 10.0, **dict.fromkeys(attacks, 3.0), measure: 1.0}
    assert makespan(graph, seconds, workers) == expected


def test_what_is_there_costs_nothing_and_each_task_its_overhead():
    """The training is there: two attacks of 3 s and 0.5 s on two workers, then the measure of 1 s and 0.5 s."""
    graph, _, attacks, measure = fan(2)
    assert makespan(graph, {**dict.fromkeys(attacks, 3.0), measure: 1.0}, 2, 0.5) == 5.0
    assert makespan(graph, {}, 2, 0.5) == 0.0


@given(
    st.lists(st.tuples(st.floats(0.0, 9.0), st.sets(st.integers(0, 11), max_size=3)), min_size=1, max_size=12),
    st.integers(1, 5),
)
def test_no_plan_beats_its_bounds(tasks, workers):
    """Not quicker than the work over the workers nor than the longest chain; never slower than both together."""
    graph, seconds, keys, chains = Graph(), {}, [], {}
    for number, (cost, before) in enumerate(tasks):
        needs = {f"{place}": keys[place] for place in sorted(before) if place < number}
        key = graph.add(Task(kind="attack", payload={"n": number}, needs=needs))
        keys.append(key)
        seconds[key] = cost
        chains[key] = cost + max((chains[need] for need in needs.values()), default=0.0)
    found = makespan(graph, seconds, workers)
    work, chain = sum(seconds.values()), max(chains.values())
    assert found >= max(work / workers, chain) - 1e-9
    assert found <= work / workers + chain + 1e-9  # Graham's bound for list scheduling


def test_times_are_told_for_both_engines():
    """1 s each, on one worker 6 tasks of it and 5 ms each; on a cluster the longest chain of three and 20 ms each."""
    graph, *_ = fan(4)
    costs = Costs([entry("train-target", "", 1.0), entry("attack", "", 1.0), entry("measure", "", 1.0)])
    found = {(one.engine, one.workers): one.seconds for one in likely_times(graph, list(graph), costs)}
    assert found["local", 1] == round(6 * 1.005, 1)
    assert found["ray", 8] == found["ray", 64] == round(3 * 1.02, 1)
    assert ("local", os.cpu_count()) in found
    assert OVERHEAD_SECONDS == {"local": 0.005, "ray": 0.02}


def test_what_was_never_done_has_no_estimate():
    """Half of an estimate would look like a whole one; of nothing, it is nothing."""
    graph, *_ = fan(1)
    costs = Costs([entry("attack", "beam", 1.0)])
    assert {one.seconds for one in likely_times(graph, list(graph), costs)} == {None}
    assert {one.seconds for one in likely_times(graph, [], costs)} == {0.0}
