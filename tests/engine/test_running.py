"""Tests of running a graph, with workers and whole runs that are killed for real."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.engine.sample_tasks import (
    EXECUTE,
    PATIENCE,
    contents,
    executions,
    gated_graph,
    is_gone,
    sample_graph,
    start_run,
    wait_until,
)

from divulge.engine import running
from divulge.engine.perform import perform, resolve
from divulge.engine.progress import Progress
from divulge.engine.running import TimeIsUpError, drive, run
from divulge.errors import ExecutionError, InputError
from divulge.graph import Graph
from divulge.store import Store


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What is in the store after an uninterrupted run of the sample graph in one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIVULGE_SAMPLE_FOLDER", str(folder))
        store = Store(folder / "store")
        report = run(sample_graph(), store, 0, EXECUTE)
        assert len(report.done) == len(executions()) == 10
    return contents(store)


def labels(graph, keys):
    """Keys as people read them."""
    return sorted(graph[key].label for key in keys)


def events(path: Path) -> list[dict]:
    """The log's entries."""
    return [json.loads(line) for line in path.read_text().splitlines()]


class Told(Progress):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.heard = []

    def begin(self, total, cached):
        self.heard.append(("begin", total, cached))

    def resize(self, total):
        self.heard.append(("resize", total))

    def ended(self, task, state, seconds, reason=""):
        self.heard.append((task.label, state, reason))

    def end(self):
        self.heard.append(("end",))


@pytest.mark.parametrize("workers", [0, 2])
def test_any_number_of_workers_gives_the_same_artefacts(store, undisturbed, workers):
    """In this process or in several, the artefacts are the same to the byte, and nothing is done twice."""
    graph = sample_graph()
    report = run(graph, store, workers, EXECUTE)
    assert sorted(report.done) == sorted(task.key for task in graph)
    assert (report.cached, report.failures) == ((), {})
    assert report.seconds > 0
    assert contents(store) == undisturbed
    assert len(executions()) == 10
    again = run(graph, store, workers, EXECUTE)
    assert again.done == ()
    assert labels(graph, again.cached) == ["measure"]
    assert len(executions()) == 10


def test_only_what_is_missing_is_done(store):
    """Cleared ancestors of a stored final stay cleared; a missing final takes what is still there."""
    graph = sample_graph()
    run(graph, store, 0, EXECUTE)
    store.clear("train-target")
    assert run(graph, store, 0, EXECUTE).done == ()
    store.clear("measure")
    report = run(graph, store, 0, EXECUTE)
    assert labels(graph, report.done) == ["measure"]
    assert len(report.cached) == 6


@pytest.mark.parametrize(
    ("workers", "raises", "reason", "exit_code"),
    [
        (0, "input", "input was wrong", 2),
        (0, "evidence", "evidence was wrong", 3),
        (0, "value", "ValueError at engine/sample_tasks.py:", 1),
        (2, "value", "ValueError at engine/sample_tasks.py:", 1),
        (0, "exit", "SystemExit at engine/sample_tasks.py:", 1),
    ],
)
def test_a_failing_task_costs_only_itself_and_its_dependents(store, folder, workers, raises, reason, exit_code):
    """The others are done; the failure and what depends on it carry the reason and exit code; nothing is retried."""
    graph = sample_graph(raises=raises)
    report = run(graph, store, workers, EXECUTE, log=folder / "log.jsonl")
    assert labels(graph, report.failures) == ["attack 2.1", "measure"]
    assert len(report.done) == 8
    by_label = {graph[key].label: failure for key, failure in report.failures.items()}
    assert by_label["attack 2.1"].reason.startswith(reason)
    assert by_label["measure"].reason == f"needs attack 'attack 2.1', which failed: {by_label['attack 2.1'].reason}"
    assert {failure.exit_code for failure in by_label.values()} == {exit_code}
    assert len(executions()) == 9
    assert "swordfish" not in str(report) + (folder / "log.jsonl").read_text()


@pytest.mark.parametrize("workers", [0, 1])
def test_debugging_shows_messages_and_traces(store, folder, workers):
    """With debug the reason quotes the unexpected error, and the trace is in the log only."""
    graph = sample_graph(raises="value")
    report = run(graph, store, workers, EXECUTE, log=folder / "log.jsonl", debug=True)
    [reason] = [failure.reason for key, failure in report.failures.items() if failure.cause == key]
    assert reason.endswith(": the word is swordfish")
    [failed] = [entry for entry in events(folder / "log.jsonl") if "trace" in entry]
    assert "Traceback" in failed["trace"]
    assert failed["label"] == "attack 2.1"


