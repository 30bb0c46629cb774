"""What has been computed, by key: an artefact is written once, read often, and found again by every later run.

One file per key, so that a write is one atomic step: whoever reads sees all of an artefact or none of it, whatever
was killed when. It lies in a folder that only its owner may read, for it holds unredacted guesses; or in an object
store that several machines see.
"""

from __future__ import annotations

import contextlib
import logging
import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeVar
from urllib.parse import unquote

from divulge.artefacts import SUFFIXES, CorruptArtefactError, decode, encode, read_info
from divulge.errors import ExecutionError, InputError
from divulge.records import Artefact
from divulge.store_files import PARTIAL, Files, FolderFiles, Listed
from divulge.store_objects import ObjectFiles, is_url

__all__ = ["ANSWERS", "Entry", "MissingArtefactError", "Store", "default_location", "default_root"]

ANSWERS = "answers"  # a folder of what own models answered, and the kind under which it is listed
KEY = re.compile(r"[0-9a-f]{64}")
FILE_URL = "file://"
READ_ATTEMPTS = 3  # what another run replaces in the middle of a reading looks broken, and is whole the next time
T = TypeVar("T")

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
    processor: float | None = None  # of these, how many a processor was busy; None where that was not kept


class Store:
    """Artefacts by key; safe to share between processes, between runs and, where all see it, between machines.

    Args:
        location: A folder, made if it is missing, or a URL (s3://BUCKET/PREFIX). None means `default_location()`.
    """

    def __init__(self, location: Path | str | None = None) -> None:
        named = default_location() if location is None else _without_file_url(str(location))
        try:
            self._files: Files = ObjectFiles(named) if is_url(named) else FolderFiles(Path(named))
        except OSError as error:
            where = named if is_url(named) else Path(named).expanduser().absolute()
            own = "a folder of your own, or a bucket that answers," if is_url(named) else "a folder of your own"
            raise InputError(
                f"the store {where} cannot be used: {error.strerror}. Name {own} in DIVULGE_STORE"
            ) from error
        # What must lie in a folder has one beside a store that is none.
        self.root = self._files.root or default_root().expanduser().absolute()
        # The answers there belong to the store that the environment names, and to no other without a folder.
        self._has_answers = self._files.root is not None or named == default_location()

    @property
    def location(self) -> str:
        """What another process needs to open the same store."""
        return self._files.location

    @property
    def shared(self) -> bool:
        """Whether another process finds the same store there."""
        return self._files.shared

    def has(self, key: str) -> bool:
        """Whether the artefact is there, and whole as far as its first bytes and its length tell."""
        return self.info(key) is not None

    def known(self) -> frozenset[str] | None:
        """All keys at once, where to ask for each takes long; None where it does not."""
        with self._reading():
            names = self._files.names()
        return None if names is None else frozenset(Path(name).stem for name in names if _is_artefact(name))

    def info(self, key: str) -> Mapping[str, Any] | None:
        """The small facts kept beside an artefact: kind, label, seconds, versions; None if it is absent."""
        return next((found for name in _names(key) if (found := self._tried(name, self._info)) is not None), None)

    def get(self, key: str) -> Artefact:
        """Reads an artefact; its arrays are the caller's own.

        Raises:
            MissingArtefactError: It is absent, or its checksum is wrong (it then counts as absent from now on).
        """
        for name in _names(key):
            found = self._tried(name, self._content)
            if found is not None:
                return found
        raise MissingArtefactError(key)

    def put(self, key: str, artefact: Artefact, info: Mapping[str, Any]) -> None:
        """Writes an artefact and the small facts about it in one step; a later `put` of the same key replaces it.

        Raises:
            ExecutionError: The artefact cannot be spelled (NaN among its values, say), or the disk refuses.
        """
        suffix, content = encode(artefact, info)
        wanted, other = sorted(_names(key), key=lambda name: not name.endswith(suffix))
        with self._changing():
            self._files.write(wanted, content)
            self._files.remove(other)

    def delete(self, key: str) -> bool:
        """Removes one artefact; tells whether there was one."""
        with self._changing():
            found = [self._files.remove(name) for name in _names(key)]
        return any(found)

    def left(self, key: str, number: int) -> tuple[Artefact, Mapping[str, Any]] | None:
        """What a killed task left of its trainings (see `halfway`), and the facts beside it; None if nothing."""
        name = _halfway_name(key, number)
        return self._tried(name, lambda name: decode(Path(name).suffix, self._files.read(name)))

    def leave(self, key: str, number: int, artefact: Artefact, info: Mapping[str, Any]) -> None:
        """Leaves half-done work among the unfinished writes; a folder's are swept when they are a day old."""
        with self._changing():
            self._files.write(_halfway_name(key, number), encode(artefact, info)[1])

    def forget(self, key: str, number: int) -> None:
        """Removes half-done work."""
        with self._changing():
            self._files.remove(_halfway_name(key, number))

    def clear(self, kind: str | None = None) -> tuple[Entry, ...]:
        """Removes everything, or what one kind of task left, and what killed writers left; tells what it removed."""
        removed = tuple(entry for entry in self.entries() if kind in (None, entry.kind))
        for entry in removed:
            if entry.kind != ANSWERS:
                self.delete(entry.key)
                continue
            with self._changing():
                (self.root / ANSWERS / f"{entry.key}.sqlite").unlink(missing_ok=True)
        with self._changing():
            self._files.sweep(-math.inf)
        return removed

    def entries(self) -> Iterator[Entry]:
        """Lists the store, in the order of keys; an unreadable artefact is of kind "?", kept answers come last."""
        for name, size, created in self._listed():
            if not _is_artefact(name):
                continue
            try:
                info = self._info(name)
            except FileNotFoundError:
                continue  # removed by another process since it was listed
            except (CorruptArtefactError, OSError):
                info = {}
            yield Entry(
                key=Path(name).stem,
                kind=str(info.get("kind", "?")),
                bytes=size,
                created=created,
                label=str(info.get("label", "")),
                seconds=info.get("seconds"),
                processor=info.get("processor"),
            )
        for path in sorted((self.root / ANSWERS).glob("*.sqlite")) if self._has_answers else ():
            if not KEY.fullmatch(path.stem):
                continue
            with contextlib.suppress(FileNotFoundError):
                facts = path.stat()
                yield Entry(path.stem, ANSWERS, facts.st_size, facts.st_mtime, "own model", None)

    def _info(self, name: str) -> Mapping[str, Any]:
        with self._files.opened(name) as (file, size):
            return read_info(Path(name).suffix, file, size)

    def _content(self, name: str) -> Artefact:
        return decode(Path(name).suffix, self._files.read(name))[0]

    def _listed(self) -> tuple[Listed, ...]:
        with self._reading():
            return tuple(self._files.listed())

    def _tried(self, name: str, read: Callable[[str], T]) -> T | None:
        # Absent and corrupt are the same to the reader; a corrupt file is moved out of the way, so that all agree.
        for attempt in range(1, READ_ATTEMPTS + 1):
            try:
                return read(name)
            except FileNotFoundError:
                return None
            except CorruptArtefactError as error:
                if attempt == READ_ATTEMPTS:
                    logger.warning("artefact %s is corrupt (%s) and will be made again", Path(name).name, error)
                    with contextlib.suppress(OSError):
                        self._files.set_aside(name)
            except OSError as error:
                if attempt == READ_ATTEMPTS:
                    raise ExecutionError(f"the store {self.location} cannot be read: {error.strerror}") from error
        return None

    @contextlib.contextmanager
    def _reading(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ExecutionError(f"the store {self.location} cannot be read: {error.strerror}") from error

    @contextlib.contextmanager
    def _changing(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise ExecutionError(f"the store {self.location} cannot be changed: {error.strerror}") from error


def default_location() -> str:
    """Where the store is unless told otherwise: $DIVULGE_STORE, else the user's cache."""
    named = os.environ.get("DIVULGE_STORE", "")
    return named if is_url(_without_file_url(named)) else str(default_root())


def default_root() -> Path:
    """The folder for what must lie in one: that of $DIVULGE_STORE, else the user's cache."""
    named = _without_file_url(os.environ.get("DIVULGE_STORE", ""))
    if named and not is_url(named):
        return Path(named)
    cache = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # The XDG specification: a relative path is to be ignored.
    return (cache if cache.is_absolute() else Path("~/.cache").expanduser()) / "divulge" / "store"


def _without_file_url(location: str) -> str:
    return unquote(location.removeprefix(FILE_URL)) if location.startswith(FILE_URL) else location


def _names(key: str) -> tuple[str, ...]:
    if not KEY.fullmatch(key):
        raise ValueError(f"a key has 64 hex digits. Got {len(key)} characters")
    return tuple(f"{key[:2]}/{key}{suffix}" for suffix in SUFFIXES)


def _halfway_name(key: str, number: int) -> str:
    return f"{PARTIAL}/{key}.{number}.safetensors"


def _is_artefact(name: str) -> bool:
    path = Path(name)
    return path.suffix in SUFFIXES and KEY.fullmatch(path.stem) is not None
