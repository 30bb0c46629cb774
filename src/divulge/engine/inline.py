"""Tasks in this very process, one by one; and what lets a run in this process be stopped."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator

from divulge.engine.perform import Answer, perform, resolve, single_thread
from divulge.graph import Task
from divulge.store import Store

__all__ = ["Inline", "terminable"]


class Inline:
    """Does each task in this process when it is waited for.

    Args:
        execute: "module:function".
        store: Where artefacts are found and put.
        debug: Whether reasons may quote unexpected errors, and traces are kept.
    """

    def __init__(self, execute: str, store: Store, *, debug: bool) -> None:
        self._execute = resolve(execute)
        self._store = store
        self._debug = debug
        self._task: Task | None = None
        self._context = contextlib.ExitStack()
        self._context.enter_context(single_thread())

    def expect(self, kinds: Iterable[str]) -> None:
        """Anything can be done here."""

    def free(self) -> int:
        """How many tasks could be taken now."""
        return 1 if self._task is None else 0

    def submit(self, task: Task) -> str:
        """Takes a task, to be done when it is waited for."""
        self._task = task
        return "inline"

    def wait(self, seconds: float | None = None) -> list[Answer]:
        """Does the task; it is broken off after so many seconds in the main thread, and done to its end in others."""
        assert self._task is not None
        task, self._task = self._task, None
        try:
            # As in a worker, what a task prints must not mix with the caller's own output.
            with _broken_off_after(seconds), contextlib.redirect_stdout(sys.stderr):
                answer = perform(task, self._store, self._execute, debug=self._debug)
        except _Enough:
            self._task = task  # still to be done, should the caller's clock say that there is time
            return []
        return [answer.model_copy(update={"worker": "inline"})]

    def close(self, *, kill: bool = False) -> None:  # noqa: ARG002 - nothing is under way
        """Lets go of the numerical libraries' threads."""
        self._context.close()


@contextlib.contextmanager
def terminable() -> Iterator[None]:
    """SIGTERM stops a run as Ctrl-C does; only in the main thread, elsewhere the thread's owner decides."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    with _handling(signal.SIGTERM, interrupt):
        yield


class _Enough(BaseException):
    """The time is up; no error of the task's, which must not catch it."""


@contextlib.contextmanager
def _broken_off_after(seconds: float | None) -> Iterator[None]:
    if seconds is None:
        yield
        return

    def enough(*_: object) -> None:
        raise _Enough

    with _handling(signal.SIGALRM, enough) as handled:
        if handled:
            signal.setitimer(signal.ITIMER_REAL, max(seconds, 1e-6))
        try:
            yield
        finally:
            if handled:
                signal.setitimer(signal.ITIMER_REAL, 0.0)


@contextlib.contextmanager
def _handling(number: signal.Signals, handler: Callable[..., object]) -> Iterator[bool]:
    """Handles a signal for a while; only the main thread may."""
    if threading.current_thread() is not threading.main_thread():
        yield False
        return
    before = signal.signal(number, handler)
    try:
        yield True
    finally:
        signal.signal(number, before)
