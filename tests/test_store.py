"""Tests of the store."""

from __future__ import annotations

import errno
import logging
import os
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import ExecutionError, InputError
from divulge.records import Artefact
from divulge.store import MissingArtefactError, Store, default_location, default_root

KEY = "ab" * 32
OTHER = "cd" * 32
ROWS = Artefact({"n": 2}, {"rows": np.eye(2)})
INFO = {"kind": "attack", "label": "an attack", "seconds": 1.5}


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store(tmp_path / "store")


def mode(path: Path) -> int:
    """The permission bits."""
    return stat.S_IMODE(path.stat().st_mode)


def files(store: Store) -> list[Path]:
    """All files in the store's folder."""
    return sorted(path for path in store.root.rglob("*") if path.is_file())


def test_what_is_put_is_found_again(store):
    """An artefact and its info come back from another view of the same folder, and only under their key."""
    store.put(KEY, ROWS, INFO)
    again = Store(Path(store.location))
    assert again.has(KEY)
    assert again.get(KEY).values == {"n": 2}
    assert again.get(KEY).arrays["rows"].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert again.info(KEY) == INFO
    assert not again.has(OTHER)
    assert again.info(OTHER) is None


def test_an_absent_artefact_is_an_error_with_its_key(store):
    """Asking for what is not there raises an error that carries the key."""
    with pytest.raises(MissingArtefactError) as caught:
        store.get(KEY)
    assert caught.value.key == KEY


@pytest.mark.parametrize("key", ["", "../../etc/passwd", "AB" * 32, "ab" * 31, "ab" * 32 + "\n"])
def test_keys_are_64_hex_digits(store, key):
    """Nothing but a hash becomes a file name."""
    with pytest.raises(ValueError, match="64 hex digits"):
        store.has(key)


def test_one_file_per_key(store):
    """Putting again replaces the file, also when the artefact now has arrays and did not before."""
    store.put(KEY, Artefact({"n": 1}), INFO)
    assert [path.name for path in files(store)] == [f"{KEY}.json"]
    store.put(KEY, ROWS, INFO)
    assert [path.name for path in files(store)] == [f"{KEY}.safetensors"]
    store.put(KEY, Artefact({"n": 3}), INFO)
    assert store.get(KEY).values == {"n": 3}
    assert store.get(KEY).arrays == {}


def test_only_the_owner_may_look(tmp_path):
    """The root is 0700 and files 0600 even under a permissive umask; a looser root of ours is tightened."""
    loose = tmp_path / "loose"
    loose.mkdir(mode=0o755)
    before = os.umask(0)
    try:
        fresh = Store(tmp_path / "fresh")
        fresh.put(KEY, ROWS, INFO)
    finally:
        os.umask(before)
    assert mode(fresh.root) == 0o700
    assert {mode(path) for path in fresh.root.iterdir()} == {0o700}
    assert mode(files(fresh)[0]) == 0o600
    assert mode(Store(loose).root) == 0o700


def test_a_root_of_somebody_else_is_left_and_warned_of(tmp_path, monkeypatch, caplog):
    """A folder that belongs to another user keeps its mode, and the log says that others may look."""
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    theirs.chmod(0o755)
    monkeypatch.setattr(os, "getuid", lambda: theirs.stat().st_uid + 1)
    Store(theirs)
    assert mode(theirs) == 0o755
    assert "belongs to another user" in caplog.text