def test_a_failed_task_is_tried_again_by_the_next_run(store):
    """A failure is not stored: the same call does the failed task and its dependents again."""
    run(sample_graph(raises="input"), store, 0, EXECUTE)
    report = run(sample_graph(raises="input"), store, 0, EXECUTE)
    assert len(report.failures) == 2
    assert report.done == ()
    assert len(executions()) == 10


def test_a_killed_worker_costs_only_its_task(store, folder):
    """Kill -9 of a worker in the middle of a task: a new worker does the task, and the result is the same."""
    graph = sample_graph(gate="late")
    (folder / "late.open").touch()
    plain = Store(folder / "plain")
    run(graph, plain, 0, EXECUTE)
    before = len(executions())
    for mark in ("late.open", "late.begun"):
        (folder / mark).unlink()

    def kill():
        wait_until((folder / "late.begun").exists, "the task begins")
        late = next(task.key for task in graph if task.label == "attack 2.1")
        pid = next(pid for key, pid in executions()[before:] if key == late)
        os.kill(pid, signal.SIGKILL)
        (folder / "late.open").touch()

    killer = threading.Thread(target=kill)
    killer.start()
    report = run(graph, store, 2, EXECUTE, log=folder / "log.jsonl")
    killer.join()
    assert report.failures == {}
    assert len(report.done) == 10
    assert len(executions()) == before + 11
    [died] = [entry for entry in events(folder / "log.jsonl") if entry["event"] == "died"]
    assert (died["label"], died["reason"]) == ("attack 2.1", "signal 9")
    assert contents(store) == contents(plain)


def test_a_task_that_kills_its_workers_fails_after_three(store, folder):
    """A task whose worker dies every time is given up with the reason; the others are done all the same."""
    graph = sample_graph(dies=7)
    told = Told()
    report = run(graph, store, 2, EXECUTE, progress=told, log=folder / "log.jsonl")
    assert labels(graph, report.failures) == ["attack 2.1", "measure"]
    deadly = next(task for task in graph if task.label == "attack 2.1")
    assert report.failures[deadly.key].reason == "worker died (exit code 7) 3 times"
    assert [key for key, _ in executions()].count(deadly.key) == 3
    assert len(report.done) == 8
    assert told.heard.count(("attack 2.1", "retry", "exit code 7")) == 2
    assert told.heard.count(("attack 2.1", "failed", "worker died (exit code 7) 3 times")) == 1
    kinds = [entry["event"] for entry in events(folder / "log.jsonl") if entry.get("label") == "attack 2.1"]
    assert kinds == ["start", "died"] * 3 + ["failed"]


@pytest.mark.parametrize("workers", [0, 2])
@pytest.mark.parametrize("moment", [1, 6])
def test_a_killed_run_is_resumed(store, undisturbed, workers, moment):
    """Kill -9 of the run at any moment: no worker stays, and the next run does only the rest, with the same result."""
    process = start_run("sample", store.root, workers)
    wait_until(lambda: len(executions()) >= moment, f"{moment} tasks begin")
    process.kill()
    process.communicate()
    wait_until(lambda: all(is_gone(pid) for _, pid in executions()), "the workers end")
    finished = {entry.key for entry in store.entries()}
    report = run(sample_graph(), store, 0, EXECUTE)
    again = {key for key, pid in executions() if pid == os.getpid()}
    assert report.failures == {}
    assert again.isdisjoint(finished)
    assert again == set(report.done)
    assert contents(store) == undisturbed


def test_a_run_killed_in_the_middle_of_a_task_leaves_no_orphan(store, folder):
    """After kill -9 of the run, the worker in the middle of its task ends by itself, without an artefact."""
    process = start_run("gated", store.root, 1)
    wait_until((folder / "late.begun").exists, "the second task begins")
    process.kill()
    process.communicate()
    wait_until(lambda: all(is_gone(pid) for _, pid in executions()), "the workers end")
    assert [entry.label for entry in store.entries()] == ["quick"]
    (folder / "late.open").touch()
    report = run(gated_graph(), store, 0, EXECUTE)
    assert labels(gated_graph(), report.done) == ["late"]


