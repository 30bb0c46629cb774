"""What studies cost at paper scale, from their plans and from what such tasks took before.

    python -m benchmarks.scaling --store STORE [--store STORE …] [STUDY …]
    python -m benchmarks.scaling --store STORE --measure quick [STUDY …]
    python -m benchmarks.scaling tables

Plans each study, gives every task the mean seconds of those with the same kind and label (measuring: of the same kind),
as many times as it has more to do than these (see task_work), and gives the tasks out as an engine would. What tasks
took is read from the stores and kept in results/benchmarks/task-costs.json with what they had to do, so that what was
measured once, in a store that is gone, counts on; of two means the one of more tasks stays. What studies cost is kept
in results/benchmarks/scaling.json, study by study: a study that is named again takes the place of what was there.
`tables` prints the tables of docs/scaling.md from that file.

`--measure quick` runs, of each study at that scale, one task of every kind and label that was never measured, and what
it needs. The artefacts stay in the store, so that the study itself goes on from there.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

from benchmarks.ratios import PLACE
from benchmarks.task_work import Works
from divulge.auditing.timing import OVERHEAD_SECONDS, Costs, makespan, sort_of
from divulge.engine.running import run
from divulge.errors import AuditError
from divulge.graph import Graph, Task
from divulge.runs import EXECUTE
from divulge.store import Entry, Store
from divulge.studies import STUDIES, study_named
from divulge.studies.planning import plan_study

__all__ = ["SETTINGS", "cost_of", "filled", "main", "never_measured", "spent", "tables", "times_as_much"]

KEPT = PLACE / "scaling.json"
SPENT = PLACE / "task-costs.json"
CORES = 2  # of a node: what was measured here was measured on such a machine
GPU_SPEED = 10.0  # assumed, not measured: nothing of ours runs on a graphics card
CHEAP_KINDS = ("measure",)
GPU_KINDS = ("train-target", "train-practice", "prepare", "attack")
# Column of the table -> engine, tasks at once, whether with graphics cards (one for each node, one task on each).
SETTINGS: dict[str, tuple[str, int, bool]] = {
    "this machine": ("local", CORES, False),
    "8 nodes": ("ray", 8 * CORES, False),
    "64 nodes": ("ray", 64 * CORES, False),
    "8 nodes, GPU": ("ray", 8, True),
}


def spent(
    entries: Iterable[Entry], before: Sequence[Mapping[str, Any]] = (), works: Mapping[str, float] | None = None
) -> list[dict[str, Any]]:
    """The mean seconds of tasks by kind and sort, and their mean work: of the entries, or, of more tasks, from before.

    `works` is by key. Where the work of what was measured is not known, None stands for it.
    """
    found: dict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in entries:
        if entry.seconds is not None:
            found[entry.kind, sort_of(entry.label)].append(entry)
    means = {(one["kind"], sort_of(one["label"])): {**one, "label": sort_of(one["label"])} for one in before}
    for (kind, label), entries_alike in found.items():
        # Where seconds of the processor are known, no others count: beside other work a task takes longer.
        done = [entry for entry in entries_alike if entry.processor is not None] or entries_alike
        if len(done) >= means.get((kind, label), {"n": 0})["n"]:
            mean = round(sum(entry.processor or entry.seconds or 0.0 for entry in done) / len(done), 3)
            known = [works[entry.key] for entry in done if works is not None and entry.key in works]
            work = sum(known) / len(known) if len(known) == len(done) else None
            old = means.get((kind, label), {}).get("work") if work is None else work
            means[kind, label] = {"kind": kind, "label": label, "n": len(done), "seconds": mean, "work": old}
    return [means[what] for what in sorted(means)]


def filled(means: Sequence[Mapping[str, Any]], planned: Mapping[tuple[str, str], float]) -> list[dict[str, Any]]:
    """The same, where work is not known with that of such tasks as they are planned at the scale of measuring."""
    return [
        {**one, "work": planned.get((one["kind"], one["label"])) if one.get("work") is None else one["work"]}
        for one in means
    ]


def times_as_much(means: Sequence[Mapping[str, Any]], works: Works) -> Callable[[Task], float]:
    """How many times as much a task has to do as those that were measured; 1 where that is not known."""
    usual = {(one["kind"], one["label"]): one.get("work") for one in means}

    def factor(task: Task) -> float:
        before = usual.get((task.kind, sort_of(task.label)))
        now = works.of(task) if before else None
        return now / before if now and before else 1.0

    return factor


def cost_of(graph: Graph, costs: Costs, factor: Callable[[Task], float] = lambda _: 1.0) -> dict[str, Any]:
    """Hours of work and of waiting, by setting; None where a task of some kind and label was never measured.

    `factor` tells how many times as much a task has to do as those that were measured.
    """
    # A model of another kind tells nothing of this one; to measure is a matter of seconds for all.
    known = {task.key: costs.of(task) if task.kind in CHEAP_KINDS else costs.of_alike(task) for task in graph}
    kinds = Counter(task.kind for task in graph)
    unknown = sorted({f"{task.kind} ({sort_of(task.label)})" for task in graph if known[task.key] is None})
    found: dict[str, Any] = {"tasks": len(graph), "kinds": dict(kinds), "unknown": unknown}
    seconds = {key: cost * (1.0 if unknown else factor(graph[key])) for key, cost in known.items() if cost is not None}
    found["core_hours"] = None if unknown else sum(seconds.values()) / 3600
    found["longest_chain_hours"] = None if unknown else makespan(graph, seconds, len(graph)) / 3600
    for name, (engine, workers, gpu) in SETTINGS.items():
        shorter = {
            key: cost / (GPU_SPEED if gpu and graph[key].kind in GPU_KINDS else 1) for key, cost in seconds.items()
        }
        hours = makespan(graph, shorter, workers, OVERHEAD_SECONDS[engine]) / 3600
        found[name] = None if unknown else hours
    return found


def never_measured(graph: Graph, costs: Costs) -> tuple[str, ...]:
    """The first task of every kind and label of which nothing is known, in an order of working."""
    found: dict[tuple[str, str], str] = {}
    for task in graph:
        if costs.of_alike(task) is None:
            found.setdefault((task.kind, sort_of(task.label)), task.key)
    return tuple(found.values())


def tables(kept: dict[str, Any]) -> Iterator[str]:
    """The table of docs/scaling.md."""
    columns = ["tasks", "models", "core hours", *SETTINGS]
    yield f"| study | {' | '.join(columns)} |"
    yield f"| --- |{' ---: |' * len(columns)}"
    for name, one in sorted(kept.items()):
        if "refused" in one:
            yield f"| {name} | cannot be planned: {one['refused']} |{' |' * (len(columns) - 1)}"
            continue
        models = sum(one["kinds"].get(kind, 0) for kind in ("train-target", "train-practice"))
        hours = [one["core_hours"], *(one[setting] for setting in SETTINGS)]
        yield f"| {name} | {one['tasks']:,} | {models:,} | {' | '.join(_hours(hour) for hour in hours)} |"


def _hours(hours: float | None) -> str:
    if hours is None:
        return "not measured"
    return f"{hours:,.0f} h" if hours >= 10 else f"{hours:.1f} h" if hours >= 0.1 else f"{hours * 60:.1f} min"


def main(arguments: Sequence[str] | None = None) -> int:
    """Plans and costs studies, and keeps what it finds."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("studies", nargs="*", help="names of studies, or: tables; default: all of the papers")
    parser.add_argument("--store", action="append", default=[], help="where finished tasks lie; repeatable")
    parser.add_argument("--scale", default="paper")
    parser.add_argument("--measured-at", default="quick", help="the scale that tasks in the stores are of")
    parser.add_argument("--measure", metavar="SCALE", help="run one task of every kind and label not measured yet")
    parser.add_argument("--workers", type=int, default=1, help="how many tasks are measured at once")
    parser.add_argument("--to", type=Path, default=KEPT)
    parser.add_argument("--spent", type=Path, default=SPENT, help="where the mean seconds of tasks are kept")
    chosen = parser.parse_args(arguments)
    kept: dict[str, Any] = json.loads(chosen.to.read_text(encoding="utf-8")) if chosen.to.exists() else {}
    if chosen.studies == ["tables"]:
        print("\n".join(tables(kept)))  # noqa: T201 - to be put into docs/scaling.md
        return 0
    names = chosen.studies or sorted(name for name in STUDIES if not name.startswith("worlds/"))
    stores = [Store(place) for place in chosen.store]
    for name in names if chosen.measure else ():
        graph = plan_study(study_named(name), chosen.measure).plan.graph
        wanted = never_measured(graph, _costs(_spent(stores, chosen.spent)))
        print(f"{name}: {len(wanted)} tasks to be measured", flush=True)  # noqa: T201 - it takes minutes
        run(graph, stores[0], chosen.workers, EXECUTE, finals=wanted)
    works = Works()
    means = _spent(stores, chosen.spent, *_planned(names, chosen.measured_at, works))
    costs, factor = _costs(means), times_as_much(means, works)
    for name in names:
        begin = time.perf_counter()
        try:
            found = cost_of(plan_study(study_named(name), chosen.scale).plan.graph, costs, factor)
        except AuditError as error:
            found = {"refused": str(error).partition("\n")[0]}
        kept[name] = {**found, "scale": chosen.scale, "planning_seconds": round(time.perf_counter() - begin, 1)}
        print(f"{name}: {found.get('tasks', 'refused')}", flush=True)  # noqa: T201 - planning takes minutes
        _write(chosen.to, kept)
    return 0


