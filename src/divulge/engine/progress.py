"""How a run tells what it is doing: a live bar on a terminal, plain lines elsewhere, and log.jsonl for machines."""

from __future__ import annotations

import contextlib
import io
import json
import os
import platform
import sys
import time
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Self, TextIO

from divulge.errors import ExecutionError
from divulge.graph import Task

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import TaskID

__all__ = ["BarProgress", "LineProgress", "Progress", "RunLog", "progress_for"]

FOLLOWS = "needs "  # how the reason of a failure begins that follows from another


class Progress:
    """Says nothing: for callers from Python. The others say what happens, on stderr."""

    def told(self, line: str) -> None:
        """Something worth knowing before the run starts."""

    def begin(self, total: int, cached: int) -> None:
        """The run starts, with `total` tasks to do and `cached` artefacts already there."""

    def resize(self, total: int) -> None:
        """There turns out to be more to do."""

    def started(self, task: Task) -> None:
        """A task was given to a worker."""

    def ended(self, task: Task, state: str, seconds: float, reason: str = "") -> None:
        """A task is done, cached or failed, or is to be started again ("retry")."""

    def end(self) -> None:
        """The run is over, in whatever way."""


class LineProgress(Progress):
    """One plain line per finished task."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._total = 0
        self._count = 0

    def told(self, line: str) -> None:
        """Says it."""
        self._say(line)

    def begin(self, total: int, cached: int) -> None:
        """Says how much there is to do."""
        self._total = total
        self._say(f"{total} {_tasks(total)} to do, {cached} already in the store")

    def resize(self, total: int) -> None:
        """Counts up to the new total from now on."""
        self._total = total

    def ended(self, task: Task, state: str, seconds: float, reason: str = "") -> None:
        """Says what became of the task; a retry does not count as an end."""
        self._count += state != "retry"
        if state == "failed" and reason.startswith(FOLLOWS):
            return  # its cause has been told
        said = {"done": f"({seconds:.1f} s)", "cached": "(already in the store)"}.get(state, f"{state}: {reason}")
        self._say(f"[{self._count}/{self._total}] {_words(task)} {said}")

    def _say(self, line: str) -> None:
        self._stream.write(line + "\n")
        self._stream.flush()


class BarProgress(Progress):
    """A live bar: how many are done, cached and failed, what runs, how long it may take."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream
        self._running: dict[str, str] = {}
        self._cached = 0
        self._failed = 0
        self._bar: RichProgress | None = None
        self._line: TaskID | None = None

    def told(self, line: str) -> None:
        """Says it above the bar."""
        print(line, file=self._stream or sys.stderr)

    def begin(self, total: int, cached: int) -> None:
        """Shows the bar."""
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
        from rich.progress import Progress as Bar
        from rich.table import Column

        console = Console(file=self._stream) if self._stream else Console(stderr=True)
        times = (TimeElapsedColumn(), TimeRemainingColumn())
        # In a narrow terminal the words are cut, not the numbers.
        words = TextColumn("{task.description}", markup=False, table_column=Column(no_wrap=True, ratio=1))
        self._bar = Bar(BarColumn(20), MofNCompleteColumn(), *times, words, console=console, expand=True)
        self._cached = cached
        self._line = self._bar.add_task("", total=total)
        self._bar.start()
        self._show()

    def resize(self, total: int) -> None:
        """Lengthens the bar."""
        self._show(total=total)

    def started(self, task: Task) -> None:
        """Adds the task to what is running."""
        self._running[task.key] = _words(task)
        self._show()

    def ended(self, task: Task, state: str, seconds: float, reason: str = "") -> None:  # noqa: ARG002 - the bar has a clock
        """Takes the task from what is running; failures and retries get a line of their own."""
        self._running.pop(task.key, None)
        self._cached += state == "cached"
        self._failed += state == "failed"
        if self._bar and reason and not reason.startswith(FOLLOWS):
            self._bar.console.print(f"{_words(task)} {state}: {reason}", markup=False, highlight=False)
        self._show(advance=state != "retry")

    def end(self) -> None:
        """Leaves the bar as it stands."""
        if self._bar:
            self._bar.stop()

    def _show(self, *, total: int | None = None, advance: bool = False) -> None:
        if self._bar is None or self._line is None:
            return
        counts = f"{self._cached} cached" + (f", {self._failed} failed" if self._failed else "")
        running = list(self._running.values())
        more = f" and {len(running) - 2} more" if len(running) > 2 else ""
        description = f"({counts}) {', '.join(running[:2])}{more}"
        self._bar.update(self._line, total=total, advance=int(advance), description=description)


def progress_for(stream: TextIO | None = None) -> Progress:
    """The bar if the stream (stderr) is a terminal that can redraw, else plain lines."""
    stream = sys.stderr if stream is None else stream
    redraws = stream.isatty() and os.environ.get("TERM") != "dumb"
    return BarProgress(stream) if redraws else LineProgress(stream)


class RunLog:
    """log.jsonl: one JSON object per event, on disk as soon as it happens; a later run appends.

    Args:
        path: The file; None keeps no log.
    """

    def __init__(self, path: Path | None) -> None:
        self._host = platform.node()
        self._begin = time.perf_counter()
        self._file: BinaryIO | None = None
        if path is not None:
            try:
                self._file = path.open("ab+")
                # A run that was killed may have left half a line.
                if self._file.tell() and self._file.seek(-1, os.SEEK_END) >= 0 and self._file.read(1) != b"\n":
                    self._file.write(b"\n")
            except OSError as error:
                raise ExecutionError(f"{path} cannot be written: {error.strerror}") from error

    def write(self, event: str, task: Task | None = None, **facts: object) -> None:
        """Writes one event, with what identifies the task and never what is in it."""
        if self._file is None:
            return
        entry: dict[str, object] = {"time": datetime.now(UTC).isoformat(), "event": event, "host": self._host}
        if task is not None:
            entry |= {"key": task.key, "kind": task.kind, "label": task.label}
        entry |= {name: fact for name, fact in facts.items() if fact not in (None, "")}
        try:
            self._file.write(json.dumps(entry).encode("ascii") + b"\n")
            self._file.flush()
        except OSError as error:
            raise ExecutionError(f"{self._file.name} cannot be written: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        how = "run-end" if kind is None else "interrupted" if issubclass(kind, KeyboardInterrupt) else "run-failed"
        with contextlib.closing(self._file or io.BytesIO()):
            self.write(how, seconds=time.perf_counter() - self._begin)


def _words(task: Task) -> str:
    return f"{task.kind}: {task.label or task.key[:12]}"


def _tasks(count: int) -> str:
    return "task" if count == 1 else "tasks"