def test_a_root_that_cannot_be_is_wrong_input(tmp_path):
    """A file where the folder should be is reported as wrong input with what to do."""
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot be used.*DIVULGE_STORE"):
        Store(tmp_path / "file")


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"DIVULGE_STORE": "/somewhere/mine", "XDG_CACHE_HOME": "/cache"}, "/somewhere/mine"),
        ({"DIVULGE_STORE": "", "XDG_CACHE_HOME": "/cache"}, "/cache/divulge/store"),
        ({"XDG_CACHE_HOME": "relative"}, "/home/me/.cache/divulge/store"),
        ({}, "/home/me/.cache/divulge/store"),
        ({"DIVULGE_STORE": "s3://bucket/mine", "XDG_CACHE_HOME": "/cache"}, "/cache/divulge/store"),
        ({"DIVULGE_STORE": "file:///somewhere/mine"}, "/somewhere/mine"),
    ],
)
def test_the_default_root(monkeypatch, environment, expected):
    """A folder in $DIVULGE_STORE goes first, then an absolute $XDG_CACHE_HOME, then the cache in the home folder."""
    for name in ("DIVULGE_STORE", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    for name, value in {"HOME": "/home/me", **environment}.items():
        monkeypatch.setenv(name, value)
    assert default_root() == Path(expected)
    named = environment.get("DIVULGE_STORE", "")
    assert default_location() == (named if named.startswith("s3:") else expected)


def test_the_store_opens_at_its_default_root(monkeypatch, tmp_path):
    """Without a folder, the store is where the environment says."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "named"))
    assert Store().root == tmp_path / "named"
    monkeypatch.setenv("DIVULGE_STORE", (tmp_path / "by url").as_uri())
    assert Store().location == str(tmp_path / "by url")


@pytest.mark.parametrize("artefact", [Artefact({"n": 1}), ROWS])
def test_a_truncated_file_counts_as_absent(store, caplog, artefact):
    """A file cut short is absent with one warning, and can be written again."""
    store.put(KEY, artefact, INFO)
    path = files(store)[0]
    path.write_bytes(path.read_bytes()[:-3])
    with caplog.at_level(logging.WARNING):
        assert not store.has(KEY)
        assert not store.has(KEY)
    assert len(caplog.records) == 1
    assert "will be made again" in caplog.text
    store.put(KEY, artefact, INFO)
    assert store.get(KEY).values == artefact.values


def test_a_changed_file_counts_as_absent_once_read(store):
    """A flipped bit is found when the artefact is read; from then on it is absent for everybody."""
    store.put(KEY, ROWS, INFO)
    path = files(store)[0]
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(MissingArtefactError):
        store.get(KEY)
    assert not Store(store.root).has(KEY)


def test_a_file_that_cannot_be_read_is_left_alone(store, monkeypatch):
    """A network's folder that fails for a moment does not cost the artefact; one that goes on failing is an error."""
    store.put(KEY, Artefact({"n": 1}), INFO)
    failures = [OSError(errno.EIO, "Input/output error")] * 2

    def failing(*_):
        if failures:
            raise failures.pop()
        return INFO

    monkeypatch.setattr("divulge.store.read_info", failing)
    assert store.has(KEY)
    failures += [OSError(errno.EIO, "Input/output error")] * 3
    with pytest.raises(ExecutionError, match="cannot be read: Input/output error"):
        store.has(KEY)
    monkeypatch.undo()
    assert store.has(KEY)


def test_nothing_unreadable_is_ever_unpickled(store):
    """A pickle in an artefact's place is a corrupt artefact, and its code does not run."""
    path = store.root / KEY[:2] / f"{KEY}.json"
    path.parent.mkdir()
    path.write_bytes(b"cbuiltins\nexit\n(tR.")
    assert not store.has(KEY)


def test_refused_artefacts_leave_nothing_behind(store):
    """An artefact that cannot be spelled leaves no file, whole or unfinished."""
    with pytest.raises(ExecutionError):
        store.put(KEY, Artefact({"loss": float("nan")}), INFO)
    assert files(store) == []


def test_a_failed_write_leaves_nothing_behind(store):
    """When the last step of a write fails, the unfinished file is removed and the error says what was the matter."""
    (store.root / KEY[:2] / f"{KEY}.json").mkdir(parents=True)
    with pytest.raises(ExecutionError, match="cannot be changed: Is a directory"):
        store.put(KEY, Artefact({"n": 1}), INFO)
    assert files(store) == []


def test_leftovers_of_killed_writers(store):
    """Unfinished files are never read; old ones go when a store is opened, all of them on `clear`."""
    young, old = (store.root / "partial" / f"{KEY}.json{end}" for end in ("young", "old"))
    for path in (young, old):
        path.write_text('{"half')
    os.utime(old, (0, time.time() - 2 * 24 * 3600))
    assert not store.has(KEY)
    assert list(store.entries()) == []
    assert files(Store(store.root)) == [young]
    store.clear()
    assert files(store) == []


def test_a_write_survives_a_sweep_by_another_process(store, monkeypatch):
    """If the unfinished file is swept under the writer's feet, it is written once more."""
    real = tempfile.mkstemp
    swept = []

    def sweeping(**places):
        handle, name = real(**places)
        if not swept:
            Path(name).unlink()
            swept.append(name)
        return handle, name

    monkeypatch.setattr(tempfile, "mkstemp", sweeping)
    store.put(KEY, ROWS, INFO)
    assert swept
    assert store.get(KEY).values == {"n": 2}


def test_entries(store):
    """A listing has key, kind, size, time, label and seconds of each artefact, and skips what is none."""
    begin = time.time() - 2  # file systems may round
    store.put(OTHER, Artefact({"n": 1}), {"kind": "measure"})
    store.put(KEY, ROWS, INFO)
    (store.root / "ab" / "notes.json").write_text("{}")
    first, second = store.entries()
    assert (first.key, first.kind, first.label, first.seconds) == (KEY, "attack", "an attack", 1.5)
    assert (second.key, second.kind, second.label, second.seconds) == (OTHER, "measure", "", None)
    assert first.bytes == (store.root / "ab" / f"{KEY}.safetensors").stat().st_size
    assert begin <= first.created <= time.time() + 2


def test_clear_and_delete(store):
    """`clear` removes one kind or everything and tells what; `delete` removes one key and tells if it was there."""
    store.put(KEY, ROWS, INFO)
    store.put(OTHER, Artefact({"n": 1}), {"kind": "measure"})
    assert [entry.key for entry in store.clear("measure")] == [OTHER]
    assert (store.has(KEY), store.has(OTHER)) == (True, False)
    assert store.delete(KEY)
    assert not store.delete(KEY)
    store.put(OTHER, ROWS, INFO)
    (store.root / OTHER[:2] / f"{OTHER}.safetensors").write_bytes(b"broken")
    assert [entry.kind for entry in store.clear()] == ["?"]
    assert files(store) == []


def test_clear_touches_nothing_but_artefacts(store):
    """A file of somebody else in the store's folder survives."""
    (store.root / "thesis.tex").write_text("mine")
    store.put(KEY, ROWS, INFO)
    store.clear()
    assert files(store) == [store.root / "thesis.tex"]


WRITER = """
import sys
from pathlib import Path
import numpy as np
from divulge.records import Artefact
from divulge.store import Store
store, size = Store(Path(sys.argv[1])), int(sys.argv[2])
for turn in range(60):
    store.put("ab" * 32, Artefact({"size": size, "turn": turn}, {"numbers": np.full(size, float(size))}), {})
"""


def test_two_processes_writing_one_key(store):
    """While two processes write the same key, every read finds one whole artefact of either."""
    store.put(KEY, Artefact({"size": 1}, {"numbers": np.ones(1)}), {})
    writers = [subprocess.Popen([sys.executable, "-c", WRITER, store.location, size]) for size in ("10", "50000")]
    reads = 0
    while any(writer.poll() is None for writer in writers) or reads == 0:
        artefact = store.get(KEY)
        size = artefact.values["size"]
        assert artefact.arrays["numbers"].tolist() == [float(size)] * size
        reads += 1
    assert [writer.wait() for writer in writers] == [0, 0]
    assert len(files(store)) == 1
