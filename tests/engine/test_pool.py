"""Tests of the worker processes as the engine sees them."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

import pytest
from tests.engine.sample_tasks import EXECUTE, executions, is_gone, wait_until

from divulge.engine.perform import THREAD_VARIABLES
from divulge.engine.pool import WorkerPool
from divulge.errors import ExecutionError, InputError
from divulge.graph import Task


@pytest.fixture
def make_pool(store):
    """Makes pools and ends them, whatever happens."""
    pools = []

    def make(workers=1, execute=EXECUTE, *, debug=False):
        pools.append(WorkerPool(workers, execute, store, debug=debug))
        return pools[-1]

    yield make
    for pool in pools:
        pool.close(kill=True)


def answers(pool, count):
    """Waits for so many answers."""
    found = []
    while len(found) < count:
        found += pool.wait()
    return found


@pytest.mark.usefixtures("folder")
def test_tasks_go_to_idle_workers(make_pool, store):
    """Two workers take two tasks; a third goes to the one that is idle again, not to a new process."""
    pool = make_pool(2)
    tasks = [Task(kind="attack", payload={"seed": seed}) for seed in range(3)]
    assert pool.free() == 2
    assert {pool.submit(task) for task in tasks[:2]} == {"worker-1", "worker-2"}
    assert pool.free() == 0
    first = answers(pool, 2)
    assert {answer.worker for answer in first} == {"worker-1", "worker-2"}
    assert pool.free() == 2
    assert pool.submit(tasks[2]) in ("worker-1", "worker-2")
    assert {answer.key for answer in first + answers(pool, 1)} == {task.key for task in tasks}
    assert all(store.has(task.key) for task in tasks)
    assert len({pid for _, pid in executions()}) == 2


@pytest.mark.usefixtures("folder")
def test_a_worker_has_the_callers_surroundings_and_one_thread(make_pool, store, monkeypatch, tmp_path):
    """Working folder and search path are the caller's; numerical libraries get one thread; stdin is empty."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path / "mine"))
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    pool = make_pool(execute="tests.engine.sample_tasks:tell")
    task = Task(kind="tell", payload={"names": list(THREAD_VARIABLES)})
    pool.submit(task)
    assert answers(pool, 1)[0].state == "done"
    told = store.get(task.key).values
    assert told["threads"] == dict.fromkeys(THREAD_VARIABLES, "1")
    assert told["cwd"] == str(tmp_path)
    assert told["path"] == sys.path
    assert told["stdin"] == ""


def test_files_of_the_working_folder_hide_no_library(make_pool, folder, monkeypatch):
    """A json.py where the command happens to be run does not become Python's own json."""
    (folder / "json.py").write_text("raise SystemError")
    monkeypatch.chdir(folder)
    pool = make_pool()
    pool.submit(Task(kind="attack"))
    assert answers(pool, 1)[0].state == "done"


def test_a_killed_worker_is_reported_and_replaced(make_pool, folder):
    """Kill -9 in the middle of a task is answered with the task's key and the signal; the next worker does it."""
    pool = make_pool()
    task = Task(kind="attack", payload={"gate": "late"})
    pool.submit(task)
    wait_until((folder / "late.begun").exists, "the task begins")
    [(_, pid)] = executions()
    os.kill(pid, signal.SIGKILL)
    [answer] = answers(pool, 1)
    assert (answer.key, answer.state, answer.reason, answer.trace) == (task.key, "died", "signal 9", None)
    (folder / "late.open").touch()
    assert pool.submit(task) == "worker-2"
    assert answers(pool, 1)[0].state == "done"


@pytest.mark.usefixtures("folder")
def test_a_worker_that_exits_is_reported(make_pool):
    """An exit in the middle of a task is noticed by its code, even if a child of the task holds the pipes open."""
    pool = make_pool(debug=True)
    pool.submit(Task(kind="attack", payload={"dies": 3, "forks": True}))
    [answer] = answers(pool, 1)
    assert (answer.state, answer.reason) == ("died", "exit code 3")
    assert answer.trace is not None


@pytest.mark.usefixtures("folder")
def test_an_idle_worker_that_died_is_replaced(make_pool):
    """A worker killed between two tasks costs no task."""
    pool = make_pool()
    pool.submit(Task(kind="attack", payload={"seed": 1}))
    answers(pool, 1)
    [(_, pid)] = executions()
    os.kill(pid, signal.SIGKILL)
    wait_until(lambda: is_gone(pid), "the worker is dead")
    task = Task(kind="attack", payload={"seed": 2})
    pool.submit(task)
    [answer] = answers(pool, 1)
    if answer.state == "died":  # it was handed to the dead one, whose death only then was noticed
        pool.submit(task)
        [answer] = answers(pool, 1)
    assert answer.state == "done"


def test_a_function_that_cannot_be_found_is_wrong_input(make_pool):
    """A wrong module:function ends the run with the reason, not with dying workers."""
    pool = make_pool(execute="nowhere:nothing")
    pool.submit(Task(kind="attack"))
    with pytest.raises(InputError, match="'nowhere:nothing' cannot be loaded"):
        answers(pool, 1)


def test_workers_that_cannot_start_end_the_run(make_pool, monkeypatch, tmp_path):
    """An interpreter that only complains is tried three times, then its complaint is the error."""
    broken = tmp_path / "python"
    broken.write_text(f"#!/bin/sh\necho started >> {tmp_path}/starts\necho no such luck >&2\nexit 4\n")
    broken.chmod(0o700)
    monkeypatch.setattr(sys, "executable", str(broken))
    pool = make_pool()
    task = Task(kind="attack")
    for _ in range(2):
        pool.submit(task)
        assert answers(pool, 1)[0].state == "unstarted"
    pool.submit(task)
    with pytest.raises(ExecutionError, match=r"die before they are ready \(exit code 4\): no such luck"):
        answers(pool, 1)
    assert (tmp_path / "starts").read_text().count("started") == 3


def test_closing_ends_all_workers(make_pool, folder):
    """A killing close ends a worker in the middle of its task."""
    pool = make_pool()
    pool.submit(Task(kind="attack", payload={"gate": "never"}))
    wait_until((folder / "never.begun").exists, "the task begins")
    [(_, pid)] = executions()
    pool.close(kill=True)
    assert is_gone(pid)
    assert not list(Path(folder / "store").rglob("*.json"))
