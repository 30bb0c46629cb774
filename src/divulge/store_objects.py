"""The store's files in an object store (S3 and its like) or on any other file system that fsspec knows.

An object appears when its upload is complete, so a write is one upload. Other file systems get the file under another
name first. Who may read it is for the owner of the bucket to decide: it holds unredacted guesses.
"""

from __future__ import annotations

import contextlib
import errno
import time
import uuid
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any, BinaryIO, cast

from divulge.errors import InputError
from divulge.store_files import PARTIAL, Listed

__all__ = ["ObjectFiles", "is_url"]

# Where an upload is all or nothing; a file system in memory belongs to this process anyway.
WHOLE_UPLOADS = ("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "adl", "oss", "r2", "memory")
BUCKETS = ("s3", "s3a", "gs", "gcs", "oss", "r2")
EXTRAS = {"s3": 'pip install "divulge[s3]"', "s3a": 'pip install "divulge[s3]"'}
HEAD_BYTES = 1 << 16  # what is read ahead of a file of which only the beginning is wanted


def is_url(location: str) -> bool:
    """Whether a location names a file system (s3://…) rather than a folder."""
    return "://" in location


class ObjectFiles:
    """Files below a URL.

    Args:
        url: PROTOCOL://BUCKET/PREFIX; keys and endpoints come from the environment, as the protocol's library reads it.

    Raises:
        InputError: The library of the protocol is not installed, or there is no such protocol.
        OSError: The place cannot be used.
    """

    root: Path | None = None

    def __init__(self, url: str) -> None:
        self._fs, self._root = _opened(url)
        self.location = url.rstrip("/")
        self._protocol = url.partition("://")[0]
        self.shared = self._protocol != "memory"
        with _translated():
            if self._protocol not in BUCKETS:
                self._fs.makedirs(f"{self._root}/{PARTIAL}", exist_ok=True)
                return
            bucket = self._root.partition("/")[0]
            if self._fs.exists(bucket):
                return
            with contextlib.suppress(FileNotFoundError):
                self._fs.ls(bucket)  # `exists` says no to an endpoint that does not answer, too; this tells
            raise FileNotFoundError(errno.ENOENT, f"there is no bucket {bucket!r}, or it may not be looked into")

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[tuple[BinaryIO, int]]:
        """Opens a file to read some of it, and tells its size."""
        with _translated():
            file = self._fs.open(self._path(name), "rb", block_size=HEAD_BYTES)
        with contextlib.closing(file):
            with _translated():
                size = int(file.seek(0, 2))
                file.seek(0)
            yield cast("BinaryIO", _Reader(file)), size

    def read(self, name: str) -> bytes:
        """Reads a file."""
        with _translated():
            content: bytes = self._fs.cat_file(self._path(name))
            return content

    def write(self, name: str, content: bytes) -> None:
        """Writes a file in one upload, or under another name first."""
        with _translated():
            if self._protocol in WHOLE_UPLOADS:
                self._fs.pipe_file(self._path(name), content)
                return
            draft = self._path(f"{PARTIAL}/{uuid.uuid4().hex}")
            self._fs.makedirs(self._path(name).rpartition("/")[0], exist_ok=True)
            self._fs.pipe_file(draft, content)
            self._fs.mv(draft, self._path(name))

    def remove(self, name: str) -> bool:
        """Removes a file; tells whether there was one."""
        with _translated():
            if not self._fs.exists(self._path(name)):
                return False
            with contextlib.suppress(FileNotFoundError):
                self._fs.rm_file(self._path(name))
            return True

    def set_aside(self, name: str) -> None:
        """Removes a corrupt file: there is no rename, and nobody would look at it."""
        self.remove(name)

    def names(self) -> set[str] | None:
        """All names, from a listing: one question for a thousand of them."""
        return {one.name for one in self.listed()}

    def listed(self) -> Iterator[Listed]:
        """All files, in the order of names."""
        with _translated():
            try:
                found = self._fs.find(self._root, detail=True)
            except FileNotFoundError:
                found = {}
        for path in sorted(found):
            name = path.removeprefix(f"{self._root}/")
            if not name.startswith(f"{PARTIAL}/"):
                yield Listed(name, int(found[path].get("size") or 0), _when(found[path]))

    def sweep(self, older_than: float) -> None:
        """Removes drafts of writers that were killed so many seconds ago."""
        with _translated():
            try:
                found = self._fs.find(self._path(PARTIAL), detail=True)
            except FileNotFoundError:
                return
            for path, facts in found.items():
                if time.time() - _when(facts) >= older_than:
                    with contextlib.suppress(FileNotFoundError):
                        self._fs.rm_file(path)

    def _path(self, name: str) -> str:
        return f"{self._root}/{name}"


class _Reader:
    """A file of which some is read; what goes wrong meanwhile is an OSError, and not taken for a broken file."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        with _translated():
            return self._file.read(size)

    def readline(self) -> bytes:
        with _translated():
            return self._file.readline()


def _opened(url: str) -> tuple[Any, str]:
    try:
        import fsspec  # type: ignore[import-untyped]
    except ImportError:
        raise InputError('a store at a URL needs fsspec: pip install "divulge[s3]"') from None
    protocol, _, place = url.partition("://")
    if not place.strip("/"):
        raise InputError(f"the store {url} names no bucket or folder: PROTOCOL://BUCKET/PREFIX")
    try:
        # What others write meanwhile must be seen: nothing that was listed is kept.
        system, root = fsspec.core.url_to_fs(url, use_listings_cache=False)
    except ImportError:
        how = EXTRAS.get(protocol, f"install the fsspec library of {protocol}")
        raise InputError(f"a store at {protocol}:// needs a library that is not installed: {how}") from None
    except ValueError:
        raise InputError(
            f"the store {url} cannot be used: unknown protocol {protocol!r}. Use a folder, or s3://"
        ) from None
    return system, root.rstrip("/")


def _when(facts: dict[str, Any]) -> float:
    for name in ("LastModified", "last_modified", "mtime", "updated", "created"):
        value = facts.get(name)
        if isinstance(value, datetime):
            return value.timestamp()
        if isinstance(value, int | float):
            return float(value)
    return 0.0


@contextlib.contextmanager
def _translated() -> Iterator[None]:
    """Whatever the protocol's library raises, as an OSError with words."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as error:
        said = error.strerror or _line(error)
        raise OSError(error.errno or errno.EIO, said) from error
    except Exception as error:
        raise OSError(errno.EIO, _line(error)) from error


def _line(error: Exception) -> str:
    first = str(error).strip().partition("\n")[0][:200]
    return f"{type(error).__name__}: {first}" if first else type(error).__name__
