"""Tasks on a Ray cluster: one Ray task for each, JSON there and JSON back, artefacts through the store alone.

Ray places tasks and tells of lost nodes; what is tried again, and how often, is decided by the schedule as for every
engine. The nodes need the same version of this package, the data sets, and a store that all of them see.
"""

from __future__ import annotations

import contextlib
import io
import json
import logging
import math
import os
import socket
import sys
import time
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from divulge import __version__
from divulge.canonical import digest
from divulge.engine.perform import Answer
from divulge.engine.ray_worker import work
from divulge.engine.requests import Cluster, Request
from divulge.errors import ExecutionError, InputError
from divulge.graph import Task
from divulge.records import Artefact
from divulge.store import Store

__all__ = ["MARK", "RayCluster"]

MARK = "cluster-run"  # the kind of what a run leaves in the store for as long as it takes: nodes look for it
LEAST_QUEUED = 64  # an autoscaler adds nodes for tasks that wait; a cluster of today's size would never grow
SIZE_SECONDS = 5.0  # how often to look how large the cluster is
CONNECT_SECONDS = 5.0
POLL_SECONDS = 1.0
INSTALL = 'the engine "ray" needs Ray: pip install "divulge[ray]"'


class RayCluster:
    """Hands tasks to a cluster and collects answers.

    Args:
        cluster: Which, and what tasks ask of its nodes.
        execute: "module:function", found anew on every node.
        store: Where the nodes find what they need and put what they make; they open it by its location.
        debug: Whether reasons may quote unexpected errors, and traces are kept.

    Raises:
        InputError: Ray is not installed, or no node could ever hold a task.
        ExecutionError: The cluster cannot be reached.
    """

    def __init__(self, cluster: Cluster, execute: str, store: Store, *, debug: bool = False) -> None:
        self._ray, self._errors = _library()
        self._cluster = cluster
        self._owned = _connect(self._ray, cluster.address)
        self._store = store
        self._mark = digest([MARK, uuid.uuid4().hex])
        store.put(self._mark, Artefact(), {"kind": MARK, "label": "a run on a cluster that is under way"})
        setting = {
            "version": __version__,
            "store": store.location,
            "mark": self._mark,
            "execute": execute,
            "path": [str(folder) for folder in sys.path if folder],
            "folder": str(Path.cwd()),
            "environment": {name: value for name, value in os.environ.items() if name.startswith("DIVULGE_")},
            "debug": debug,
        }
        self._setting = json.dumps(setting)
        self._function = self._ray.remote(work)
        self._running: dict[Any, Task] = {}  # by the reference to what will come back
        self._placed: dict[str, dict[str, Any]] = {}  # what a kind of task asks for, in Ray's words
        self._size: tuple[float, int] = (-math.inf, 0)
        self._quiet = contextlib.ExitStack()
        # Ray prints to standard output what befalls nodes, in the middle of a caller's JSON.
        self._quiet.enter_context(contextlib.redirect_stdout(_Nowhere()))

    def expect(self, kinds: Iterable[str]) -> None:
        """Refuses at once, and not after hours of other work, kinds of tasks that no node could hold."""
        for kind in kinds:
            self._place(kind)

    def free(self) -> int:
        """How many tasks could be taken now: somewhat more than run at once, so that no node waits for the driver."""
        return max(0, self._most() - len(self._running))

    def submit(self, task: Task) -> str:
        """Hands a task to the cluster; who does it is told by the answer."""
        run = self._function.options(**self._place(task.kind), name=f"divulge {task.kind}")
        self._running[run.remote(self._setting, task.model_dump_json())] = task
        return "ray"

    def wait(self, seconds: float | None = None) -> list[Answer]:
        """Waits until at least one task is answered for or its node is lost; after `seconds`, gives what there is.

        Raises:
            InputError: A node has another version, does not see the store, or cannot load the function to execute.
            ExecutionError: The nodes cannot run this package at all, or the cluster is gone.
        """
        end = None if seconds is None else time.monotonic() + seconds
        while self._running:
            left = POLL_SECONDS if end is None else min(POLL_SECONDS, max(0.0, end - time.monotonic()))
            ready, others = self._ray.wait(list(self._running), num_returns=1, timeout=left)
            if ready:
                more = self._ray.wait(others, num_returns=len(others), timeout=0)[0] if others else []
                return [self._answer(reference) for reference in (*ready, *more)]
            if end is not None and time.monotonic() >= end:
                break
        return []

    def close(self, *, kill: bool = False) -> None:  # noqa: ARG002 - nobody waits for what still runs
        """Ends what still runs, takes the mark away, and leaves the cluster."""
        for reference in self._running:
            self._ray.cancel(reference, force=True)
        self._running.clear()
        with self._quiet:
            try:
                self._store.delete(self._mark)
            finally:
                if self._owned:
                    self._ray.shutdown()

    def _place(self, kind: str) -> dict[str, Any]:
        if kind not in self._placed:
            self._placed[kind] = _placement(self._ray, kind, self._cluster.request(kind))
        return self._placed[kind]

    def _most(self) -> int:
        if self._cluster.most is not None:
            return self._cluster.most
        looked, cores = self._size
        if time.monotonic() - looked > SIZE_SECONDS:
            cores = int(self._ray.cluster_resources().get("CPU", 0))
            self._size = (time.monotonic(), cores)
        return max(LEAST_QUEUED, 2 * cores)

    def _answer(self, reference: Any) -> Answer:
        task = self._running.pop(reference)
        try:
            said = json.loads(self._ray.get(reference))
        except self._errors.RayTaskError as error:
            # Nothing of the task has run: what it raises itself comes back as an answer.
            cause = type(getattr(error, "cause", error)).__name__
            raise ExecutionError(
                f"the nodes of the cluster cannot run divulge ({cause}): install divulge {__version__} and Python "
                f"{sys.version_info.major}.{sys.version_info.minor} on every node"
            ) from None
        except self._errors.RaySystemError as error:
            raise ExecutionError(f"the cluster failed ({type(error).__name__})") from None
        except self._errors.RayError as error:
            if type(error).__name__ == "LocalRayletDiedError":
                # Every further task would be lost the same way, three times each within seconds.
                raise ExecutionError(
                    "the cluster is gone, or the node of it that this run is on. What is finished is kept: the same "
                    "command again does only what is missing"
                ) from None
            return Answer(key=task.key, state="died", reason=_loss(error), worker="ray")
        if "unfit" in said:
            raise InputError(said["unfit"])
        return Answer.model_validate(said)


