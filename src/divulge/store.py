"""What has been computed, by key: an artefact is written once, read often, and found again by every later run.

One file per key, so that a write is one atomic rename: whoever reads sees all of an artefact or none of it, whatever
was killed when. Only the owner may read the store, for it holds unredacted guesses.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
import stat
import tempfile
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from divulge.artefacts import SUFFIXES, CorruptArtefactError, decode, encode, read_info
from divulge.errors import ExecutionError, InputError
from divulge.records import Artefact

__all__ = ["ANSWERS", "Entry", "MissingArtefactError", "Store", "default_root"]

ANSWERS = "answers"  # a folder of what own models answered, and the kind under which it is listed
PARTIAL = "partial"  # one folder for all unfinished writes: sweeping them is one listing
STALE_SECONDS = 24 * 3600.0  # a younger unfinished write may belong to a run on another host
WRITE_ATTEMPTS = 3
KEY = re.compile(r"[0-9a-f]{64}")

logger = logging.getLogger(__name__)


class MissingArtefactError(ExecutionError):
    """An artefact that was asked for is not in the store, or is no longer readable there."""

    def __init__(self, key: str) -> None:
        self.key = key
        super().__init__(f"artefact {key[:12]}… is not in the store: run the same command again to make it")


class Entry(NamedTuple):
    """One line of a listing of the store."""

    key: str
    kind: str
    bytes: int
    created: float
    label: str
    seconds: float | None


class Store:
    """Artefacts by key in a folder; safe to share between processes and between runs.

    Args:
        root: The folder; made if it is missing. None means `default_root()`.
    """

    def __init__(self, root: Path | None = None) -> None:
        self.root = (default_root() if root is None else root).expanduser().absolute()
        try:
            (self.root / PARTIAL).mkdir(mode=0o700, parents=True, exist_ok=True)
            _keep_private(self.root)
            self._sweep(older_than=STALE_SECONDS)
        except OSError as error:
            raise InputError(
                f"the store {self.root} cannot be used: {error.strerror}. Name a folder of your own in DIVULGE_STORE"
            ) from error

    @property
    def location(self) -> str:
        """What another process needs to open the same store."""
        return str(self.root)

    def has(self, key: str) -> bool:
        """Whether the artefact is there, and whole as far as its first bytes and its length tell."""
        return self.info(key) is not None

    def info(self, key: str) -> Mapping[str, Any] | None:
        """The small facts kept beside an artefact: kind, label, seconds, versions; None if it is absent."""
        for path in self._paths(key):
            with self._guarded(path), path.open("rb") as file:
                return read_info(path.suffix, file, os.fstat(file.fileno()).st_size)
        return None

    def get(self, key: str) -> Artefact:
        """Reads an artefact; its arrays are the caller's own.

        Raises:
            MissingArtefactError: It is absent, or its checksum is wrong (it then counts as absent from now on).
        """
        for path in self._paths(key):
            with self._guarded(path):
                return decode(path.suffix, path.read_bytes())[0]
        raise MissingArtefactError(key)

    def put(self, key: str, artefact: Artefact, info: Mapping[str, Any]) -> None:
        """Writes an artefact and the small facts about it in one step; a later `put` of the same key replaces it.

        Raises:
            ExecutionError: The artefact cannot be spelled (NaN among its values, say), or the disk refuses.
        """
        suffix, content = encode(artefact, info)
        wanted, other = sorted(self._paths(key), key=lambda path: path.suffix != suffix)
        with self._changing():
            self._write(wanted, content)
            other.unlink(missing_ok=True)

    def delete(self, key: str) -> bool:
        """Removes one artefact; tells whether there was one."""
        found = False
        for path in self._paths(key):
            with self._changing(), contextlib.suppress(FileNotFoundError):
                path.unlink()
                found = True
        return found

    def clear(self, kind: str | None = None) -> tuple[Entry, ...]:
        """Removes everything, or what one kind of task left, and what killed writers left; tells what it removed."""
        removed = tuple(entry for entry in self.entries() if kind in (None, entry.kind))
        for entry in removed:
            if entry.kind != ANSWERS:
                self.delete(entry.key)
                continue
            with self._changing():
                self._answers(entry.key).unlink(missing_ok=True)
        with self._changing():
            self._sweep(older_than=-math.inf)
        return removed

    def entries(self) -> Iterator[Entry]:
        """Lists the store, in the order of keys; an unreadable artefact is of kind "?", kept answers come last."""
        for path in sorted(self.root.glob("[0-9a-f][0-9a-f]/*")):
            if path.suffix not in SUFFIXES or not KEY.fullmatch(path.stem):
                continue
            try:
                facts = path.stat()
                with path.open("rb") as file:
                    info = read_info(path.suffix, file, facts.st_size)
            except FileNotFoundError:
                continue  # removed by another process since it was listed
            except CorruptArtefactError:
                info = {}
            yield Entry(
                key=path.stem,
                kind=str(info.get("kind", "?")),
                bytes=facts.st_size,
                created=facts.st_mtime,
                label=str(info.get("label", "")),
                seconds=info.get("seconds"),
            )
        for path in sorted((self.root / ANSWERS).glob("*.sqlite")):
            if not KEY.fullmatch(path.stem):
                continue
            with contextlib.suppress(FileNotFoundError):
                facts = path.stat()
                yield Entry(path.stem, ANSWERS, facts.st_size, facts.st_mtime, "own model", None)

    def _answers(self, key: str) -> Path:
        return self.root / ANSWERS / f"{key}.sqlite"

    def _paths(self, key: str) -> tuple[Path, ...]:
        if not KEY.fullmatch(key):
            raise ValueError(f"a key has 64 hex digits. Got {len(key)} characters")
        return tuple(self.root / key[:2] / f"{key}{suffix}" for suffix in SUFFIXES)

    @contextlib.contextmanager
    def _guarded(self, path: Path) -> Iterator[None]:
        # Absent and corrupt are the same to the reader; a corrupt file is moved out of the way, so that all agree.
        try:
            yield
        except FileNotFoundError:
            pass
        except CorruptArtefactError as error:
            logger.warning("artefact %s is corrupt (%s) and will be made again", path.name, error)
            with contextlib.suppress(OSError):
                path.replace(self.root / PARTIAL / f"{path.name}.corrupt")
        except OSError as error:
            raise ExecutionError(f"the store {self.root} cannot be read: {error.strerror}") from error

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ExecutionError(f"the store {self.root} cannot be changed: {error.strerror}") from error

    def _write(self, path: Path, content: bytes) -> None:
        path.parent.mkdir(mode=0o700, exist_ok=True)
        for attempt in range(WRITE_ATTEMPTS):
            handle, name = tempfile.mkstemp(prefix=path.name, dir=self.root / PARTIAL)
            try:
                with os.fdopen(handle, "wb") as file:
                    file.write(content)
                Path(name).replace(path)
            except FileNotFoundError:
                # Another process swept the unfinished file, as `clear` does.
                if attempt == WRITE_ATTEMPTS - 1:
                    raise
            except BaseException:
                Path(name).unlink(missing_ok=True)
                raise
            else:
                return

    def _sweep(self, *, older_than: float) -> None:
        now = time.time()
        for path in (self.root / PARTIAL).iterdir():
            with contextlib.suppress(FileNotFoundError):
                if now - path.stat().st_mtime >= older_than:
                    path.unlink()


def default_root() -> Path:
    """Where the store is unless told otherwise: $DIVULGE_STORE, else the user's cache."""
    named = os.environ.get("DIVULGE_STORE")
    if named:
        return Path(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification: a relative path is to be ignored.
    return (cache if cache.is_absolute() else Path("~/.cache").expanduser()) / "divulge" / "store"


def _keep_private(root: Path) -> None:
    facts = root.stat()
    if not facts.st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return
    if facts.st_uid == os.getuid():
        root.chmod(0o700)
    else:
        logger.warning("the store %s belongs to another user and is open to others; it holds unredacted guesses", root)