def _planned(names: Sequence[str], scale: str, works: Works) -> tuple[dict[str, float], dict[tuple[str, str], float]]:
    """What the tasks of studies have to do at the scale of measuring: by key, and on average by kind and sort."""
    by_key, by_sort = dict[str, float](), defaultdict[tuple[str, str], list[float]](list)
    for name in names:
        try:
            graph = plan_study(study_named(name), scale).plan.graph
        except AuditError:
            continue  # where the study itself is planned, it says why
        for task in graph:
            work = works.of(task)
            if work is not None:
                by_key[task.key] = work
                by_sort[task.kind, sort_of(task.label)].append(work)
    return by_key, {sort: sum(some) / len(some) for sort, some in by_sort.items()}


def _spent(
    stores: Sequence[Store],
    place: Path,
    works: Mapping[str, float] | None = None,
    planned: Mapping[tuple[str, str], float] | None = None,
) -> list[dict[str, Any]]:
    """What tasks took, in the stores and before; kept for the next time."""
    before = json.loads(place.read_text(encoding="utf-8")) if place.exists() else []
    means = filled(spent(chain.from_iterable(store.entries() for store in stores), before, works), planned or {})
    _write(place, means)
    return means


def _costs(means: Sequence[Mapping[str, Any]]) -> Costs:
    return Costs(Entry("", one["kind"], 0, 0.0, one["label"], one["seconds"]) for one in means)


def _write(path: Path, content: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(content, indent=1, sort_keys=True) + "\n", encoding="utf-8")


if __name__ == "__main__":
    sys.exit(main())
