"""Tests of the worker process: its protocol, in this process and as a process of its own."""

from __future__ import annotations

import io
import json
import os
import queue
import signal
import subprocess
import sys
import threading

import pytest
from tests.engine.sample_tasks import EXECUTE, executions, is_gone, wait_until

from divulge.engine.worker import Inbox, serve
from divulge.graph import Task
from divulge.store import Store


def setting(folder, execute=EXECUTE):
    """The first line a worker is told."""
    return {"execute": execute, "store": str(folder / "store"), "path": sys.path, "debug": False}


def lines(*messages):
    """Messages as they come through the pipe."""
    return b"".join(json.dumps(message).encode() + b"\n" for message in messages)


def start(folder, *messages):
    """A worker process that was sent these messages and keeps its input open."""
    with (folder / "stderr").open("wb") as stderr:
        worker = subprocess.Popen(
            [sys.executable, "-m", "divulge.engine.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=stderr,
            process_group=0,
        )
    worker.stdin.write(lines(*messages))
    worker.stdin.flush()
    return worker


def test_tasks_are_answered_in_order(folder):
    """After the setting the worker is ready, does each task, stores its artefact and answers with its key."""
    fine = Task(kind="attack", payload={"seed": 1})
    wrong = Task(kind="attack", payload={"raises": "input"})
    messages = lines(setting(folder), fine.model_dump(mode="json"), wrong.model_dump(mode="json"))
    hold = queue.SimpleQueue()

    def stream():
        yield from io.BytesIO(messages)
        hold.get()  # the parent is there until all is answered

    out = io.BytesIO()
    before = sys.path.copy()
    thread = threading.Thread(target=serve, args=(Inbox(stream(), pytest.fail), out))
    thread.start()
    wait_until(lambda: out.getvalue().count(b"\n") == 3, "three answers")
    hold.put(None)
    thread.join()
    ready, done, failed = map(json.loads, out.getvalue().splitlines())
    assert ready == {"ready": os.getpid()}
    assert (done["key"], done["state"]) == (fine.key, "done")
    assert Store(folder / "store").has(fine.key)
    assert failed["state"] == "failed"
    assert (failed["reason"], failed["exit_code"]) == ("input was wrong", 2)
    assert sys.path == before


def test_the_end_of_input_in_the_middle_of_a_task_abandons_it():
    """When the parent goes while a task is under way, the worker is told at once; when idle, it just ends."""
    abandoned = queue.SimpleQueue()
    inbox = Inbox(iter([b"1\n"]), lambda: abandoned.put("now"))
    assert inbox.take() == 1
    assert abandoned.get(timeout=60) == "now"
    idle = Inbox(iter([]), pytest.fail)
    assert idle.take() is None


def test_a_function_that_cannot_be_found_is_reported(folder):
    """The parent hears why, rather than seeing workers die."""
    worker = start(folder, setting(folder, "tests.engine.sample_tasks:nothing"))
    said = json.loads(worker.stdout.readline())
    assert "'tests.engine.sample_tasks:nothing' cannot be loaded" in said["unfit"]
    worker.communicate()


def test_a_module_that_cannot_be_imported_is_reported(folder, tmp_path):
    """Sources that are broken on the way to the function are named, rather than seen as workers that die."""
    (tmp_path / "broken_module.py").write_text("def execute(:\n", encoding="utf-8")
    told = setting(folder, "broken_module:execute")
    worker = start(folder, {**told, "path": [str(tmp_path), *told["path"]]})
    assert json.loads(worker.stdout.readline())["unfit"].startswith("SyntaxError: ")
    worker.communicate()


def test_what_a_task_prints_does_not_reach_the_protocol(folder):
    """Lines from print, from file descriptor 1 and from a child process all go to stderr."""
    task = Task(kind="attack", payload={"chatty": True})
    worker = start(folder, setting(folder), task.model_dump(mode="json"))
    assert "ready" in json.loads(worker.stdout.readline())
    assert json.loads(worker.stdout.readline())["state"] == "done"
    rest, _ = worker.communicate()
    assert rest == b""
    assert worker.returncode == 0
    printed = (folder / "stderr").read_text()
    assert '{"key": "none"}' in printed
    assert "[1, 2]\n{}" in printed


def test_ctrl_c_is_ignored(folder):
    """An interrupt that reaches the worker too does not end the task."""
    task = Task(kind="attack", payload={"gate": "late"})
    worker = start(folder, setting(folder), task.model_dump(mode="json"))
    wait_until((folder / "late.begun").exists, "the task begins")
    os.kill(worker.pid, signal.SIGINT)
    (folder / "late.open").touch()
    assert "ready" in json.loads(worker.stdout.readline())
    assert json.loads(worker.stdout.readline())["state"] == "done"
    worker.communicate()


def test_a_worker_does_not_outlive_its_parent(folder):
    """When its input ends in the middle of a task, the worker ends without finishing it."""
    task = Task(kind="attack", payload={"gate": "never"})
    worker = start(folder, setting(folder), task.model_dump(mode="json"))
    wait_until((folder / "never.begun").exists, "the task begins")
    worker.stdin.close()
    assert worker.wait(60) == -signal.SIGKILL
    worker.stdout.close()
    [(_, pid)] = executions()
    assert is_gone(pid)
    assert not Store(folder / "store").has(task.key)
