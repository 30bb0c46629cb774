"""Tests of which task may run next, and what a failure costs."""

from __future__ import annotations

import pytest

from divulge.engine.schedule import Schedule, TaskFailure
from divulge.graph import Graph, Task


class Shelf:
    """A store that only knows which keys it has."""

    def __init__(self, *keys: str) -> None:
        self.keys = set(keys)

    def has(self, key: str) -> bool:
        return key in self.keys


@pytest.fixture
def graph():
    """Train a and b; attack a, attack b; measure both attacks."""
    graph = Graph()
    for name in "ab":
        train = graph.add(Task(kind="train-target", label=f"train {name}", payload={"name": name}))
        graph.add(Task(kind="attack", label=f"attack {name}", payload={"name": name}, needs={"target": train}))
    attacks = {task.label: task.key for task in graph if task.kind == "attack"}
    graph.add(Task(kind="measure", label="measure", needs=attacks))
    return graph


def key(graph, label):
    """The key of the task called so."""
    return next(task.key for task in graph if task.label == label)


def take(schedule):
    """All tasks that may run now, by label."""
    taken = []
    while (task := schedule.next()) is not None:
        taken.append(task.label)
    return taken


def test_tasks_become_ready_when_their_needs_are_done(graph):
    """Nothing is given out before its needs are finished, and each task once, in the order of working."""
    schedule = Schedule(graph, Shelf())
    assert schedule.total == 5
    assert take(schedule) == ["train a", "train b"]
    schedule.finish(key(graph, "train b"))
    assert take(schedule) == ["attack b"]
    schedule.finish(key(graph, "train a"))
    assert take(schedule) == ["attack a"]
    schedule.finish(key(graph, "attack a"))
    assert take(schedule) == []
    schedule.finish(key(graph, "attack b"))
    assert take(schedule) == ["measure"]
    assert schedule.unfinished
    schedule.finish(key(graph, "measure"))
    assert not schedule.unfinished
    assert [graph[done].label for done in schedule.done] == ["train b", "train a", "attack a", "attack b", "measure"]


def test_ready_tasks_come_in_the_order_of_working(graph):
    """Of two ready tasks the one added first goes first, so that cells are finished one after the other."""
    schedule = Schedule(graph, Shelf())
    assert schedule.next().label == "train a"
    schedule.finish(key(graph, "train a"))
    assert take(schedule) == ["attack a", "train b"]


def test_what_is_stored_is_not_done(graph):
    """Stored artefacts are cached and what they stand on is left alone."""
    schedule = Schedule(graph, Shelf(key(graph, "attack a"), key(graph, "train b")))
    assert list(schedule.cached) == [key(graph, "attack a"), key(graph, "train b")]
    assert schedule.total == 2
    assert take(schedule) == ["attack b"]


def test_nothing_to_do(graph):
    """With the final artefact stored there is nothing to do."""
    schedule = Schedule(graph, Shelf(key(graph, "measure")))
    assert not schedule.unfinished
    assert schedule.next() is None


def test_a_failure_costs_itself_and_its_dependents(graph):
    """What depends on a failed task fails, naming it; the rest goes on."""
    schedule = Schedule(graph, Shelf())
    take(schedule)
    costs = schedule.fail(key(graph, "train a"), "out of luck", 2)
    assert [graph[cost].label for cost in costs] == ["train a", "attack a", "measure"]
    assert schedule.failures[key(graph, "train a")] == TaskFailure("out of luck", 2, key(graph, "train a"))
    reason = "needs train-target 'train a', which failed: out of luck"
    for label in ("attack a", "measure"):
        assert schedule.failures[key(graph, label)] == TaskFailure(reason, 2, key(graph, "train a"))
    assert schedule.unfinished
    schedule.finish(key(graph, "train b"))
    assert take(schedule) == ["attack b"]
    schedule.finish(key(graph, "attack b"))
    assert not schedule.unfinished


def test_a_task_with_two_failed_needs_fails_once(graph):
    """The first failure that reaches a task is the one it is blamed on."""
    schedule = Schedule(graph, Shelf())
    take(schedule)
    schedule.fail(key(graph, "train b"), "first", 1)
    assert [graph[cost].label for cost in schedule.fail(key(graph, "train a"), "second", 1)] == ["train a", "attack a"]
    assert schedule.failures[key(graph, "measure")].cause == key(graph, "train b")


