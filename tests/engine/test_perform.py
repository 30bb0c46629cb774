"""Tests of doing one task."""

from __future__ import annotations

import os
import platform
import time

import numpy as np
import pytest

from divulge import __version__
from divulge.engine.perform import THREAD_VARIABLES, perform, resolve, single_thread
from divulge.errors import BudgetExhausted, EvidenceError, ExecutionError, InputError
from divulge.graph import Task
from divulge.halfway import halfway
from divulge.records import Artefact

TASK = Task(kind="attack", label="beam on call", payload={"seed": 1}, revisions={"beam": 2})


def failing(error):
    """Something to execute that raises this error."""

    def execute(task, store):
        raise error

    return execute


def test_the_artefact_is_stored_with_its_facts(store):
    """What the task gives is stored under its key, with kind, label, seconds, host, versions and revisions."""
    answer = perform(TASK, store, lambda task, store: Artefact({"seed": task.payload["seed"]}))
    assert (answer.key, answer.state) == (TASK.key, "done")
    assert store.get(TASK.key).values == {"seed": 1}
    info = dict(store.info(TASK.key))
    assert info.pop("seconds") == answer.seconds >= 0
    assert info.pop("processor") >= 0
    versions = info.pop("versions")
    assert versions["divulge"] == __version__
    assert versions["numpy"] == np.__version__
    assert info == {"kind": "attack", "label": "beam on call", "host": platform.node(), "revisions": {"beam": 2}}


def test_a_task_whose_artefact_is_there_is_not_done(store):
    """Somebody else may have done it since the run was planned."""
    store.put(TASK.key, Artefact({"seed": "theirs"}), {})
    assert perform(TASK, store, failing(AssertionError())).state == "cached"
    assert store.get(TASK.key).values == {"seed": "theirs"}


@pytest.mark.parametrize(
    ("error", "exit_code"),
    [
        (InputError(["no such column", "no such file"]), 2),
        (ExecutionError("the disk is full"), 1),
        (EvidenceError("no secrets"), 3),
        (BudgetExhausted("no queries left"), 1),
    ],
)
def test_errors_of_ours_keep_their_words_and_exit_code(store, error, exit_code):
    """An AuditError's message is the reason as it stands, and its exit code is kept."""
    answer = perform(TASK, store, failing(error))
    assert (answer.state, answer.reason, answer.exit_code) == ("failed", str(error), exit_code)
    assert not store.has(TASK.key)


@pytest.mark.parametrize(
    "error", [ValueError("word swordfish"), SystemExit("word swordfish"), MemoryError("word swordfish")]
)
def test_unexpected_errors_show_only_where_they_were_raised(store, error):
    """The reason names type, file and line; the message, which may quote data, only when debugging."""
    execute = failing(error)
    line = execute.__code__.co_firstlineno + 1
    place = f"{type(error).__name__} at engine/test_perform.py:{line}"
    quiet = perform(TASK, store, execute)
    assert (quiet.state, quiet.exit_code, quiet.trace) == ("failed", 1, None)
    assert quiet.reason == f"{place} (more with --debug)"
    loud = perform(TASK, store, execute, debug=True)
    assert loud.reason == f"{place}: word swordfish"
    assert "Traceback" in loud.trace


def test_ctrl_c_is_not_the_tasks_fault(store):
    """An interrupt passes through."""
    with pytest.raises(KeyboardInterrupt):
        perform(TASK, store, failing(KeyboardInterrupt()))


def test_what_is_no_artefact_is_refused(store):
    """A task that gives something else fails with the type of what it gave."""
    answer = perform(TASK, store, lambda task, store: {"seed": 1})
    assert (answer.state, answer.reason) == ("failed", "a task must give an Artefact. Got dict")


def test_what_cannot_be_stored_fails_the_task(store):
    """NaN among the values is the task's own fault."""
    answer = perform(TASK, store, lambda task, store: Artefact({"loss": float("nan")}))
    assert answer.state == "failed"
    assert "'loss'" in answer.reason


def test_a_missing_need_is_lost_and_another_missing_key_a_failure(store):
    """The absence of a need's artefact is no fault of the task; that of any other is."""
    task = Task(kind="measure", needs={"attack": TASK.key})
    lost = perform(task, store, lambda task, store: store.get(TASK.key))
    assert (lost.state, lost.need) == ("lost", TASK.key)
    assert perform(task, store, lambda task, store: store.get("ab" * 32)).state == "failed"


def test_resolve_finds_a_function():
    """The text "module:function" gives the function."""
    assert resolve("divulge.engine.perform:perform") is perform


@pytest.mark.parametrize(
    "execute", ["nowhere:f", "divulge.engine.perform:nothing", "divulge.engine.perform", "", "divulge:__version__"]
)
def test_resolve_refuses_what_is_no_function(execute):
    """A wrong module, a wrong name, no name, or something that cannot be called is wrong input."""
    with pytest.raises(InputError, match=repr(execute)):
        resolve(execute)


def test_single_thread_holds_and_lets_go(monkeypatch):
    """Inside, libraries have one thread; afterwards the environment and torch are as before."""
    torch = pytest.importorskip("torch")
    monkeypatch.setenv("OMP_NUM_THREADS", "7")
    monkeypatch.delenv("MKL_NUM_THREADS", raising=False)
    before = torch.get_num_threads()
    torch.set_num_threads(3)
    try:
        with single_thread():
            assert torch.get_num_threads() == 1
            assert {os.environ[name] for name in THREAD_VARIABLES} == {"1"}
        assert torch.get_num_threads() == 3
    finally:
        torch.set_num_threads(before)
    assert os.environ["OMP_NUM_THREADS"] == "7"
    assert "MKL_NUM_THREADS" not in os.environ


def test_a_task_that_was_killed_goes_on(store):
    """What it left is there for it, its seconds count, and nothing of it stays when the task is done."""
    store.leave(TASK.key, 0, Artefact({"epoch": 7}, {"weights": np.ones(2)}), {"seconds": 1000.0, "processor": 600.0})
    found = []

    def execute(task, store):
        found.append(halfway().part().found())
        return Artefact({"seed": 1})

    answer = perform(TASK, store, execute)
    assert [one.values for one in found] == [{"epoch": 7}]
    assert 1000 <= answer.seconds == store.info(TASK.key)["seconds"]
    assert 600 <= store.info(TASK.key)["processor"] < 1000
    assert store.left(TASK.key, 0) is None


def test_seconds_of_the_processor_are_not_those_of_waiting(store):
    """A task that waits takes its time, and costs nothing."""

    def execute(task, store):
        time.sleep(0.5)
        return Artefact({"seed": 1})

    assert perform(TASK, store, execute).seconds >= 0.5
    assert store.info(TASK.key)["processor"] < 0.4
