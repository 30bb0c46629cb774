"""The lines of a text file, plain or gzipped, with their numbers; one at a time."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, cast

from divulge.data.files.problems import Problems
from divulge.errors import InputError

__all__ = ["read_lines"]

UTF8_MARK = b"\xef\xbb\xbf"
UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")


def read_lines(path: Path, problems: Problems) -> Iterator[tuple[int, str]]:
    """Yields (line number from 1, line without its end); a byte order mark is taken off.

    A line that is not UTF-8 is noted and yielded with marks in place of the wrong bytes, so that what follows it
    keeps its meaning.
    """
    try:
        with _open(path) as content:
            for number, raw in enumerate(content, 1):
                if number == 1 and raw.startswith(UTF16_MARKS):
                    problems.add(path, None, "is UTF-16 text; save it as UTF-8")
                    return
                line = raw.removeprefix(UTF8_MARK) if number == 1 else raw
                yield number, _decoded(line, path, number, problems).removesuffix("\n").removesuffix("\r")
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(f"{path}: is not a whole gzip file") from error
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from error


def _open(path: Path) -> BinaryIO:
    # Bytes, not text: only so does a decoding error have a line number.
    return cast("BinaryIO", gzip.open(path, "rb")) if path.suffix == ".gz" else path.open("rb")


def _decoded(raw: bytes, path: Path, number: int, problems: Problems) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        problems.add(path, number, f"is not UTF-8 text (byte {error.start + 1} of the line)")
        return raw.decode("utf-8", errors="replace")
