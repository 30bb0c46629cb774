"""How long a plan may take, by what such tasks took before: on one worker, on several, on a cluster.

An estimate. A task is taken to last as long as the mean of those with the same kind and label, whatever their data and
recipe; what was measured on a busy machine tells of a busy machine. Of the adversary's models it makes no difference
which of them it is.
"""

from __future__ import annotations

import heapq
import os
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from divulge.graph import Graph, Task
from divulge.records import Record
from divulge.store import Entry

__all__ = ["OVERHEAD_SECONDS", "Costs", "TimeForecast", "likely_times", "makespan", "sort_of"]

# What a task costs beside its own work, at most: benchmarks/engine_overhead.py holds the engines to it.
OVERHEAD_SECONDS: Mapping[str, float] = {"local": 0.005, "ray": 0.02}
CLUSTERS = (8, 64)  # workers, as examples of a small and of a large cluster
NUMBERED = re.compile(r"^(\w+) \d+ of ")  # one of several models that are trained alike: "shadow 3 of tagger"


class TimeForecast(Record):
    """How long what is missing may take on an engine with so many workers, each doing one task at a time."""

    engine: Literal["local", "ray"]
    workers: int
    seconds: float | None  # None if some task is of a kind that was never done


class Costs:
    """What tasks took before."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        spent: dict[tuple[str, str | None], list[float]] = defaultdict(list)
        for entry in entries:
            if entry.seconds is not None:
                spent[entry.kind, sort_of(entry.label)].append(entry.seconds)
                spent[entry.kind, None].append(entry.seconds)
        self._means = {what: sum(seconds) / len(seconds) for what, seconds in spent.items()}

    def of(self, task: Task) -> float | None:
        """The mean of the same part's tasks; where it was never done, of others of its kind; None if there are none."""
        alike = self.of_alike(task)
        return self._means.get((task.kind, None)) if alike is None else alike

    def of_alike(self, task: Task) -> float | None:
        """The mean of tasks of the same kind and label; None if there are none."""
        return self._means.get((task.kind, sort_of(task.label)))


def sort_of(label: str) -> str:
    """The label without the number of one of several models.

    >>> sort_of("shadow 3 of text-generator"), sort_of("random")
    ('shadow of text-generator', 'random')
    """
    return NUMBERED.sub(r"\1 of ", label)


def likely_times(graph: Graph, missing: Sequence[Task], costs: Costs) -> tuple[TimeForecast, ...]:
    """The time for what is missing, on this machine with one worker and with one per core, and on two clusters."""
    known = {task.key: costs.of(task) for task in missing}
    seconds = {key: cost for key, cost in known.items() if cost is not None}
    cores = os.cpu_count() or 1
    settings: list[tuple[Literal["local", "ray"], int]] = [("local", count) for count in sorted({1, cores})]
    settings += [("ray", count) for count in CLUSTERS]
    return tuple(
        TimeForecast(
            engine=engine,
            workers=workers,
            seconds=round(makespan(graph, seconds, workers, OVERHEAD_SECONDS[engine]), 1)
            if len(seconds) == len(known)
            else None,
        )
        for engine, workers in settings
    )


def makespan(graph: Graph, seconds: Mapping[str, float], workers: int, overhead: float = 0.0) -> float:
    """When the last of these tasks would end, given out as an engine does: the first in line to the first who is free.

    Args:
        graph: The tasks and what they need.
        seconds: What each missing task takes, by key; all others are there already.
        workers: How many tasks run at once.
        overhead: What each task costs besides, in seconds.
    """
    waiting = {key: {need for need in graph[key].needs.values() if need in seconds} for key in seconds}
    ready = [(graph.place(key), key) for key, needs in waiting.items() if not needs]
    heapq.heapify(ready)
    running: list[tuple[float, str]] = []
    now = 0.0
    while ready or running:
        while ready and len(running) < workers:
            _, key = heapq.heappop(ready)
            heapq.heappush(running, (now + seconds[key] + overhead, key))
        now, ended = heapq.heappop(running)
        for dependent in graph.dependents(ended):
            needs = waiting.get(dependent)
            if needs is not None and ended in needs:
                needs.discard(ended)
                if not needs:
                    heapq.heappush(ready, (graph.place(dependent), dependent))
    return now
