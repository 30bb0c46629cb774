"""Word vectors as text: a word and its numbers a line, as word2vec, GloVe and fastText write them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError
from divulge.targets.vectors.base import VectorArray

__all__ = ["parse_text"]

MOST = 20  # problems that one error tells of
UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


class _BadLine(Exception):  # noqa: N818 - carries a reason to the reader of lines, never leaves this module
    """Why a line cannot be used, in words that hold nothing of its content."""


def parse_text(path: Path, lines: Iterable[bytes]) -> tuple[dict[str, int], VectorArray]:
    """Gives each word's row, and the table; `path` is for messages.

    Numbers are separated by spaces or tabs. A word may hold spaces, as some in large GloVe files do. Blank lines are
    passed over. Of a word that occurs twice the first vector counts.
    """
    remaining = iter(lines)
    first = next(remaining, b"").removeprefix(UTF8_MARK)
    if first.startswith(UTF16_MARKS):
        raise InputError(f"{path}: is UTF-16 text: save it as UTF-8")
    header = _header(first)
    reader = _Reader(path, None if header is None else (1, header[1]))
    if header is None:
        reader.read(1, first)
    elif not header[1]:
        raise InputError(f"{path}: holds no vectors: line 1 announces words of 0 numbers")
    for number, line in enumerate(remaining, 2):
        reader.read(number, line)
    if header is not None and not reader.problems and header[0] != reader.lines:
        reader.problems.append(
            f"{path}: line 1 announces {header[0]} words, but {reader.lines} follow: "
            "the file is not whole, or its first line is wrong. Get it again, or correct or remove that line"
        )
    if not reader.lines and not reader.problems:
        reader.problems.append(f"{path}: holds no vectors")
    if reader.problems:
        raise InputError(reader.problems)
    return reader.rows, np.stack(reader.vectors)


class _Reader:
    """Lines read so far: words, vectors, and what was wrong."""

    def __init__(self, path: Path, width: tuple[int, int] | None) -> None:
        self.path = path
        self.width = width  # the line that tells it, and the width
        self.rows: dict[str, int] = {}
        self.vectors: list[VectorArray] = []
        self.lines = 0
        self.problems: list[str] = []

    def read(self, number: int, raw: bytes) -> None:
        """Takes in one line, or notes what is wrong with it."""
        if b"\0" in raw:
            raise InputError(
                f"{self.path}: line {number} is not text: a word2vec or fastText binary must be named .bin, and "
                "anything else cannot be read"
            )
        line = raw.replace(b"\t", b" ").rstrip(b" \r\n")
        if not line:
            return
        self.lines += 1
        try:
            word, vector = self._parsed(number, line)
        except _BadLine as error:
            self.problems.append(f"{self.path}: line {number}: {error}")
            if len(self.problems) >= MOST:
                raise InputError(
                    [*self.problems, f"stopped reading after {MOST} problems; there may be more"]
                ) from None
            return
        if word not in self.rows:
            self.rows[word] = len(self.vectors)
            self.vectors.append(vector)

    def _parsed(self, number: int, raw: bytes) -> tuple[str, VectorArray]:
        try:
            fields = raw.decode("utf-8").split(" ")
        except UnicodeDecodeError as error:
            raise _BadLine(f"is not UTF-8 text (byte {error.start + 1} of the line): save it as UTF-8") from None
        if not fields[0]:
            raise _BadLine("begins with a space or tab where a word must stand")
        if self.width is None:
            if len(fields) == 1:
                raise _BadLine("holds no numbers. Every line must hold a word and its numbers, separated by spaces")
            self.width = number, sum(field != "" for field in fields[1:])
        if len(fields) != self.width[1] + 1:
            fields = self._sorted_out(fields)
        return fields[0], _vector(fields[1:])

    def _sorted_out(self, fields: list[str]) -> list[str]:
        """Word and numbers where several spaces separate, or the word holds some."""
        assert self.width is not None
        line, width = self.width
        filled = [field for field in fields if field]
        if len(filled) > width + 1 and not _is_number(filled[-width - 1]):
            return [" ".join(filled[:-width]), *filled[-width:]]
        if len(filled) != width + 1:
            raise _BadLine(
                f"holds {len(filled) - 1} values, but by line {line} it must be {width}. "
                f"Every line must hold a word and {width} numbers: mend or remove it"
            )
        return filled


def _header(raw: bytes) -> tuple[int, int] | None:
    """How many words and how wide, if the line says that and nothing else."""
    fields = raw.split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) < 19 for field in fields):
        return None
    return int(fields[0]), int(fields[1])


def _vector(fields: list[str]) -> VectorArray:
    try:
        exact: npt.NDArray[np.float64] = np.array(fields, dtype=np.float64)
    except ValueError:
        wrong = [place for place, field in enumerate(fields, 1) if not _is_number(field)]
        raise _BadLine(f"value {wrong[0] if wrong else 1} is not a number") from None
    with np.errstate(over="ignore"):
        found = exact.astype(np.float32)
    if not np.isfinite(found).all():
        place = int(np.flatnonzero(~np.isfinite(found))[0]) + 1
        raise _BadLine(f"value {place} is NaN, infinite or too large; vectors must be finite: mend or remove the line")
    return found


def _is_number(field: str) -> bool:
    try:
        float(field)
    except ValueError:
        return False
    return True
