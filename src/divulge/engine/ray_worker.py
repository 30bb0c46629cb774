"""What runs on a node of a Ray cluster: one task, from JSON to JSON; all else goes through the store.

A process of the cluster does many tasks of a run, one after another, and prepares itself for the first only.
"""

from __future__ import annotations

import contextlib
import json
import os
import platform
import sys
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

from divulge import __version__
from divulge.engine.perform import THREAD_VARIABLES, Execute, perform, resolve
from divulge.errors import AuditError, InputError
from divulge.graph import Task
from divulge.store import Store

__all__ = ["work"]

SEEN_SECONDS = 10.0  # a folder of a network may show a new file only after a while


def work(setting: str, task: str) -> str:
    """Does one task; gives how it went, or {"unfit": why} where this node cannot do any."""
    try:
        store, execute, debug = _prepared(setting)
    except AuditError as error:
        return json.dumps({"unfit": str(error)})
    except Exception as error:  # noqa: BLE001 - whatever is amiss on this node, it is no fault of the task's
        return json.dumps({"unfit": f"{platform.node()} cannot be made ready: {type(error).__name__}"})
    # What a task prints may hold data, and the cluster would keep it in a log file.
    with (
        Path(os.devnull).open("w") as nothing,
        contextlib.redirect_stdout(nothing),
        contextlib.redirect_stderr(nothing),
    ):
        answer = perform(Task.model_validate_json(task), store, execute, debug=debug)
    told = answer.model_dump(mode="json", exclude_defaults=True)
    return json.dumps({**told, "worker": f"{platform.node()}:{os.getpid()}"})


@lru_cache(maxsize=1)
def _prepared(setting: str) -> tuple[Store, Execute, bool]:
    told: dict[str, Any] = json.loads(setting)
    if told["version"] != __version__:
        raise InputError(
            f"{platform.node()} has divulge {__version__}, the run was started with {told['version']}: "
            "install the same version on every node"
        )
    _hold_to_one_thread()
    os.environ.update(told["environment"])
    sys.path.extend(folder for folder in told["path"] if folder not in sys.path)
    with contextlib.suppress(OSError):  # a node that has no such folder may need none: data sets have names
        os.chdir(told["folder"])  # paths in an audit file count from there, and not from where Ray was started
    store = Store(told["store"])
    _see(store, told["mark"])
    return store, resolve(told["execute"]), told["debug"]


def _hold_to_one_thread() -> None:
    """As in a worker process: for libraries to come by the environment, for those already loaded by asking them."""
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

    os.environ.update(dict.fromkeys(THREAD_VARIABLES, "1"))
    threadpool_limits(limits=1)
    torch = sys.modules.get("torch")
    if torch:
        torch.set_num_threads(1)


def _see(store: Store, mark: str) -> None:
    """A folder of the same name on another machine would be taken for the store, and all work be lost in it."""
    end = time.monotonic() + SEEN_SECONDS
    while not store.has(mark):
        if time.monotonic() > end:
            raise InputError(
                f"{platform.node()} does not see the store at {store.location}. "
                "Set DIVULGE_STORE to a folder that every node shares, or to an object store (s3://BUCKET/PREFIX)"
            )
        time.sleep(0.2)