class _Nowhere(io.TextIOBase):
    """Takes all that is printed."""

    def write(self, text: str) -> int:
        return len(text)


def _library() -> tuple[Any, Any]:
    """Ray and its errors."""
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # an audit tells nobody that it takes place
    try:
        import ray
        from ray import exceptions
    except ImportError:
        raise InputError(INSTALL) from None
    return ray, exceptions


def _connect(ray: Any, address: str) -> bool:
    """Joins the cluster; tells whether this run is to leave it in the end."""
    if ray.is_initialized():
        return False  # the caller's own
    local = address == "local"
    if not local:
        _reach(address)
    settings: dict[str, Any] = {"include_dashboard": False, "object_store_memory": 10**8} if local else {}
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **settings)
    except ConnectionError:
        raise ExecutionError(_unreached(address)) from None
    except Exception as error:  # noqa: BLE001 - a wrong token, another version: each of Ray's has a kind of its own
        raise ExecutionError(f"Ray refuses the address {address!r} ({type(error).__name__}): {_first(error)}") from None
    return True


def _reach(address: str) -> None:
    """Ray tries for minutes to reach a machine that is not there, and then ends the whole process."""
    what = "--address"
    if address == "auto" and os.environ.get("RAY_ADDRESS"):
        what, address = "RAY_ADDRESS", os.environ["RAY_ADDRESS"]
    host, colon, port = address.removeprefix("ray://").rpartition(":")
    if address == "auto":
        return
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 65536:
        others = ", auto or local" if what == "--address" else ""
        raise InputError(f"{what} must be HOST:PORT{others}. Got {address!r}")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=CONNECT_SECONDS) as found:
            answered = "RAY_USE_TLS" in os.environ or _speaks_http2(found)
    except OSError:
        raise ExecutionError(_unreached(address)) from None
    if not answered:
        raise ExecutionError(f"what answers at {address} is no Ray cluster: name the port of ray start --head (6379)")


def _speaks_http2(found: socket.socket) -> bool:
    """Whether its first frame is of settings, as that of Ray's ports; a page for browsers has another."""
    found.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes((0, 0, 0, 4, 0, 0, 0, 0, 0)))
    try:
        return found.recv(9)[3:4] == bytes((4,))
    except TimeoutError:
        return False


def _unreached(address: str) -> str:
    where = "on this machine" if address == "auto" else f"at {address}"
    return (
        f"there is no Ray cluster {where}. Start one with: ray start --head --port 6379; name it with --address "
        "HOST:PORT; or let --address local start one for this run"
    )


def _placement(ray: Any, kind: str, request: Request) -> dict[str, Any]:
    """What Ray is asked for; a graphics card only where there is one in the cluster."""
    nodes = [node["Resources"] for node in ray.nodes() if node["Alive"]]
    gpus = request.gpus if any(node.get("GPU", 0) for node in nodes) else 0.0
    wanted = {"CPU": request.cpus, "GPU": gpus, "memory": float(request.memory or 0)}
    if not any(all(node.get(name, 0.0) >= amount for name, amount in wanted.items()) for node in nodes):
        most = {name: max((node.get(name, 0.0) for node in nodes), default=0.0) for name in wanted}
        raise InputError(
            f"no node of the cluster can hold a {kind} task, which asks for {_words(wanted)}. The most that any node "
            f"has: {_words(most)}. Ask for less in [run.resources.{kind}], or add a larger node"
        )
    memory = {} if request.memory is None else {"memory": request.memory}
    # Tried again by the schedule, which knows the store, and counts.
    return {"num_cpus": request.cpus, "num_gpus": gpus, "max_retries": 0, **memory}


def _words(amounts: dict[str, float]) -> str:
    return f"{amounts['CPU']:g} cores, {amounts['GPU']:g} GPUs, {amounts['memory'] / 1e9:.1f} GB"


def _loss(error: Exception) -> str:
    words = {
        "NodeDiedError": "node lost",
        "WorkerCrashedError": "worker process died",
        "OutOfMemoryError": "out of memory",
        "TaskCancelledError": "cancelled",
    }
    return words.get(type(error).__name__, type(error).__name__)


def _first(error: BaseException) -> str:
    return str(error).strip().partition("\n")[0][:200]
