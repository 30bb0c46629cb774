"""Worker processes on this machine: started when there is work, replaced when they die, gone when the run is.

Plain processes and JSON lines over pipes rather than `multiprocessing`: nothing is pickled, and callers need no
`if __name__ == "__main__"`.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from typing import IO, Any

from divulge.engine.perform import THREAD_VARIABLES, Answer
from divulge.errors import ExecutionError, InputError
from divulge.graph import Task
from divulge.store import Store

__all__ = ["WorkerPool"]

POLL_SECONDS = 0.5  # how often to look for workers whose pipe was left open by a process of their own
CLOSE_SECONDS = 5.0
START_ATTEMPTS = 3
STDERR_BYTES = 4000


class WorkerPool:
    """Up to `workers` processes, each doing one task at a time.

    Args:
        workers: The most processes there may be at once.
        execute: "module:function", found anew in every worker with the caller's `sys.path`.
        store: Where the workers find what they need and put what they make.
        debug: Whether reasons may quote unexpected errors, and traces are kept.
    """

    def __init__(self, workers: int, execute: str, store: Store, *, debug: bool = False) -> None:
        self._limit = workers
        self._setting = {"execute": execute, "store": store.location, "path": _search_path(), "debug": debug}
        self._workers: list[_Worker] = []
        self._selector = selectors.DefaultSelector()
        self._started = 0
        self._stillborn = 0

    def expect(self, kinds: Iterable[str]) -> None:
        """Anything can be done here."""

    def free(self) -> int:
        """How many tasks could be taken now."""
        return self._limit - sum(worker.task is not None for worker in self._workers)

    def submit(self, task: Task) -> str:
        """Hands a task to an idle worker, or to a new one; gives the worker's name."""
        worker = self._idle() or self._start()
        worker.task = task
        worker.send(task.model_dump(mode="json"))
        return worker.name

    def wait(self, seconds: float | None = None) -> list[Answer]:
        """Waits until at least one task is answered for, or its worker has died; after `seconds`, gives what there is.

        Raises:
            InputError: The function to execute cannot be loaded.
            ExecutionError: Workers die before they are ready, again and again.
        """
        answers: list[Answer] = []
        end = math.inf if seconds is None else time.monotonic() + seconds
        while not answers and time.monotonic() < end:
            patience = min(POLL_SECONDS, end - time.monotonic())
            # Also those without a sign of life: a dead worker's own children may hold its pipe open.
            heard = [key.data for key, _ in self._selector.select(patience)] or list(self._workers)
            for worker in heard:
                gone = worker.gone()  # asked first: what it said before it died is then all in the pipe
                for message in worker.messages():
                    answers += self._read(worker, message)
                if gone:
                    answers += self._bury(worker)
        return answers

    def close(self, *, kill: bool = False) -> None:
        """Ends all workers: idle ones when their input ends, `kill` those in the middle of a task as well."""
        for worker in self._workers:
            worker.stop(kill=kill)
        while self._workers:
            self._discard(self._workers[-1])
        self._selector.close()

    def _idle(self) -> _Worker | None:
        for worker in [worker for worker in self._workers if worker.task is None]:
            if not worker.gone():
                return worker
            self._discard(worker)
        return None

    def _start(self) -> _Worker:
        self._started += 1
        worker = _Worker(f"worker-{self._started}")
        self._workers.append(worker)
        self._selector.register(worker.output, selectors.EVENT_READ, worker)
        worker.send(self._setting)
        return worker

    def _read(self, worker: _Worker, message: dict[str, Any]) -> list[Answer]:
        if "unfit" in message:
            raise InputError(message["unfit"])
        if "ready" in message:
            worker.ready = True
            self._stillborn = 0
            return []
        worker.task = None
        return [Answer.model_validate({**message, "worker": worker.name})]

    def _bury(self, worker: _Worker) -> list[Answer]:
        how, last_words, task = worker.cause_of_death(), worker.last_words(), worker.task
        self._discard(worker)
        if not worker.ready:
            self._stillborn += 1
            if self._stillborn >= START_ATTEMPTS:
                # Nothing but imports has run by then, so its words hold no data.
                raise ExecutionError(f"workers die before they are ready ({how}): {last_words.strip() or 'no message'}")
        if task is None:
            return []
        trace = last_words if self._setting["debug"] else None
        answer = Answer(key=task.key, state="died", reason=how, worker=worker.name, trace=trace)
        return [answer if worker.ready else answer.model_copy(update={"state": "unstarted"})]

    def _discard(self, worker: _Worker) -> None:
        self._selector.unregister(worker.output)
        self._workers.remove(worker)
        worker.release()


class _Worker:
    """One process, its pipes, and the task it has in hand."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.task: Task | None = None
        self.ready = False
        self._rest = b""
        self._ended = False
        self._stderr: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        # The parent's whole path, in its order, to find this very package; `-P` keeps the working folder's files from
        # hiding the standard library. A group of its own, so that Ctrl-C is the parent's to handle.
        environment = {"PYTHONPATH": os.pathsep.join(_search_path()), **dict.fromkeys(THREAD_VARIABLES, "1")}
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "divulge.engine.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            env={**os.environ, **environment},
            process_group=0,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._input, self.output = self._process.stdin, self._process.stdout
        os.set_blocking(self.output.fileno(), False)

    def send(self, message: dict[str, Any]) -> None:
        """Writes one line; a worker that is gone is noticed when its answer is waited for."""
        with contextlib.suppress(BrokenPipeError):
            self._input.write(json.dumps(message).encode("ascii") + b"\n")
            self._input.flush()

    def messages(self) -> Iterator[dict[str, Any]]:
        """Whatever whole lines have arrived."""
        with contextlib.suppress(BlockingIOError):
            while chunk := os.read(self.output.fileno(), 1 << 16):
                self._rest += chunk
            self._ended = True
        *lines, self._rest = self._rest.split(b"\n")
        return map(json.loads, lines)

    def gone(self) -> bool:
        """Whether the process is dead."""
        return self._ended or self._process.poll() is not None

    def cause_of_death(self) -> str:
        """Waits for the end of a process that is gone, and words it."""
        self.stop(kill=True)
        code = self._process.wait()
        return f"signal {-code}" if code < 0 else f"exit code {code}"

    def last_words(self) -> str:
        """The end of what the process wrote to stderr."""
        size = os.fstat(self._stderr.fileno()).st_size
        return os.pread(self._stderr.fileno(), STDERR_BYTES, max(0, size - STDERR_BYTES)).decode(errors="replace")

    def stop(self, *, kill: bool) -> None:
        """Ends the input, which ends an idle worker; `kill` ends it and all it has started, at once."""
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        if kill:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)

    def release(self) -> None:
        """Waits for the process to end, and lets go of everything that belongs to it."""
        self.stop(kill=False)
        try:
            self._process.wait(CLOSE_SECONDS)
        except subprocess.TimeoutExpired:
            self.stop(kill=True)
            self._process.wait()
        self.output.close()
        self._stderr.close()


def _search_path() -> list[str]:
    return [str(folder) for folder in sys.path]
