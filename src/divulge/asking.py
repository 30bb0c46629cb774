"""What every access has: a handshake, and a meter that counts and stops questions."""

from __future__ import annotations

from abc import ABC, abstractmethod

from divulge.handshake import OwnerSample
from divulge.metering import QueryMeter
from divulge.records import Check

__all__ = ["Access", "TokenTuple"]

TokenTuple = tuple[str, ...]


class Access(ABC):
    """Something an adversary may ask. Subclass one of the levels below, never this."""

    meter: QueryMeter | None = None

    @property
    def remaining(self) -> int | None:
        """How many examples may still be asked; None = as many as you like."""
        return None if self.meter is None else self.meter.remaining

    @abstractmethod
    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Tries the access on what its owner knows; run before any attack, outside the query count."""

    def _charge(self, level: type[Access], examples: int) -> None:
        if self.meter is None:
            self.meter = QueryMeter()
        self.meter.charge(level, examples)

    def _method(self, question: str) -> str:
        return f"{type(self).__name__}._{question}"
