"""The store's files in a folder of this machine or of its network: a write is one rename, all of it or none."""

from __future__ import annotations

import contextlib
import logging
import os
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager
from pathlib import Path
from typing import BinaryIO, NamedTuple, Protocol

__all__ = ["PARTIAL", "Files", "FolderFiles", "Listed"]

PARTIAL = "partial"  # one folder for all unfinished writes: sweeping them is one listing
STALE_SECONDS = 24 * 3600.0  # a younger unfinished write may belong to a run on another host
WRITE_ATTEMPTS = 3

logger = logging.getLogger(__name__)


class Listed(NamedTuple):
    """A file of the store: its name ("ab/abcd….json"), its size in bytes, and when it was written."""

    name: str
    size: int
    created: float


class Files(Protocol):
    """Where the store's files lie. Names have two parts, "ab/abcd….json"; every failure is an OSError."""

    @property
    def location(self) -> str:
        """What another process needs to open the same."""

    @property
    def root(self) -> Path | None:
        """The folder they lie in, if it is one."""

    @property
    def shared(self) -> bool:
        """Whether another process finds the same under the location."""

    def opened(self, name: str) -> AbstractContextManager[tuple[BinaryIO, int]]:
        """Opens a file to read some of it, and tells its size; FileNotFoundError if it is absent."""

    def read(self, name: str) -> bytes:
        """Reads a file; FileNotFoundError if it is absent."""

    def write(self, name: str, content: bytes) -> None:
        """Writes a file: readers see all of it or none, or what was there before."""

    def remove(self, name: str) -> bool:
        """Removes a file; tells whether there was one."""

    def set_aside(self, name: str) -> None:
        """Takes a corrupt file out of the way."""

    def names(self) -> set[str] | None:
        """All names at once, where that is much quicker than to ask for each; None where it is not."""

    def listed(self) -> Iterator[Listed]:
        """All files, in the order of names."""

    def sweep(self, older_than: float) -> None:
        """Removes what writers that were killed left so many seconds ago."""


class FolderFiles:
    """Files in a folder, readable by its owner alone.

    Args:
        root: The folder; made if it is missing.
    """

    shared = True

    def __init__(self, root: Path) -> None:
        self.root = root.expanduser().absolute()
        (self.root / PARTIAL).mkdir(mode=0o700, parents=True, exist_ok=True)
        _keep_private(self.root)
        self.sweep(STALE_SECONDS)

    @property
    def location(self) -> str:
        """The folder's path."""
        return str(self.root)

    @contextlib.contextmanager
    def opened(self, name: str) -> Iterator[tuple[BinaryIO, int]]:
        """Opens a file to read some of it, and tells its size."""
        with (self.root / name).open("rb") as file:
            yield file, os.fstat(file.fileno()).st_size

    def read(self, name: str) -> bytes:
        """Reads a file."""
        return (self.root / name).read_bytes()

    def write(self, name: str, content: bytes) -> None:
        """Writes a file under another name, then gives it its own."""
        path = self.root / name
        path.parent.mkdir(mode=0o700, exist_ok=True)
        for attempt in range(WRITE_ATTEMPTS):
            handle, draft = tempfile.mkstemp(prefix=path.name, dir=self.root / PARTIAL)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                Path(draft).replace(path)
            except FileNotFoundError:
                # Another process swept the unfinished file, as `clear` does.
                if attempt == WRITE_ATTEMPTS - 1:
                    raise
            except BaseException:
                Path(draft).unlink(missing_ok=True)
                raise
            else:
                return

    def remove(self, name: str) -> bool:
        """Removes a file; tells whether there was one."""
        with contextlib.suppress(FileNotFoundError):
            (self.root / name).unlink()
            return True
        return False

    def set_aside(self, name: str) -> None:
        """Moves a corrupt file to the unfinished ones."""
        path = self.root / name
        path.replace(self.root / PARTIAL / f"{path.name}.corrupt")

    def names(self) -> set[str] | None:
        """None: to ask for each is quick, and looks into the file as well."""
        return None

    def listed(self) -> Iterator[Listed]:
        """All files, in the order of names; one that another process removes meanwhile is left out."""
        for path in sorted(self.root.glob("[0-9a-f][0-9a-f]/*")):
            with contextlib.suppress(FileNotFoundError):
                facts = path.stat()
                yield Listed(f"{path.parent.name}/{path.name}", facts.st_size, facts.st_mtime)

    def sweep(self, older_than: float) -> None:
        """Removes what writers that were killed left so many seconds ago."""
        now = time.time()
        for path in (self.root / PARTIAL).iterdir():
            with contextlib.suppress(FileNotFoundError):
                if now - path.stat().st_mtime >= older_than:
                    path.unlink()


def _keep_private(root: Path) -> None:
    facts = root.stat()
    if not facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return
    if facts.st_uid == os.getuid():
        root.chmod(0o700)
    else:
        logger.warning("the store %s belongs to another user and is open to others; it holds unredacted guesses", root)