@pytest.mark.parametrize(
    ("workers", "number", "whole_group"),
    [(0, signal.SIGINT, False), (1, signal.SIGINT, True), (1, signal.SIGTERM, False)],
)
def test_an_interrupt_keeps_what_is_finished(store, folder, workers, number, whole_group):
    """Ctrl-C (to the run, or to its group as a terminal sends it) and SIGTERM end the run and all its workers."""
    process = start_run("gated", store.root, workers)
    wait_until((folder / "late.begun").exists, "the second task begins")
    if whole_group:
        os.killpg(process.pid, number)
    else:
        process.send_signal(number)
    process.communicate()
    assert process.returncode == 130
    assert all(is_gone(pid) for _, pid in executions())
    assert [entry.label for entry in store.entries()] == ["quick"]
    assert events(folder / "log.jsonl")[-1]["event"] == "interrupted"
    (folder / "late.open").touch()
    begun = len(executions())
    report = run(gated_graph(), store, 0, EXECUTE)
    assert labels(gated_graph(), report.done) == ["late"]
    assert len(executions()) == begun + 1


def test_two_runs_on_one_store(store, undisturbed):
    """Two runs at once on one store both come to the end, with the same artefacts and no leftovers."""
    processes = [start_run("sample", store.root, workers) for workers in (1, 2)]
    for process in processes:
        out, _ = process.communicate()
        report = json.loads(out)
        assert process.returncode == 0
        assert report["failures"] == {}
    assert contents(store) == undisturbed
    assert not any((store.root / "partial").iterdir())


@pytest.mark.parametrize("workers", [0, 1])
def test_a_corrupt_need_is_made_again(store, folder, workers):
    """An artefact that turns out to be corrupt when it is needed is made anew within the same run."""
    graph = sample_graph()
    run(graph, store, 0, EXECUTE)
    before = contents(store)
    train, attack = (next(task.key for task in graph if task.label == label) for label in ("train 1", "attack 1.0"))
    for key in (attack, next(task.key for task in graph if task.kind == "measure")):
        store.delete(key)
    path = store.root / train[:2] / f"{train}.safetensors"
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    told = Told()
    report = run(graph, store, workers, EXECUTE, progress=told)
    assert report.failures == {}
    assert labels(graph, report.done) == ["attack 1.0", "measure", "train 1"]
    assert train not in report.cached
    assert contents(store) == before
    assert ("resize", 3) in told.heard


def test_the_log_and_the_progress_tell_the_story(store, folder):
    """Every task has its start and its end in the log with worker and seconds, and is told of once."""
    told = Told()
    graph = gated_graph()
    (folder / "late.open").touch()
    for _ in range(2):
        run(graph, store, 1, EXECUTE, progress=told, log=folder / "log.jsonl")
    log = events(folder / "log.jsonl")
    told_of = [(entry["event"], entry.get("label")) for entry in log]
    tasks = [(event, label) for label in ("quick", "late") for event in ("start", "done")]
    assert told_of == [("run-start", None), *tasks, ("run-end", None), ("run-start", None), ("run-end", None)]
    assert (log[0]["tasks"], log[0]["cached"]) == (2, 0)
    assert all(entry["worker"] == "worker-1" and entry["seconds"] >= 0 for entry in log if entry["event"] == "done")
    first = [("begin", 2, 0), ("quick", "done", ""), ("late", "done", ""), ("end",)]
    assert told.heard == [*first, ("begin", 0, 1), ("end",)]


def test_a_function_that_cannot_be_found_is_wrong_input(store):
    """A wrong module:function is the caller's mistake."""
    with pytest.raises(InputError, match="'nowhere:nothing' cannot be loaded"):
        run(sample_graph(), store, 0, "nowhere:nothing")


def test_workers_cannot_be_negative(store):
    """Fewer than no workers is a programming error."""
    with pytest.raises(ValueError, match="at least 0"):
        run(Graph(), store, -1, EXECUTE)


def test_no_worker_is_started_for_nothing(store, monkeypatch):
    """With nothing to do, no process is started."""
    monkeypatch.setattr(subprocess, "Popen", pytest.fail)
    assert run(Graph(), store, 4, EXECUTE).done == ()


def test_the_engine_runs_in_a_thread_and_leaves_handlers_alone(store):
    """A caller's own thread may run the engine; in the main thread the SIGTERM handler is put back."""
    reports = []
    thread = threading.Thread(target=lambda: reports.append(run(sample_graph(), store, 1, EXECUTE)))
    thread.start()
    thread.join()
    assert len(reports[0].done) == 10
    before = signal.getsignal(signal.SIGTERM)
    run(sample_graph(), store, 0, EXECUTE)
    assert signal.getsignal(signal.SIGTERM) is before


