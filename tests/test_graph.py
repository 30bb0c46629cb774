"""Tests of tasks, their keys, and what a graph finds missing."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pydantic import ValidationError

from divulge.graph import Graph, Task

A_TASK = {
    "kind": "attack",
    "label": "x",
    "payload": {"seed": 1, "list": [1, 2.5, {"a": None}]},
    "revisions": {"beam": 2},
}


class Shelf:
    """A store that only knows which keys it has."""

    def __init__(self, *keys: str) -> None:
        self.keys = set(keys)
        self.asked: list[str] = []

    def has(self, key: str) -> bool:
        self.asked.append(key)
        return key in self.keys


def diamond() -> tuple[Graph, dict[str, str]]:
    """Train; two attacks on it; a measure of both."""
    graph = Graph()
    keys = {"train": graph.add(Task(kind="train-target", label="train"))}
    for name in ("left", "right"):
        keys[name] = graph.add(Task(kind="attack", payload={"name": name}, needs={"target": keys["train"]}))
    keys["measure"] = graph.add(Task(kind="measure", needs={"one": keys["left"], "two": keys["right"]}))
    return graph, keys


def test_the_key_is_a_hash_of_content():
    """The key has 64 hex digits and no other process, hash seed or field order changes it."""
    key = Task(**A_TASK).key
    assert len(key) == 64
    assert set(key) <= set("0123456789abcdef")
    turned = {name: A_TASK[name] for name in reversed(A_TASK)}
    code = f"import json; from divulge.graph import Task; print(Task(**json.loads({json.dumps(turned)!r})).key)"
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    answer = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert answer.stdout.strip() == key


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "measure"},
        {"payload": {"seed": 2}},
        {"payload": {}},
        {"needs": {}},
        {"needs": {"other": "ef" * 32}},
        {"needs": {"target": "cd" * 32}},
        {"revisions": {"beam": 3}},
        {"revisions": {}},
    ],
)
def test_whatever_determines_the_result_changes_the_key(change):
    """Kind, payload, each role and key of a need, and each revision are all in the key."""
    same = {"needs": {"target": "ef" * 32}}
    assert Task(**{**A_TASK, **same, **change}).key != Task(**{**A_TASK, **same}).key


def test_the_label_is_not_in_the_key():
    """Words for people do not change the key."""
    assert Task(**{**A_TASK, "label": "other words"}).key == Task(**A_TASK).key


def test_a_task_cannot_be_changed():
    """Neither the record nor what it holds can be changed under its key."""
    task = Task(**A_TASK)
    with pytest.raises(ValidationError):
        task.kind = "measure"
    with pytest.raises(TypeError):
        task.payload["seed"] = 2
    with pytest.raises(TypeError):
        task.needs["target"] = "x"


def test_a_task_is_strict():
    """Unknown fields, non-finite numbers and an empty kind are refused."""
    for wrong in ({"colour": 1}, {"payload": {"x": float("nan")}}, {"kind": ""}, {"revisions": {"beam": "2"}}):
        with pytest.raises(ValidationError):
            Task(**{**A_TASK, **wrong})


@given(
    payload=st.dictionaries(
        st.text(max_size=5),
        st.recursive(
            st.none()
            | st.booleans()
            | st.integers()
            | st.floats(allow_nan=False, allow_infinity=False)
            | st.text(max_size=5),
            lambda inner: st.lists(inner, max_size=3),
            max_leaves=5,
        ),
        max_size=4,
    )
)
@settings(deadline=None)
def test_a_task_survives_the_wire(payload):
    """Sent as JSON to another process, a task is equal and has the same key."""
    task = Task(kind="attack", label="x", payload=payload, needs={"target": "ab" * 32}, revisions={"beam": 1})
    back = Task.model_validate(json.loads(json.dumps(task.model_dump(mode="json"))))
    assert back == task
    assert back.key == task.key


def test_a_task_of_plain_values_is_the_same_task():
    """Equal, with the same key, and as frozen, although nothing is looked through word by word."""
    words = [f"word{number}" for number in range(5000)]
    told = {"seed": 1, "words": words, "sizes": {"hidden": 2.5, "layers": [1, None]}}
    needs, revisions = {"target": "ab" * 32}, {"beam": 2}
    quick = Task.of_plain("attack", "x", told, needs, revisions)
    slow = Task(kind="attack", label="x", payload=told, needs=needs, revisions=revisions)
    assert quick == slow
    assert quick.key == slow.key
    words.append("later")
    assert len(quick.payload["words"]) == 5000
    with pytest.raises(TypeError):
        quick.payload["seed"] = 2
    with pytest.raises(TypeError, match="no canonical spelling"):
        assert Task.of_plain("attack", "x", {"words": {"a", "b"}}, {}, {}).key


def test_equal_tasks_are_one():
    """Adding a task again, with other words, gives the same key and no second task."""
    graph = Graph()
    first = graph.add(Task(kind="attack", label="first"))
    assert graph.add(Task(kind="attack", label="second")) == first
    assert len(graph) == 1
    assert graph[first].label == "first"
    assert first in graph


def test_needs_come_first():
    """A task whose need was not added is a programming error that names the role."""
    with pytest.raises(ValueError, match="needs target: add those tasks first"):
        Graph().add(Task(kind="attack", needs={"target": "ab" * 32}))


def test_the_order_of_working():
    """Every task comes after what it needs, and dependents are known directly."""
    graph, keys = diamond()
    assert [task.key for task in graph] == [keys[name] for name in ("train", "left", "right", "measure")]
    assert graph.dependents(keys["train"]) == (keys["left"], keys["right"])
    assert graph.dependents(keys["measure"]) == ()
    assert graph.place(keys["measure"]) == 3


def test_a_task_needed_in_two_roles_depends_once():
    """A need in two roles counts its dependent once."""
    graph = Graph()
    train = graph.add(Task(kind="train-target"))
    attack = graph.add(Task(kind="attack", needs={"target": train, "practice": train}))
    assert graph.dependents(train) == (attack,)


def test_finals():
    """Final is what nobody needs, and what was added as such."""
    graph, keys = diamond()
    assert graph.finals == (keys["measure"],)
    graph.add(graph[keys["train"]], final=True)
    assert graph.finals == (keys["train"], keys["measure"])


@pytest.mark.parametrize(
    ("stored", "missing", "cached"),
    [
        ((), ("train", "left", "right", "measure"), ()),
        (("train",), ("left", "right", "measure"), ("train",)),
        (("left",), ("train", "right", "measure"), ("left",)),
        (("left", "right"), ("measure",), ("left", "right")),
        (("measure",), (), ("measure",)),
        (("train", "left", "right", "measure"), (), ("measure",)),
    ],
)
def test_the_plan(stored, missing, cached):
    """Only what a final task lacks is to be done: what stands behind a stored artefact is not looked at."""
    graph, keys = diamond()
    shelf = Shelf(*(keys[name] for name in stored))
    plan = graph.plan(shelf)
    assert [task.key for task in plan.missing] == [keys[name] for name in missing]
    assert plan.cached == tuple(keys[name] for name in cached)
    assert graph.missing(shelf) == plan.missing
    assert len(set(shelf.asked)) * 2 == len(shelf.asked)  # each key asked for once by each of the two calls


def test_a_final_task_in_the_middle_is_planned():
    """A task wanted in itself is done even though what needs it is stored."""
    graph, keys = diamond()
    graph.add(graph[keys["left"]], final=True)
    plan = graph.plan(Shelf(keys["measure"]))
    assert [task.key for task in plan.missing] == [keys["train"], keys["left"]]


def test_a_plan_of_some_finals():
    """A plan for given keys leaves the others out."""
    graph, keys = diamond()
    assert [task.key for task in graph.plan(Shelf(), [keys["left"]]).missing] == [keys["train"], keys["left"]]


def test_long_chains_are_no_problem():
    """A chain far deeper than Python's stack is planned."""
    graph = Graph()
    key = graph.add(Task(kind="step", payload={"n": 0}))
    for number in range(1, 5000):
        key = graph.add(Task(kind="step", payload={"n": number}, needs={"before": key}))
    assert len(graph.missing(Shelf())) == 5000
