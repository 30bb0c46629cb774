"""Which task may run next, and what a failure costs: pure bookkeeping, the same for every engine."""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Container, Iterable
from typing import NamedTuple

from divulge.graph import Graph, Holder, Task

__all__ = ["ATTEMPTS", "Schedule", "TaskFailure"]

ATTEMPTS = 3  # how often a task is started before its workers' deaths count as its own fault


class TaskFailure(NamedTuple):
    """Why a task came to no artefact.

    Attributes:
        reason: In words, without secret text.
        exit_code: What the command line gives: 2 for wrong input, 1 for most else.
        cause: The key of the task that failed first; the task's own unless a need of it failed.
    """

    reason: str
    exit_code: int
    cause: str


class Schedule:
    """The state of one run: what waits for needs, what is ready, what runs, what came of it.

    Tasks become ready in the graph's order of working, so that an interrupted run has finished whole cells rather
    than a bit of each.

    Args:
        graph: The tasks.
        store: Whatever can tell which artefacts are there.
        known: All keys that are there at the start, for a store where asking for each takes long.
        finals: Which tasks are wanted in themselves; None those that the graph says.
    """

    def __init__(
        self,
        graph: Graph,
        store: Holder,
        known: Container[str] | None = None,
        finals: Iterable[str] | None = None,
    ) -> None:
        self._graph = graph
        self._store = store
        self._waiting: dict[str, set[str]] = {}  # task -> needs still to be made
        self._ready: list[tuple[int, str]] = []  # a heap of (place, key)
        self._open: set[str] = set()  # waiting, ready or running
        self._troubles: Counter[str] = Counter()
        self.done: dict[str, None] = {}  # an ordered set
        self.cached: dict[str, None] = {}
        self.failures: dict[str, TaskFailure] = {}
        self.total = 0
        self._require(finals, store if known is None else _Listing(known))

    @property
    def unfinished(self) -> bool:
        """Whether anything waits, is ready or runs."""
        return bool(self._open)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of tasks that wait, are ready or run."""
        return tuple(sorted({self._graph[key].kind for key in self._open}))

    def next(self) -> Task | None:
        """Takes the next task that may run, or None if all others wait for running ones."""
        return self._graph[heapq.heappop(self._ready)[1]] if self._ready else None

    def finish(self, key: str, *, cached: bool = False) -> None:
        """A running task's artefact is in the store; `cached` if somebody else had put it there."""
        if not cached:
            self.done[key] = None
            self.cached.pop(key, None)
        elif key not in self.done:
            self.cached[key] = None
        self._open.discard(key)
        for dependent in self._graph.dependents(key):
            needs = self._waiting.get(dependent)
            if needs is not None:
                needs.discard(key)
                self._offer(dependent)

    def fail(self, key: str, reason: str, exit_code: int) -> tuple[str, ...]:
        """A running task failed for good; gives the keys it costs: its own, then all that depend on it."""
        self.failures[key] = TaskFailure(reason, exit_code, key)
        self._open.discard(key)
        return (key, *self._spread(key))

    def died(self, key: str, how: str) -> tuple[str, ...]:
        """A running task's worker died; the task is ready again, or it was the last attempt and the costs come back."""
        self._troubles[key] += 1
        if self._troubles[key] >= ATTEMPTS:
            hint = " (out of memory? try fewer workers)" if how == "signal 9" else ""
            return self.fail(key, f"worker died ({how}) {ATTEMPTS} times{hint}", 1)
        self.again(key)
        return ()

    def lost(self, key: str, need: str) -> tuple[str, ...]:
        """A running task found a need's artefact gone: that need is made again first, up to a limit."""
        self._troubles[key] += 1
        if self._troubles[key] >= ATTEMPTS:
            return self.fail(key, f"the artefact of {self._words(need)} was lost from the store {ATTEMPTS} times", 1)
        self._waiting[key] = set()
        self._require((need,), self._store)
        if need in self.failures:
            return self._spread(need)
        if need in self._open:
            self._waiting[key].add(need)
        self._offer(key)
        return ()

    def again(self, key: str) -> None:
        """A running task did not get to run; it is ready again."""
        heapq.heappush(self._ready, (self._graph.place(key), key))

    def _require(self, finals: Iterable[str] | None, holder: Holder) -> None:
        plan = self._graph.plan(holder, finals)
        self.cached.update((key, None) for key in plan.cached if key not in self.done)
        fresh = [task for task in plan.missing if task.key not in self._open and task.key not in self.failures]
        self._open.update(task.key for task in fresh)
        self.total += len(fresh)
        for task in fresh:
            self._waiting[task.key] = {need for need in task.needs.values() if need in self._open}
            self._offer(task.key)

    def _offer(self, key: str) -> None:
        if not self._waiting[key]:
            del self._waiting[key]
            self.again(key)

    def _spread(self, failed: str) -> tuple[str, ...]:
        # Names the first failure to all that hang on it, however far.
        cause = self.failures[failed].cause
        first = self.failures[cause]
        reached: list[str] = []
        front = [failed]
        while front:
            for dependent in self._graph.dependents(front.pop()):
                if dependent in self._waiting:
                    del self._waiting[dependent]
                    self._open.discard(dependent)
                    reason = f"needs {self._words(cause)}, which failed: {first.reason}"
                    self.failures[dependent] = TaskFailure(reason, first.exit_code, cause)
                    reached.append(dependent)
                    front.append(dependent)
        return tuple(reached)

    def _words(self, key: str) -> str:
        task = self._graph[key]
        return f"{task.kind} {task.label!r}" if task.label else f"{task.kind} {key[:12]}…"


class _Listing:
    """What was there when the store was listed."""

    def __init__(self, keys: Container[str]) -> None:
        self._keys = keys

    def has(self, key: str) -> bool:
        return key in self._keys