class Cluster:
    """Somebody else who does tasks: three at a time, answered last first, or not at all."""

    def __init__(self, store, *, broken=False):
        self.store, self.broken = store, broken
        self.tasks, self.most, self.closed = [], 0, []
        self.expected = ()

    def expect(self, kinds):
        self.expected = kinds

    def free(self):
        return 3 - len(self.tasks)

    def submit(self, task):
        self.tasks.append(task)
        self.most = max(self.most, len(self.tasks))
        return "node"

    def wait(self, seconds=None):
        if self.broken:
            raise ExecutionError("the cluster is gone")
        return [perform(self.tasks.pop(), self.store, resolve(EXECUTE))]

    def close(self, *, kill=False):
        self.closed.append(kill)


def test_any_executor_can_be_driven(store, undisturbed):
    """The loop asks only for expect, free, submit, wait and close: it fills what is free, closes without killing."""
    cluster = Cluster(store)
    report = drive(sample_graph(), store, cluster)
    assert len(report.done) == 10
    assert contents(store) == undisturbed
    assert (cluster.most, cluster.closed) == (3, [False])
    assert set(cluster.expected) == {task.kind for task in sample_graph()}
    again = Cluster(store)
    drive(sample_graph(), store, again)
    assert again.expected == ()  # of what is there nothing is asked


def test_an_executor_that_fails_is_killed(store, folder):
    """When the executor itself fails, it is closed at once, the progress ends, and the log says so."""
    cluster, told = Cluster(store, broken=True), Told()
    with pytest.raises(ExecutionError, match="the cluster is gone"):
        drive(sample_graph(), store, cluster, progress=told, log=folder / "log.jsonl")
    assert cluster.closed == [True]
    assert told.heard[-1] == ("end",)
    assert events(folder / "log.jsonl")[-1]["event"] == "run-failed"


SCRIPT = """
from pathlib import Path
from divulge.engine.running import drive, run
from divulge.graph import Graph, Task
from divulge.store import Store
graph = Graph()
for number in range(4):
    graph.add(Task(kind="mine", payload={"number": number}))
for workers in (2, 0):
    store = Store(Path(__file__).parent / f"store-{workers}")
    report = run(graph, store, workers, "my_work:execute")
    print(len(report.done), sorted(store.get(key).values["square"] for key in report.done))
"""

MODULE = """
from divulge.records import Artefact
def execute(task, store):
    print("some noise")
    return Artefact({"square": task.payload["number"] ** 2})
"""


def test_a_plain_script_without_a_main_guard(tmp_path):
    """A script that calls the engine at its top level works, with a module beside it, and owns its output."""
    (tmp_path / "script.py").write_text(SCRIPT)
    (tmp_path / "my_work.py").write_text(MODULE)
    answer = subprocess.run([sys.executable, tmp_path / "script.py"], capture_output=True, text=True, check=True)
    assert answer.stdout.splitlines() == ["4 [0, 1, 4, 9]"] * 2


@pytest.mark.parametrize("workers", [0, 1])
def test_a_run_may_be_given_so_much_time(store, folder, workers, monkeypatch):
    """What was finished is kept, nothing runs on, the log says how it ended; the next run does what is missing."""
    graph = gated_graph()
    # The clock stands still until the second task has begun.
    clock = SimpleNamespace(perf_counter=lambda: 3.0 if (folder / "late.begun").exists() else 0.0)
    monkeypatch.setattr(running, "time", clock)
    with pytest.raises(TimeIsUpError, match=r"the time is up \(3 s\): 1 of 2 tasks are done and kept"):
        run(graph, store, workers, EXECUTE, log=folder / "log.jsonl", seconds=3.0)
    assert labels(graph, [entry.key for entry in store.entries()]) == ["quick"]
    assert [entry["event"] for entry in events(folder / "log.jsonl")][-1] == "run-failed"
    if workers:
        assert all(is_gone(pid) for _, pid in executions())
    monkeypatch.undo()
    monkeypatch.setenv("DIVULGE_SAMPLE_FOLDER", str(folder))
    (folder / "late.open").touch()
    report = run(graph, store, workers, EXECUTE, seconds=PATIENCE)
    assert labels(graph, report.done) == ["late"]


def test_a_run_that_ends_in_time_is_not_told_that_it_is_up(store):
    """Nothing is left to do when the clock is looked at; and nothing to do takes no time."""
    assert len(run(sample_graph(), store, 0, EXECUTE, seconds=PATIENCE).done) == 10
    assert run(sample_graph(), store, 0, EXECUTE, seconds=0.0).failures == {}
