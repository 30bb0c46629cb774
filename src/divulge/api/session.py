"""What must be there while a call runs: the store, an object that only this process has, texts that lie in no file."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from divulge.api.targets import GivenTarget
from divulge.api.texts import HandedTexts
from divulge.errors import ExecutionError
from divulge.spec import DataSpec
from divulge.store import Store
from divulge.targets.own.live import held

__all__ = ["Session"]

HANDED = "handed"  # a folder of the store for texts that were handed over in memory


class Session:
    """Everything that the specs of one call name and that lies nowhere: opened for the call, and to show secrets.

    Without a store of the caller's, what no hash stands for is kept in a private folder that goes with this object.
    """

    def __init__(self, target: GivenTarget, store: Store | Path | str | None) -> None:
        self._target = target
        self._texts: list[HandedTexts] = []
        self._lasting: Path | None = None
        if isinstance(store, Store):
            self.store = store
        elif store is not None or target.hashed:
            self.store = Store(store)
        else:
            folder = tempfile.mkdtemp(prefix="divulge-")  # readable by its owner alone
            weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
            self.store = Store(Path(folder))
            self._lasting = _own_folder()

    def spec_of(self, data: DataSpec | HandedTexts) -> DataSpec:
        """The spec by which texts are known; the file of texts in memory is there while the session is open."""
        if isinstance(data, DataSpec):
            return data
        self._texts.append(data)
        return DataSpec(path=str(self._path(data)))

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Holds the object and writes the texts; afterwards neither is there any more."""
        with ExitStack() as stack:
            for texts in self._texts:
                stack.enter_context(_written(self._path(texts), texts.content))
            if self._target.live is not None:
                token = str(self._target.spec.recipe["token"])
                stack.enter_context(held(token, self._target.live))
            yield

    def _path(self, texts: HandedTexts) -> Path:
        # By content: the same texts again find what was computed for them, and have the same spec.
        return (self._lasting or self.store.root) / HANDED / texts.name


def _own_folder() -> Path | None:
    """A folder of this user's for texts in memory, of the same name in every process; None where it cannot be had."""
    folder = Path(tempfile.gettempdir()) / f"divulge-of-{os.getuid()}"
    try:
        folder.mkdir(mode=0o700, exist_ok=True)
        facts = folder.lstat()
    except OSError:
        return None
    # Somebody else may have made it first, to read along.
    private = stat.S_ISDIR(facts.st_mode) and facts.st_uid == os.getuid() and not facts.st_mode & 0o077
    return folder if private else None


@contextmanager
def _written(path: Path, content: bytes) -> Iterator[None]:
    """A private file while it is needed. Whoever needs it holds a shared lock; the last one removes it."""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = _locked(path, content)
    except OSError as error:
        raise ExecutionError(f"{path}: texts cannot be put aside there: {error.strerror}") from None
    try:
        yield
    finally:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)
        except OSError:
            pass  # another process still reads it
        finally:
            os.close(handle)


def _locked(path: Path, content: bytes) -> int:
    """The file, open and locked; it is never there in part, for it is written under another name."""
    while True:
        if not path.exists():
            _put(path, content)
        try:
            handle = os.open(path, os.O_RDONLY)
        except FileNotFoundError:
            continue  # the last one who needed it removed it just now
        fcntl.flock(handle, fcntl.LOCK_SH)
        if path.exists() and path.stat().st_ino == os.fstat(handle).st_ino:
            return handle
        os.close(handle)  # removed between opening and locking


def _put(path: Path, content: bytes) -> None:
    handle, draft = tempfile.mkstemp(prefix=f".{path.name}", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        with suppress(FileExistsError):
            os.link(draft, path)
    finally:
        Path(draft).unlink()
