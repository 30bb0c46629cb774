"""Faults of a file, gathered until there are enough of them to report."""

from __future__ import annotations

from pathlib import Path

from divulge.errors import InputError

__all__ = ["BadRow", "Problems"]

MOST = 20


class BadRow(Exception):  # noqa: N818 - carries a reason to the reader, never leaves the package
    """Why a row cannot be used, in words that hold nothing of its content."""


class Problems:
    """Collects where a file is wrong and why; one error in the end, or as soon as there are `most`."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.found: list[str] = []

    def add(self, path: Path, line: int | None, reason: str) -> None:
        """Notes one fault; raises when enough were noted, so that a wholly wrong file is not read to its end."""
        place = f"{path}: " if line is None else f"{path}: line {line}: "
        self.found.append(place + reason)
        if len(self.found) >= self.most:
            raise InputError([*self.found, f"stopped reading after {self.most} problems; there may be more"])

    def finish(self) -> None:
        """Raises what was noted, if anything was."""
        if self.found:
            raise InputError(self.found)