def test_a_dead_worker_is_forgiven_twice(graph):
    """A task whose worker died is given out again, three times in all."""
    schedule = Schedule(graph, Shelf())
    take(schedule)
    train = key(graph, "train a")
    for _ in range(2):
        assert schedule.died(train, "signal 9") == ()
        assert take(schedule) == ["train a"]
    assert train in schedule.died(train, "signal 9")
    assert schedule.failures[train].reason.startswith("worker died (signal 9) 3 times")
    assert take(schedule) == []


def test_a_task_that_did_not_start_loses_no_attempt(graph):
    """`again` gives a task out as often as needed."""
    schedule = Schedule(graph, Shelf())
    take(schedule)
    for _ in range(5):
        schedule.again(key(graph, "train a"))
        assert take(schedule) == ["train a"]


def test_a_lost_artefact_is_made_again(graph):
    """A task whose need is gone waits until that need was made anew, with all that takes."""
    shelf = Shelf(key(graph, "attack a"), key(graph, "attack b"))
    schedule = Schedule(graph, shelf)
    assert take(schedule) == ["measure"]
    shelf.keys.remove(key(graph, "attack b"))
    assert schedule.lost(key(graph, "measure"), key(graph, "attack b")) == ()
    assert schedule.total == 3  # measure, and now train b and attack b
    for label in ("train b", "attack b", "measure"):
        assert take(schedule) == [label]
        schedule.finish(key(graph, label))
    assert not schedule.unfinished
    assert list(schedule.cached) == [key(graph, "attack a")]


def test_a_lost_artefact_that_is_back_is_used(graph):
    """If somebody else has made the lost artefact by now, the task is simply given out again."""
    schedule = Schedule(graph, Shelf(key(graph, "attack a"), key(graph, "attack b")))
    take(schedule)
    schedule.lost(key(graph, "measure"), key(graph, "attack b"))
    assert take(schedule) == ["measure"]


def test_losing_has_a_limit(graph):
    """An artefact that is lost again and again is a failure of the task that needs it."""
    schedule = Schedule(graph, Shelf(key(graph, "attack a"), key(graph, "attack b")))
    measure = key(graph, "measure")
    for _ in range(2):
        take(schedule)
        assert schedule.lost(measure, key(graph, "attack b")) == ()
    assert schedule.lost(measure, key(graph, "attack b")) == (measure,)
    assert schedule.failures[measure].reason == "the artefact of attack 'attack b' was lost from the store 3 times"
    assert not schedule.unfinished


def test_a_lost_artefact_that_cannot_be_made_again(graph):
    """If making a lost artefact fails, what waits for it fails with it."""
    shelf = Shelf(key(graph, "attack a"), key(graph, "attack b"), key(graph, "train b"))
    schedule = Schedule(graph, shelf)
    take(schedule)
    shelf.keys.remove(key(graph, "attack b"))
    schedule.lost(key(graph, "measure"), key(graph, "attack b"))
    assert take(schedule) == ["attack b"]
    costs = schedule.fail(key(graph, "attack b"), "broken", 1)
    assert costs == (key(graph, "attack b"), key(graph, "measure"))
    assert not schedule.unfinished


def test_finishing_by_another_run_counts_as_cached(graph):
    """An artefact somebody else put there meanwhile is cached, not done."""
    schedule = Schedule(graph, Shelf())
    take(schedule)
    schedule.finish(key(graph, "train a"), cached=True)
    assert list(schedule.cached) == [key(graph, "train a")]
    assert list(schedule.done) == []
    assert take(schedule) == ["attack a"]


def test_what_is_known_at_the_start_is_not_asked_for(graph):
    """A listing stands for the store; what turns out to be lost later is looked for in the store itself."""
    there = {key(graph, "train a"), key(graph, "train b")}
    schedule = Schedule(graph, Shelf(), known=there)
    assert take(schedule) == ["attack a", "attack b"]
    assert set(schedule.cached) == there
    assert schedule.lost(key(graph, "attack a"), key(graph, "train a")) == ()
    assert take(schedule) == ["train a"]
