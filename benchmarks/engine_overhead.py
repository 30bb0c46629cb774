"""What a task costs beside its own work, on the local engine and on Ray, and what memory many tasks take.

    python -m benchmarks.engine_overhead --size full --save

10,000 tasks that do nothing, in groups of ten: one that eight others need, and one that needs those. Each engine runs
them in a process of its own, so that what the process took in the end is what the run took. The seconds of a run over
its tasks are the overhead of one: giving it out, the store's look-up and write, the answer, the log. Two workers on
this machine; on Ray, one node of two cores on this machine. Memory is compared between 2,000 and 10,000 tasks: the
graph itself is held, so it grows by what a task's own description takes, and by nothing else.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.ratios import Ratio, Result, main
from divulge.engine.requests import Cluster
from divulge.engine.running import run
from divulge.graph import Graph, Task
from divulge.records import Artefact
from divulge.store import Store

__all__ = ["SIZES", "Setting", "Taken", "execute", "graph_of", "measure", "run_once"]

WORKERS = 2
GROUP = 10
MODULE = "benchmarks.engine_overhead"
KILOBYTE = 1024.0
BOUNDS = {"local": 5.0, "ray": 20.0}  # milliseconds a task
MOST_KILOBYTES = 10.0  # a task: what the graph holds of it


@dataclass(frozen=True)
class Setting:
    """How many tasks, on which engines; memory is compared with that of fewer tasks."""

    tasks: int
    fewer: int
    engines: tuple[str, ...] = ("local", "ray")


@dataclass(frozen=True)
class Taken:
    """What a run took: seconds, processor seconds of it and its workers, and the most memory, in kilobytes."""

    seconds: float
    processor: float
    kilobytes: float


SIZES = {"small": Setting(100, 50, ("local",)), "full": Setting(10_000, 2_000)}


def graph_of(tasks: int) -> Graph:
    """Groups of ten tasks that do nothing: one, eight that need it, and one that needs the eight."""
    graph = Graph()
    for group in range(tasks // GROUP):
        first = graph.add(Task(kind="train-target", label="a model", payload={"group": group}))
        needs = {}
        for number in range(GROUP - 2):
            task = Task(kind="attack", label="an attack", payload={"number": number}, needs={"target": first})
            needs[f"attack {number}"] = graph.add(task)
        graph.add(Task(kind="measure", label="figures", needs=needs))
    return graph


def execute(task: Task, store: Store) -> Artefact:
    """Does nothing."""
    del task, store
    return Artefact({"done": True})


def run_once(engine: str, tasks: int) -> Taken:
    """Runs so many tasks in a process of its own."""
    command = [sys.executable, "-m", MODULE, "run", engine, str(tasks)]
    ended = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - this very file
    return Taken(**json.loads(ended.stdout))


def measure(size: str, setting: Setting | None = None) -> Result:
    """Runs the tasks on each engine, and fewer of them for the memory."""
    chosen = setting or SIZES[size]
    seconds: dict[str, float] = {}
    agreement: dict[str, float] = {}
    ratios = []
    for engine in chosen.engines:
        many, few = run_once(engine, chosen.tasks), run_once(engine, chosen.fewer)
        seconds[f"{engine}, {chosen.tasks} tasks"] = many.seconds
        seconds[f"{engine}, {chosen.tasks} tasks, processor"] = many.processor
        cost = 1000 * many.seconds / chosen.tasks
        ratios.append(Ratio(f"{engine}: milliseconds a task", cost, BOUNDS[engine], "below"))
        growth = (many.kilobytes - few.kilobytes) / (chosen.tasks - chosen.fewer)
        ratios.append(Ratio(f"{engine}: kilobytes more for each task more", growth, MOST_KILOBYTES, "below"))
        agreement[f"{engine}: megabytes with {chosen.fewer} tasks"] = few.kilobytes / KILOBYTE
        agreement[f"{engine}: megabytes with {chosen.tasks} tasks"] = many.kilobytes / KILOBYTE
    notes = (
        "the processor's seconds are those of the run's own process and, on the local engine, of its workers",
        "memory is that of the run's own process; its workers hold one task at a time",
    )
    return Result("engine-overhead", size, seconds, tuple(ratios), agreement, asdict(chosen), notes)


def _run(engine: str, tasks: int) -> Taken:
    graph = graph_of(tasks)
    cluster = Cluster("local", most=None) if engine == "ray" else None
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        # Ray is started before the clock is: it is there already where it is used.
        if cluster is not None:
            import ray

            ray.init(num_cpus=WORKERS, include_dashboard=False, log_to_driver=False, object_store_memory=10**8)
            run(graph_of(2 * GROUP), Store(f"{folder}/warm"), 0, f"{MODULE}:execute", cluster=cluster)
            begin = time.perf_counter()
        report = run(graph, Store(folder), WORKERS, f"{MODULE}:execute", log=Path(folder) / "log", cluster=cluster)
        seconds = time.perf_counter() - begin
        assert len(report.done) == len(graph), "not all tasks were done"
    own, others = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    used: Any = own.ru_utime + own.ru_stime + (0.0 if cluster else others.ru_utime + others.ru_stime)
    return Taken(seconds, used, _most_kilobytes())


def _most_kilobytes() -> float:
    """The most memory this program held; what getrusage tells is that of the process which started it, if larger."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return float(re.findall(r"^VmHWM:\s+(\d+) kB$", status, flags=re.MULTILINE)[0])


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        print(json.dumps(asdict(_run(sys.argv[2], int(sys.argv[3])))))  # noqa: T201 - what `run_once` reads
    else:
        sys.exit(main(__doc__.partition("\n")[0], measure))
