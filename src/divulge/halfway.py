"""What a long task leaves behind now and then, so that it goes on where it was if its process is killed.

The engine opens a place for each task; whatever trains in it asks `halfway()`, which is nowhere outside of a task. A
task may train several times, always in the same order: the first `part()` of a task is that of its first training.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Protocol

from divulge.errors import AuditError
from divulge.records import Artefact

__all__ = ["EVERY_SECONDS", "HalfDone", "Halfway", "Place", "halfway", "opened"]

EVERY_SECONDS = 300.0  # at most so much is lost, and tasks that take less leave nothing

logger = logging.getLogger(__name__)


class Place(Protocol):
    """Where half-done work lies, by a task's key and the number of its training."""

    def left(self, key: str, number: int) -> tuple[Artefact, Mapping[str, Any]] | None:
        """What was left there, and the facts beside it."""

    def leave(self, key: str, number: int, artefact: Artefact, info: Mapping[str, Any]) -> None:
        """Leaves something in place of what is there."""

    def forget(self, key: str, number: int) -> None:
        """Removes what is there."""


class Halfway:
    """The half-done work of one task.

    Args:
        place: Where it lies; None keeps nothing.
        key: The task's.
        every: Seconds between two leavings, the task's begin being the first.
    """

    def __init__(self, place: Place | None = None, key: str = "", every: float = EVERY_SECONDS) -> None:
        self._place, self._key, self._every = place, key, every
        self._begin = self._last = time.perf_counter()
        self._busy_before = time.process_time()
        self._earlier, self._earlier_busy, self._parts = 0.0, 0.0, 0

    @property
    def seconds(self) -> float:
        """How long the task has taken, together with what earlier attempts left."""
        return self._earlier + time.perf_counter() - self._begin

    @property
    def processor(self) -> float:
        """How long it has kept a processor busy: on a machine that does other work too, less than it has taken."""
        return self._earlier_busy + time.process_time() - self._busy_before

    def part(self) -> HalfDone:
        """The place of the task's next training."""
        self._parts += 1
        return HalfDone(self, self._parts - 1)

    def found(self, number: int) -> Artefact | None:
        """What an earlier attempt left of this training."""
        found = None if self._place is None else self._place.left(self._key, number)
        if found is None:
            return None
        artefact, info = found
        self._earlier = max(self._earlier, float(info.get("seconds", 0.0)))
        self._earlier_busy = max(self._earlier_busy, float(info.get("processor", 0.0)))
        return artefact

    def leave(self, number: int, state: Callable[[], Artefact]) -> None:
        """Leaves a training's state, if it is time for it; one that cannot be written costs nothing but itself."""
        if self._place is None or time.perf_counter() - self._last < self._every:
            return
        try:
            self._place.leave(self._key, number, state(), {"seconds": self.seconds, "processor": self.processor})
        except AuditError as error:
            logger.warning("half-done work is not kept: %s", error)
        self._last = time.perf_counter()

    def forget(self) -> None:
        """Removes what was left, since the task is done; what cannot be removed harms nothing, and is swept one day."""
        if self._place is None:
            return
        try:
            for number in range(self._parts):
                self._place.forget(self._key, number)
        except AuditError as error:
            logger.warning("half-done work is not removed: %s", error)


class HalfDone:
    """The half-done work of one training."""

    def __init__(self, whole: Halfway, number: int) -> None:
        self._whole, self._number = whole, number

    def found(self) -> Artefact | None:
        """What an earlier attempt left; None if nothing."""
        return self._whole.found(self._number)

    def leave(self, state: Callable[[], Artefact]) -> None:
        """Leaves the state that this function makes, if it is time for it."""
        self._whole.leave(self._number, state)


_current: ContextVar[Halfway | None] = ContextVar("halfway", default=None)


def halfway() -> Halfway:
    """The half-done work of the task that is under way here; one that keeps nothing, if there is none."""
    return _current.get() or Halfway()


@contextmanager
def opened(place: Place, key: str, every: float = EVERY_SECONDS) -> Iterator[Halfway]:
    """Opens the half-done work of a task for whatever runs inside."""
    work = Halfway(place, key, every)
    token = _current.set(work)
    try:
        yield work
    finally:
        _current.reset(token)
