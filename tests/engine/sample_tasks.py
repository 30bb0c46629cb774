"""Tasks for tests of the engine, and a run of them as a process of its own (`python -m tests.engine.sample_tasks`).

What a task does beside its work is told in its payload; where it leaves traces, in $DIVULGE_SAMPLE_FOLDER.
"""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from divulge.engine.running import run
from divulge.errors import EvidenceError, InputError
from divulge.graph import Graph, Task
from divulge.records import Artefact
from divulge.seeds import generator
from divulge.store import Store

EXECUTE = "tests.engine.sample_tasks:execute"
PATIENCE = 60.0  # seconds until a test that waits in vain gives up

_locks = {}


def folder() -> Path:
    """Where the tasks of this test leave their traces."""
    return Path(os.environ["DIVULGE_SAMPLE_FOLDER"])


def execute(task: Task, store: Store) -> Artefact:
    """Does the work: numbers from the seed plus the sum of all that is needed."""
    _leave_trace(task)
    _misbehave(task.payload)
    rng = generator(task.payload.get("seed", 0), task.kind)
    numbers = rng.normal(size=8)
    for _, need in sorted(task.needs.items()):
        numbers = numbers + store.get(need).arrays.get("numbers", 0.0)
    if task.kind == "measure":
        return Artefact({"total": float(numbers.sum())})
    return Artefact({"mean": float(numbers.mean())}, {"numbers": numbers})


def tell(task: Task, store: Store) -> Artefact:
    """Tells what the task finds around itself."""
    del store
    threads = {name: os.environ.get(name) for name in task.payload["names"]}
    return Artefact({"threads": threads, "cwd": str(Path.cwd()), "path": sys.path, "stdin": sys.stdin.read()})


def sample_graph(**extra: object) -> Graph:
    """Ten tasks: three trainings, two attacks on each, one measure of all; `extra` goes into the last attack."""
    graph = Graph()
    attacks = {}
    for seed in range(3):
        train = graph.add(Task(kind="train-target", label=f"train {seed}", payload={"seed": seed}))
        for number in range(2):
            payload = {"seed": 10 * seed + number, **(extra if (seed, number) == (2, 1) else {})}
            task = Task(kind="attack", label=f"attack {seed}.{number}", payload=payload, needs={"target": train})
            attacks[f"attack {seed}.{number}"] = graph.add(task)
    graph.add(Task(kind="measure", label="measure", needs=attacks))
    return graph


def gated_graph() -> Graph:
    """One quick task, and one that needs it and waits at the gate "late"."""
    graph = Graph()
    quick = graph.add(Task(kind="train-target", label="quick"))
    graph.add(Task(kind="attack", label="late", payload={"gate": "late"}, needs={"target": quick}))
    return graph


def executions() -> list[tuple[str, int]]:
    """Every start of a task so far: its key and the process that did it."""
    path = folder() / "executions"
    lines = path.read_text().splitlines() if path.exists() else []
    return [(line.split()[0], int(line.split()[1])) for line in lines]


def contents(store: Store) -> dict[str, object]:
    """Everything in the store but the info, byte for byte."""
    found = {}
    for entry in store.entries():
        artefact = store.get(entry.key)
        arrays = {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in artefact.arrays.items()}
        found[entry.key] = (json.dumps(artefact.values, sort_keys=True), arrays)
    return found


def start_run(graph: str, store: Path, workers: int) -> subprocess.Popen[str]:
    """Starts a run of "sample" or "gated" as a process of its own, in a group of its own."""
    command = [sys.executable, "-m", "tests.engine.sample_tasks", graph, str(store), str(workers)]
    return subprocess.Popen(
        command, cwd=Path(__file__).parents[2], stdout=subprocess.PIPE, text=True, start_new_session=True
    )


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Waits for a condition that is bound to come."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain: {what}"
        time.sleep(0.005)


def is_gone(pid: int) -> bool:
    """Whether the process that did a task has ended: its lock on its own trace is free then, zombie or not."""
    with (folder() / f"{pid}.alive").open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _leave_trace(task: Task) -> None:
    if os.getpid() not in _locks:
        file = (folder() / f"{os.getpid()}.alive").open("a")
        fcntl.flock(file, fcntl.LOCK_EX)
        _locks[os.getpid()] = file
    with (folder() / "executions").open("a") as file:
        file.write(f"{task.key} {os.getpid()}\n")


def _misbehave(payload: Mapping[str, object]) -> None:
    if gate := payload.get("gate"):
        (folder() / f"{gate}.begun").touch()
        wait_until((folder() / f"{gate}.open").exists, f"gate {gate}")
    if raises := payload.get("raises"):
        kinds = {"input": InputError, "evidence": EvidenceError, "value": ValueError, "exit": SystemExit}
        raise kinds[raises]("the word is swordfish" if raises == "value" else f"{raises} was wrong")
    if payload.get("chatty"):
        sys.stdout.write("[1, 2]\n{}\n")
        os.write(1, b"x" * 500_000)
        os.write(2, b"y" * 500_000)
        subprocess.run(["echo", '{"key": "none"}'], check=True)
    if "dies" in payload:
        if payload.get("forks") and os.fork() == 0:
            time.sleep(PATIENCE)  # holds every pipe of the worker open; ended with the worker's group
        os._exit(payload["dies"])


def _main() -> None:
    graph, location, workers = sys.argv[1:]
    made = {"sample": sample_graph, "gated": gated_graph}[graph]()
    try:
        report = run(made, Store(Path(location)), int(workers), EXECUTE, log=folder() / "log.jsonl")
    except KeyboardInterrupt:
        sys.exit(130)
    json.dump({"done": report.done, "cached": report.cached, "failures": report.failures}, sys.stdout)


if __name__ == "__main__":
    _main()
