"""A worker process: takes tasks as JSON lines, does them one by one, answers in JSON lines.

`python -m divulge.engine.worker`, started by `divulge.engine.pool` and by nobody else. It ends when its input ends, so
that a run that was killed leaves no worker behind; Ctrl-C is the parent's affair.
"""

from __future__ import annotations

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

from divulge.engine.perform import perform, resolve
from divulge.errors import AuditError
from divulge.graph import Task
from divulge.store import Store

__all__ = ["Inbox", "main", "serve"]


class Inbox:
    """Lines from the parent, read in a thread, so that the parent's end is noticed in the middle of a task.

    Args:
        stream: Where the lines come from.
        abandon: Called when the stream ends while a task is under way.
    """

    def __init__(self, stream: BinaryIO, abandon: Callable[[], object]) -> None:
        self._stream = stream
        self._abandon = abandon
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._taken = 0
        self._answered = 0
        threading.Thread(target=self._read, daemon=True).start()

    def take(self) -> Any:
        """Waits for the next message; None when there will be no more."""
        line = self._lines.get()
        return None if line is None else json.loads(line)

    def answered(self) -> None:
        """Tells that the last message taken is dealt with."""
        self._answered += 1

    def _read(self) -> None:
        for line in self._stream:
            self._taken += 1
            self._lines.put(line)
        if self._taken > self._answered:
            self._abandon()
        self._lines.put(None)


def serve(inbox: Inbox, out: BinaryIO) -> None:
    """Answers messages until there are no more: first the setting, then tasks."""
    setting = inbox.take()
    if setting is None:
        return
    sys.path[:] = setting["path"]
    try:
        execute = resolve(setting["execute"])
        store = Store(setting["store"])
    except Exception as error:  # noqa: BLE001 - such as a syntax error: nothing but imports has run, so no data is told
        _say(out, {"unfit": str(error) if isinstance(error, AuditError) else f"{type(error).__name__}: {error}"})
        while inbox.take() is not None:
            pass  # the parent decides when this is over
        return
    inbox.answered()
    _say(out, {"ready": os.getpid()})
    while (message := inbox.take()) is not None:
        task = Task.model_validate(message)
        answer = perform(task, store, execute, debug=setting["debug"])
        inbox.answered()
        _say(out, answer.model_dump(mode="json", exclude_defaults=True))


def main() -> None:
    """Takes the pipes for itself, so that nothing a task prints or reads can disturb the protocol."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    stream, out = os.dup(0), os.dup(1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    with os.fdopen(stream, "rb") as lines, os.fdopen(out, "wb") as answers:
        serve(Inbox(lines, _abandon), answers)


def _abandon() -> None:
    # The parent is gone: leave at once, and take along whatever the task itself has started.
    if os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


def _say(out: BinaryIO, message: dict[str, Any]) -> None:
    try:
        out.write(json.dumps(message).encode("ascii") + b"\n")
        out.flush()
    except BrokenPipeError:
        _abandon()


if __name__ == "__main__":
    main()
