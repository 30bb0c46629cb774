"""Runs a task graph: whatever the store lacks, each task as soon as its needs are there.

What is finished stays in the store whatever happens next, so the same call again does only what is missing.
"""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from divulge.engine.perform import Answer, perform, resolve, single_thread
from divulge.engine.pool import WorkerPool
from divulge.engine.progress import Progress, RunLog
from divulge.engine.schedule import Schedule, TaskFailure
from divulge.graph import Graph, Task
from divulge.store import Store

__all__ = ["EngineReport", "Executor", "drive", "run"]


@dataclass(frozen=True)
class EngineReport:
    """What a run came to.

    Attributes:
        done: Keys of the tasks it did.
        cached: Keys of the artefacts it found in the store and used or was asked for.
        failures: Why the others came to nothing, by key.
        seconds: How long it took.
    """

    done: tuple[str, ...]
    cached: tuple[str, ...]
    failures: Mapping[str, TaskFailure]
    seconds: float


class Executor(Protocol):
    """Who does the tasks: this process, worker processes, a cluster."""

    def free(self) -> int:
        """How many tasks could be taken now."""

    def submit(self, task: Task) -> str:
        """Takes a task whose needs are in the store; gives the name of who does it."""

    def wait(self) -> list[Answer]:
        """Waits until at least one submitted task is answered for."""

    def close(self, *, kill: bool = False) -> None:
        """Ends all work; `kill` does not wait for tasks under way."""


def run(
    graph: Graph,
    store: Store,
    workers: int,
    execute: str,
    *,
    progress: Progress | None = None,
    log: Path | None = None,
    debug: bool = False,
) -> EngineReport:
    """Does all that is missing for the graph's final tasks, on this machine.

    Args:
        graph: The tasks.
        store: Where artefacts are found and put.
        workers: How many worker processes, one thread each; 0 does the tasks in this process.
        execute: "module:function", called with a task and the store; gives the task's artefact.
        progress: Whom to tell; None tells nobody.
        log: Where to append events as JSON lines.
        debug: Whether reasons may quote unexpected errors, and traces go to the log: they may hold raw data.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM; what was finished is in the store.
        InputError: `execute` cannot be loaded.
    """
    if workers < 0:
        raise ValueError(f"workers must be at least 0. Got {workers}")
    with _terminable():
        executor = WorkerPool(workers, execute, store, debug=debug) if workers else _Inline(execute, store, debug=debug)
        return drive(graph, store, executor, progress=progress, log=log)


def drive(
    graph: Graph, store: Store, executor: Executor, *, progress: Progress | None = None, log: Path | None = None
) -> EngineReport:
    """The loop behind every engine: gives out what is ready, books what comes back, closes the executor."""
    begin = time.perf_counter()
    progress = progress or Progress()
    with contextlib.ExitStack() as stack:
        stack.push(lambda kind, *_: executor.close(kill=kind is not None))
        journal = stack.enter_context(RunLog(log))
        stack.callback(progress.end)
        schedule = Schedule(graph, store)
        books = _Books(schedule, graph, progress, journal)
        journal.write("run-start", tasks=schedule.total, cached=len(schedule.cached))
        progress.begin(schedule.total, len(schedule.cached))
        while schedule.unfinished:
            while executor.free() and (task := schedule.next()):
                worker = executor.submit(task)
                journal.write("start", task, worker=worker)
                progress.started(task)
            for answer in executor.wait():
                books.enter(answer)
    seconds = time.perf_counter() - begin
    return EngineReport(tuple(schedule.done), tuple(schedule.cached), dict(schedule.failures), seconds)


class _Books:
    """Enters answers into the schedule, and passes on what they mean."""

    def __init__(self, schedule: Schedule, graph: Graph, progress: Progress, journal: RunLog) -> None:
        self._schedule = schedule
        self._graph = graph
        self._progress = progress
        self._journal = journal

    def enter(self, answer: Answer) -> None:
        """Books one answer."""
        task, schedule = self._graph[answer.key], self._schedule
        facts = {"seconds": answer.seconds, "worker": answer.worker, "reason": answer.reason, "trace": answer.trace}
        self._journal.write(answer.state, task, need=answer.need, **facts)
        costs: tuple[str, ...] = ()
        if answer.state in ("done", "cached"):
            schedule.finish(task.key, cached=answer.state == "cached")
            self._progress.ended(task, answer.state, answer.seconds)
        elif answer.state == "failed":
            costs = schedule.fail(task.key, answer.reason, answer.exit_code)
        elif answer.state == "died":
            costs = schedule.died(task.key, answer.reason)
        elif answer.need is not None:
            costs = schedule.lost(task.key, answer.need)
            self._progress.resize(schedule.total)
        else:
            schedule.again(task.key)
        if answer.state in ("died", "lost", "unstarted") and task.key not in costs:
            reason = answer.reason or "an artefact it needs is gone from the store"
            self._progress.ended(task, "retry", answer.seconds, reason)
        for key in costs:
            reason = schedule.failures[key].reason
            if key != task.key or answer.state != "failed":
                self._journal.write("failed", self._graph[key], reason=reason)
            self._progress.ended(self._graph[key], "failed", answer.seconds, reason)


class _Inline:
    """Does each task in this process when it is waited for."""

    def __init__(self, execute: str, store: Store, *, debug: bool) -> None:
        self._execute = resolve(execute)
        self._store = store
        self._debug = debug
        self._task: Task | None = None
        self._context = contextlib.ExitStack()
        self._context.enter_context(single_thread())

    def free(self) -> int:
        return 1 if self._task is None else 0

    def submit(self, task: Task) -> str:
        self._task = task
        return "inline"

    def wait(self) -> list[Answer]:
        assert self._task is not None
        task, self._task = self._task, None
        # As in a worker, what a task prints must not mix with the caller's own output.
        with contextlib.redirect_stdout(sys.stderr):
            answer = perform(task, self._store, self._execute, debug=self._debug)
        return [answer.model_copy(update={"worker": "inline"})]

    def close(self, *, kill: bool = False) -> None:  # noqa: ARG002 - nothing is under way
        self._context.close()


@contextlib.contextmanager
def _terminable() -> Iterator[None]:
    # SIGTERM stops a run as Ctrl-C does. Only the main thread may set handlers; elsewhere its owner decides.
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
