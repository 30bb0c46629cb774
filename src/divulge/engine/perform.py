"""Doing one task: run it, store what it leaves, and say how it went in words that may be shown.

Every engine does it this way: in this process, in a worker process, on another host.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import platform
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Literal

from divulge import __version__
from divulge.errors import AuditError, ExecutionError, InputError
from divulge.graph import Task
from divulge.halfway import opened
from divulge.records import Artefact, Record
from divulge.store import MissingArtefactError, Store

__all__ = ["THREAD_VARIABLES", "Answer", "Execute", "perform", "resolve", "single_thread"]

Execute = Callable[[Task, Store], Artefact]

# One thread each: results that do not depend on the number of cores, and workers that do not fight over them.
THREAD_VARIABLES = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")


class Answer(Record):
    """How a task went.

    Attributes:
        key: The task's key.
        state: done (stored now), cached (was there already), failed (its own fault), lost (a need's artefact is gone),
            died (its worker did), unstarted (the worker died before it could begin).
        seconds: How long it took.
        worker: Who did it.
        reason: Why it failed, or how the worker died; no secret text unless debugging.
        exit_code: Of a failure.
        need: The key of the lost artefact.
        trace: Of an unexpected error, when debugging.
    """

    key: str
    state: Literal["done", "cached", "failed", "lost", "died", "unstarted"]
    seconds: float = 0.0
    worker: str = ""
    reason: str = ""
    exit_code: int = 1
    need: str | None = None
    trace: str | None = None


def resolve(execute: str) -> Execute:
    """Finds the function behind "module:function"."""
    module_name, _, name = execute.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), name)
    except (ImportError, AttributeError, ValueError) as error:
        raise InputError(f"{execute!r} cannot be loaded as module:function: {error}") from error
    if not callable(found):
        raise InputError(f"{execute!r} must be a function. Got {type(found).__name__}")
    function: Execute = found
    return function


def perform(task: Task, store: Store, execute: Execute, *, debug: bool = False) -> Answer:
    """Does one task, unless the store has its artefact by now; never raises for the task's own faults."""
    begin = time.perf_counter()
    try:
        if store.has(task.key):
            return Answer(key=task.key, state="cached")
        with opened(store, task.key) as work:
            artefact = execute(task, store)
        if not isinstance(artefact, Artefact):
            raise ExecutionError(f"a task must give an Artefact. Got {type(artefact).__name__}")  # noqa: TRY301
        seconds = work.seconds  # with those of attempts that were killed, as far as their work was kept
        store.put(task.key, artefact, _info(task, seconds, work.processor))
        work.forget()
        return Answer(key=task.key, state="done", seconds=seconds)
    except MissingArtefactError as error:
        if error.key in task.needs.values():
            return Answer(key=task.key, state="lost", need=error.key)
        return _failed(task, begin, str(error), error.exit_code)
    except AuditError as error:
        return _failed(task, begin, str(error), error.exit_code)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a task may fail in any way; it costs only itself
        trace = "".join(traceback.format_exception(error)) if debug else None
        return _failed(task, begin, _unexpected(error, debug=debug), 1, trace)


@contextlib.contextmanager
def single_thread() -> Iterator[None]:
    """Holds numerical libraries of this process to one thread, as in a worker, and lets go afterwards."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    before = {name: os.environ.get(name) for name in THREAD_VARIABLES}
    torch = sys.modules.get("torch")
    threads = torch.get_num_threads() if torch else None
    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))  # for libraries that the tasks will load
    try:
        with threadpool_limits(limits=1):
            if torch:
                torch.set_num_threads(1)
            yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value
        if torch:
            torch.set_num_threads(threads)


def _failed(task: Task, begin: float, reason: str, exit_code: int, trace: str | None = None) -> Answer:
    seconds = time.perf_counter() - begin
    return Answer(key=task.key, state="failed", seconds=seconds, reason=reason, exit_code=exit_code, trace=trace)


def _unexpected(error: BaseException, *, debug: bool) -> str:
    # The message of somebody else's exception may quote the data; where it was raised tells enough.
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = "/".join(Path(frame.filename).parts[-2:])
    said = f"{type(error).__name__} at {place}:{frame.lineno}"
    return f"{said}: {error}" if debug else f"{said} (more with --debug)"


def _info(task: Task, seconds: float, processor: float) -> dict[str, object]:
    versions = {"divulge": __version__, "python": platform.python_version()}
    for name in ("numpy", "torch"):
        if name in sys.modules:
            versions[name] = str(sys.modules[name].__version__)
    took = {"seconds": seconds, "processor": processor}
    facts = {"kind": task.kind, "label": task.label, **took, "host": _host(), "versions": versions}
    return {**facts, "revisions": dict(task.revisions)}


@cache
def _host() -> str:
    return platform.node()
