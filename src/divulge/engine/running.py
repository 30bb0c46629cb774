"""Runs a task graph: whatever the store lacks, each task as soon as its needs are there.

What is finished stays in the store whatever happens next, so the same call again does only what is missing.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from divulge.engine.inline import Inline, terminable
from divulge.engine.perform import Answer
from divulge.engine.pool import WorkerPool
from divulge.engine.progress import Progress, RunLog
from divulge.engine.requests import Cluster
from divulge.engine.schedule import Schedule, TaskFailure
from divulge.errors import ExecutionError, InputError
from divulge.graph import Graph, Task
from divulge.store import Store

__all__ = ["EngineReport", "Executor", "TimeIsUpError", "drive", "run"]


class TimeIsUpError(ExecutionError):
    """A run was given so much time and no more; what was finished is in the store."""


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

    def expect(self, kinds: Iterable[str]) -> None:
        """Refuses, before anything is done, kinds of tasks that could never be done."""

    def free(self) -> int:
        """How many tasks could be taken now."""

    def submit(self, task: Task) -> str:
        """Takes a task whose needs are in the store; gives the name of who does it."""

    def wait(self, seconds: float | None = None) -> list[Answer]:
        """Waits until at least one submitted task is answered for, or so many seconds have passed."""

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
    cluster: Cluster | None = None,
    seconds: float | None = None,
    finals: Iterable[str] | None = None,
) -> EngineReport:
    """Does all that is missing for the graph's final tasks, on this machine or on a cluster.

    Args:
        graph: The tasks.
        store: Where artefacts are found and put.
        workers: How many worker processes, one thread each; 0 does the tasks in this process.
        execute: "module:function", called with a task and the store; gives the task's artefact.
        progress: Whom to tell; None tells nobody.
        log: Where to append events as JSON lines.
        debug: Whether reasons may quote unexpected errors, and traces go to the log: they may hold raw data.
        cluster: A cluster that does the tasks, in place of workers on this machine.
        seconds: How long it may take; None as long as it takes.
        finals: Which tasks are wanted in themselves; None those that the graph says.

    Raises:
        KeyboardInterrupt: Ctrl-C or SIGTERM; what was finished is in the store.
        TimeIsUpError: `seconds` have passed; what was finished is in the store.
        InputError: `execute` cannot be loaded.
    """
    if workers < 0:
        raise ValueError(f"workers must be at least 0. Got {workers}")
    if (workers or cluster) and not store.shared:
        raise InputError(f"the store {store.location} is in this process alone: use --workers 0, or another store")
    begin = time.perf_counter()
    executor: Executor
    if cluster is not None:
        from divulge.engine.ray_cluster import RayCluster

        executor = RayCluster(cluster, execute, store, debug=debug)
    elif workers:
        executor = WorkerPool(workers, execute, store, debug=debug)
    else:
        executor = Inline(execute, store, debug=debug)
    with terminable():  # after the cluster's library, which has a handler of its own
        return drive(graph, store, executor, progress=progress, log=log, seconds=seconds, since=begin, finals=finals)


def drive(
    graph: Graph,
    store: Store,
    executor: Executor,
    *,
    progress: Progress | None = None,
    log: Path | None = None,
    seconds: float | None = None,
    since: float | None = None,
    finals: Iterable[str] | None = None,
) -> EngineReport:
    """The loop behind every engine: gives out what is ready, books what comes back, closes the executor.

    `seconds` count from `since`, by the clock of `time.perf_counter`; from now, if that is None.
    """
    begin = time.perf_counter()
    clock = _Clock(begin if since is None else since, seconds)
    progress = progress or Progress()
    with contextlib.ExitStack() as stack:
        stack.push(lambda kind, *_: executor.close(kill=kind is not None))
        journal = stack.enter_context(RunLog(log))
        stack.callback(progress.end)
        schedule = Schedule(graph, store, store.known(), finals)
        books = _Books(schedule, graph, progress, journal)
        journal.write("run-start", tasks=schedule.total, cached=len(schedule.cached))
        progress.begin(schedule.total, len(schedule.cached))
        executor.expect(schedule.kinds)
        while schedule.unfinished:
            while executor.free() and (task := schedule.next()):
                worker = executor.submit(task)
                journal.write("start", task, worker=worker)
                progress.started(task)
            for answer in executor.wait(clock.left()):
                books.enter(answer)
            clock.check(schedule)
    took = time.perf_counter() - begin
    return EngineReport(tuple(schedule.done), tuple(schedule.cached), dict(schedule.failures), took)


class _Clock:
    """How much time is left, where there is a limit."""

    def __init__(self, begin: float, seconds: float | None) -> None:
        self._limit = seconds
        self._end = None if seconds is None else begin + seconds

    def left(self) -> float | None:
        return None if self._end is None else max(0.0, self._end - time.perf_counter())

    def check(self, schedule: Schedule) -> None:
        if self.left() == 0.0 and schedule.unfinished:
            done, total = len(schedule.done), schedule.total
            raise TimeIsUpError(
                f"the time is up ({self._limit:.0f} s): {done} of {total} tasks are done and kept. "
                "The same command again does only what is missing"
            )


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
