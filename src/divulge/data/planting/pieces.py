"""A text file as pieces that together are the file byte for byte: records, and what stands between them."""

from __future__ import annotations

import gzip
import zlib
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, cast

from divulge.data.files.lines import UTF8_MARK
from divulge.errors import InputError
from divulge.records import Planting

__all__ = ["Layout", "Piece", "after_line", "line_end", "open_to_read", "open_to_write", "raw_lines"]


@dataclass(frozen=True, slots=True)
class Piece:
    """Some bytes of a file; `record` is what they hold if they are a record, and None if they are not."""

    raw: bytes
    record: Any = None


class Layout(ABC):
    """How records of one format are told apart, and how one more of them is spelt. Made anew for each pass."""

    @abstractmethod
    def pieces(self, lines: Iterable[bytes]) -> Iterator[Piece]:
        """Cuts the lines of a file into pieces; nothing is lost."""

    @abstractmethod
    def split_of(self, piece: Piece) -> str:
        """The split that the record belongs to."""

    @abstractmethod
    def spelt(self, donor: Piece, planting: Planting, end: bytes) -> bytes:
        """The text of a planting as a record like its donor, without an end of line; `end` is that of the file."""

    def before(self, spelt: bytes, end: bytes) -> bytes:
        """What is to be put right before a record."""
        return spelt + end

    def after(self, donor: Piece, spelt: bytes, end: bytes) -> bytes:
        """What is to be put right after the donor, which may be the last line and have no end."""
        return after_line(donor.raw, spelt, end)


def after_line(raw: bytes, spelt: bytes, end: bytes) -> bytes:
    """One more line after `raw`: if that has no end, the new one has none either."""
    return spelt + end if raw.endswith(b"\n") else end + spelt


def line_end(raw: bytes) -> bytes | None:
    """How the last line of some bytes ends; None if it does not."""
    if raw.endswith(b"\r\n"):
        return b"\r\n"
    return b"\n" if raw.endswith(b"\n") else None


def raw_lines(content: Iterable[bytes]) -> Iterator[bytes]:
    """The lines of an open file with their ends; a byte order mark is a line of its own."""
    for number, raw in enumerate(content):
        if number == 0 and raw.startswith(UTF8_MARK):
            yield UTF8_MARK
            raw = raw.removeprefix(UTF8_MARK)  # noqa: PLW2901 - the rest of the first line
        if raw:
            yield raw


@contextmanager
def open_to_read(path: Path) -> Iterator[BinaryIO]:
    """Opens a file for its bytes, unpacked if it is gzipped; a file that cannot be read is wrong input."""
    try:
        with cast("BinaryIO", gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb") as content:
            yield content
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{path}: is not a whole gzip file") from None


@contextmanager
def open_to_write(path: Path, *, packed: bool) -> Iterator[BinaryIO]:
    """Makes a file for bytes, gzipped if wanted; the same bytes give the same file."""
    with path.open("xb") as file:
        if not packed:
            yield file
            return
        with gzip.GzipFile(filename="", mode="wb", fileobj=file, mtime=0) as content:
            yield cast("BinaryIO", content)
