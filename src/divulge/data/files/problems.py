"""Faults of a file, gathered until there are enough of them to report."""

from __future__ import annotations

from pathlib import Path

from divulge.errors import InputError

__all__ = ["BadRow", "Problems"]

MOST = 20
FEW = 5  # rows with the same fault that are told one by one


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
        """A line for each fault, in the order of the file; of one that many rows have, the first and how many more."""
        many = {lines[0]: len(lines) for lines in self._alike.values() if len(lines) > FEW}
        left_out = {line for lines in self._alike.values() if len(lines) > FEW for line in lines[1:]}
        told = [line for line in self.found if line not in left_out]
        return [f"{line} ({many[line] - 1} more like it)" if line in many else line for line in told]
