"""Where data lies on this machine, and whether a file there is the one that was meant."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

from divulge.errors import ExecutionError
from divulge.records import Record

__all__ = ["DataFile", "FileFinding", "check_file", "data_root", "place_of"]


class DataFile(Record):
    """A file that a data set consists of: its path in the set's folder and, where known, what it must be.

    A file that belongs to another set is named from there: "../world-cities/world-cities.csv.gz".
    """

    path: str
    size: int | None = None
    sha256: str | None = None


class FileFinding(Record):
    """What there is in the place of a `DataFile`.

    `as_expected` is None where the right content is not known.
    """

    path: str
    present: bool
    size: int | None = None
    sha256: str | None = None
    as_expected: bool | None = None
    reason: str = ""


def data_root() -> Path:
    """The folder of all data sets: $DIVULGE_DATA, else the user's cache."""
    chosen = os.environ.get("DIVULGE_DATA", "")
    if chosen:
        return Path(chosen).expanduser()
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if not cache.is_absolute():  # the XDG specification has relative paths ignored
        cache = Path.home() / ".cache"
    return cache / "divulge" / "data"


def place_of(folder: Path, file: DataFile) -> Path:
    """Where a file belongs, given its set's folder; that folder need not be there for one of another set."""
    return Path(os.path.normpath(folder / file.path))


def check_file(folder: Path, expected: DataFile) -> FileFinding:
    """Compares the file in `folder` with what is expected of it."""
    place = place_of(folder, expected)
    if not place.is_file():
        return FileFinding(path=expected.path, present=False, as_expected=False, reason="is not there")
    try:
        with place.open("rb") as content:
            found = hashlib.file_digest(content, "sha256").hexdigest()
            size = content.tell()
    except OSError as error:
        raise ExecutionError(f"{place}: cannot be read: {error.strerror}") from error
    as_expected: bool | None = None
    reason = "nothing to compare it with"
    if expected.size is not None and size != expected.size:
        as_expected, reason = False, f"has {size} bytes; expected {expected.size}"
    elif expected.sha256 is not None:
        as_expected = found == expected.sha256
        reason = "" if as_expected else "has another SHA-256 than expected: its content was changed"
    return FileFinding(
        path=expected.path, present=True, size=size, sha256=found, as_expected=as_expected, reason=reason
    )
