"""Faults of a file, gathered until there are enough of them to report."""

from __future__ import annotations

from pathlib import Path

from divulge.errors import InputError

__all__ = ["BadRow", "Problems"]

MOST = 20
FEW = 3  # rows with the same fault that are told one by one


class BadRow(Exception):  # noqa: N818 - carries a reason to the reader, never leaves the package
    """Why a row cannot be used, in words that hold nothing of its content."""


class Problems:
    """Collects where a file is wrong and why; one error in the end, or as soon as there are `most`."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.found: list[str] = []
        self._alike: dict[tuple[Path, str], list[str]] = {}

    def add(self, path: Path, line: int | None, reason: str) -> None:
        """Notes one fault; raises when enough were noted, so that a wholly wrong file is not read to its end."""
        place = f"{path}: " if line is None else f"{path}: line {line}: "
        self.found.append(place + reason)
        self._alike.setdefault((path, reason), []).append(place + reason)
        if len(self.found) >= self.most:
            raise InputError([*self._told(), f"stopped reading after {self.most} problems; there may be more"])

    def finish(self) -> None:
        """Raises what was noted, if anything was."""
        if self.found:
            raise InputError(self._told())

    def _told(self) -> list[str]:
        """One line for each fault; for a fault that many rows have, the first row and how many more there are."""
        told: list[str] = []
        for alike in self._alike.values():
            told += alike if len(alike) <= FEW else [f"{alike[0]} ({len(alike) - 1} more like it)"]
        return told
