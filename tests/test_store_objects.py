"""Tests of the store's files in object stores: in memory, and on a server that speaks S3."""

from __future__ import annotations

import contextlib
import io
import os
import re
import socket
import subprocess
import sys
import time
import uuid
from pathlib import Path

import numpy as np
import pytest
from tests.engine.sample_tasks import EXECUTE, contents, sample_graph

from divulge.engine.running import run
from divulge.errors import ExecutionError, InputError
from divulge.records import Artefact
from divulge.store import MissingArtefactError, Store
from divulge.store_files import PARTIAL
from divulge.store_objects import ObjectFiles, is_url

fsspec = pytest.importorskip("fsspec", reason='fsspec is not installed: pip install "divulge[s3]"')

KEY, OTHER = "ab" * 32, "cd" * 32
ROWS = Artefact({"n": 2}, {"rows": np.eye(2)})
INFO = {"kind": "attack", "label": "an attack", "seconds": 1.5}
BUCKET = "divulge-tests"


@pytest.fixture(scope="session")
def s3(tmp_path_factory):
    """A server process that speaks S3, with an empty bucket; its environment is that of a user."""
    pytest.importorskip("s3fs", reason='s3fs is not installed: pip install "divulge[s3]"')
    pytest.importorskip("moto.server", reason="moto is not installed")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-W", "ignore", "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    with (tmp_path_factory.mktemp("s3") / "log").open("w") as log, pytest.MonkeyPatch.context() as patch:
        server = subprocess.Popen(command, stdout=log, stderr=log)
        for name, value in {
            "AWS_ACCESS_KEY_ID": "tests",
            "AWS_SECRET_ACCESS_KEY": "tests",
            "AWS_DEFAULT_REGION": "us-east-1",
            "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}",
        }.items():
            patch.setenv(name, value)
        try:
            _wait_for(port)
            fsspec.filesystem("s3").mkdir(BUCKET)
            yield f"s3://{BUCKET}"
        finally:
            server.terminate()
            server.wait()


def _wait_for(port):
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            assert time.monotonic() < end, "waited in vain for the server"
            time.sleep(0.1)
        else:
            return


@pytest.fixture(params=["memory", "s3"])
def url(request):
    """An empty place in each."""
    if request.param == "memory":
        return f"memory://store-{uuid.uuid4().hex}"
    return f"{request.getfixturevalue('s3')}/{uuid.uuid4().hex}"


def test_what_is_put_is_found_again(url):
    """From another view of the same place, with and without arrays, and only under its key."""
    store = Store(url)
    store.put(KEY, ROWS, INFO)
    store.put(OTHER, Artefact({"n": 1}), {**INFO, "kind": "probe"})
    again = Store(store.location)
    assert again.get(KEY).arrays["rows"].tolist() == [[1.0, 0.0], [0.0, 1.0]]
    assert again.get(OTHER).values == {"n": 1}
    assert again.info(KEY) == INFO
    assert again.known() == {KEY, OTHER}
    found = [(entry.key, entry.kind, entry.label, entry.seconds) for entry in again.entries()]
    assert found == [(KEY, "attack", "an attack", 1.5), (OTHER, "probe", "an attack", 1.5)]
    assert all(abs(entry.created - time.time()) < 3600 and entry.bytes > 50 for entry in again.entries())
    assert not again.has("ee" * 32)
    with pytest.raises(MissingArtefactError):
        again.get("ee" * 32)


def test_what_is_replaced_and_removed_is_gone(url):
    """Also when the artefact now has arrays and did not before."""
    store = Store(url)
    store.put(KEY, Artefact({"n": 1}), INFO)
    store.put(KEY, ROWS, INFO)
    assert store.get(KEY).values == {"n": 2}
    assert len(list(store.entries())) == 1
    assert (store.delete(KEY), store.delete(KEY)) == (True, False)
    assert store.known() == frozenset()
    store.put(KEY, ROWS, INFO)
    store.put(OTHER, ROWS, {"kind": "probe"})
    assert [entry.key for entry in store.clear("probe")] == [OTHER]
    assert store.known() == {KEY}


def test_a_corrupt_object_counts_as_absent(url):
    """It is taken away, so that it is made again."""
    store = Store(url)
    store.put(KEY, Artefact({"n": 1}), INFO)
    files = ObjectFiles(url)
    content = files.read(f"ab/{KEY}.json")
    files.write(f"ab/{KEY}.json", content.replace(b'"n":1', b'"n":7'))
    with pytest.raises(MissingArtefactError):
        store.get(KEY)
    assert not store.has(KEY)
    assert store.known() == frozenset()


@pytest.mark.parametrize("artefact", [Artefact({"n": 1}), ROWS])
def test_what_another_run_replaces_while_it_is_read_is_neither_absent_nor_removed(url, artefact, monkeypatch, caplog):
    """Two runs that do the same task write it twice, of different lengths: whoever looks in between looks again."""
    store, other = Store(url), Store(url)
    store.put(KEY, artefact, INFO)
    opened, times = ObjectFiles.opened, []

    @contextlib.contextmanager
    def replaced(files, name):
        with opened(files, name) as found:
            if not times:
                times.append(1)
                other.put(KEY, artefact, {**INFO, "seconds": 1.123456789})
            yield found

    monkeypatch.setattr(ObjectFiles, "opened", replaced)
    assert store.has(KEY)
    assert times == [1]
    assert caplog.text == ""
    assert other.get(KEY).values == artefact.values


def test_an_object_that_cannot_be_read_is_not_taken_for_a_broken_one(monkeypatch):
    """It stays where it is, whatever the library raises; the error says why."""
    store = Store(f"memory://store-{uuid.uuid4().hex}")
    store.put(KEY, Artefact({"n": 1}), INFO)

    class Broken(io.BytesIO):
        def readline(self, *_):
            raise RuntimeError("connection lost")

    with monkeypatch.context() as patch:
        patch.setattr(store._files._fs, "open", lambda *_, **__: Broken(b"x"))
        with pytest.raises(ExecutionError, match="cannot be read: RuntimeError: connection lost"):
            store.has(KEY)
        assert [entry.kind for entry in store.entries()] == ["?"]
    assert store.has(KEY)


def test_a_run_goes_through_an_object_store(s3, tmp_path, monkeypatch):
    """With worker processes, it makes what it makes in a folder; a second run finds all of it."""
    monkeypatch.setenv("DIVULGE_SAMPLE_FOLDER", str(tmp_path))
    there, here = Store(f"{s3}/{uuid.uuid4().hex}"), Store(tmp_path / "store")
    assert len(run(sample_graph(), there, 1, EXECUTE).done) == 10
    run(sample_graph(), here, 0, EXECUTE)
    assert contents(there) == contents(here)
    again = run(sample_graph(), there, 1, EXECUTE)
    assert (again.done, len(again.cached)) == ((), 1)


def test_an_upload_that_fails_leaves_what_was_there(monkeypatch):
    """Readers see the old object; the error says where and why, whatever library raised it."""
    url = f"memory://store-{uuid.uuid4().hex}"
    store = Store(url)
    store.put(KEY, Artefact({"n": 1}), INFO)

    def refused(*_, **__):
        raise RuntimeError("no credentials\nand more")

    with monkeypatch.context() as patch:
        patch.setattr(store._files._fs, "pipe_file", refused)
        said = re.escape(f"the store {url} cannot be changed: RuntimeError: no credentials")
        with pytest.raises(ExecutionError, match=f"{said}$"):
            store.put(KEY, ROWS, INFO)
    assert store.get(KEY).values == {"n": 1}


def test_other_file_systems_get_a_draft_first(tmp_path, monkeypatch):
    """A file appears under its own name only when it is whole; drafts are not listed, and old ones swept."""
    files = ObjectFiles(f"local://{tmp_path}/store")
    moved = []
    move = files._fs.mv

    def watched(draft, path):
        moved.append((Path(draft).exists(), Path(path).exists()))
        move(draft, path)

    monkeypatch.setattr(files._fs, "mv", watched)
    files.write(f"ab/{KEY}.json", b"whole")
    assert moved == [(True, False)]
    assert files.read(f"ab/{KEY}.json") == b"whole"
    (tmp_path / "store" / PARTIAL / "draft").write_bytes(b"half")
    assert [one.name for one in files.listed()] == [f"ab/{KEY}.json"]
    files.sweep(0)
    assert list((tmp_path / "store" / PARTIAL).iterdir()) == []


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense://somewhere/else", "unknown protocol 'nonsense'. Use a folder, or s3://"),
        ("memory://", "names no bucket or folder"),
    ],
)
def test_a_place_that_cannot_be_is_wrong_input(url, words):
    """With what is allowed."""
    with pytest.raises(InputError, match=words):
        Store(url)


def test_a_bucket_that_is_not_there_is_wrong_input(s3):
    """It is not made: it would belong to nobody."""
    with pytest.raises(InputError, match="there is no bucket 'no-such-bucket'"):
        Store("s3://no-such-bucket/prefix")


def test_an_endpoint_that_does_not_answer_is_told_from_a_bucket_that_is_not_there():
    """Its library says no to both. In a process of its own: libraries keep endpoints."""
    pytest.importorskip("s3fs", reason='s3fs is not installed: pip install "divulge[s3]"')
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
    code = "import s3fs.core; s3fs.core.S3FileSystem.retries = 1; from divulge.store import Store; Store('s3://some/where')"
    keys = {"AWS_ACCESS_KEY_ID": "tests", "AWS_SECRET_ACCESS_KEY": "tests", "AWS_MAX_ATTEMPTS": "1"}
    environment = {**os.environ, **keys, "AWS_ENDPOINT_URL": f"http://127.0.0.1:{port}"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=False)
    said = done.stderr.splitlines()[-1]
    assert "the store s3://some/where cannot be used" in said
    assert "a bucket that answers" in said
    assert "there is no bucket" not in said


def test_a_protocol_needs_its_library(monkeypatch):
    """With what to install."""

    def absent(*_, **__):
        raise ImportError("Install s3fs to access S3")

    monkeypatch.setattr(fsspec.core, "url_to_fs", absent)
    with pytest.raises(InputError, match=r'pip install "divulge\[s3\]"'):
        Store("s3://bucket/prefix")


def test_a_store_in_memory_is_for_this_process_alone(tmp_path, monkeypatch):
    """Workers would each look into an empty one."""
    monkeypatch.setenv("DIVULGE_SAMPLE_FOLDER", str(tmp_path))
    store = Store(f"memory://store-{uuid.uuid4().hex}")
    with pytest.raises(InputError, match="is in this process alone: use --workers 0"):
        run(sample_graph(), store, 1, EXECUTE)
    assert len(run(sample_graph(), store, 0, EXECUTE).done) == 10


def test_answers_of_own_models_belong_to_the_store_of_the_environment(tmp_path, monkeypatch):
    """They lie in a folder of this machine; a store that is merely opened neither lists nor clears them."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    kept = tmp_path / "divulge" / "store" / "answers" / f"{KEY}.sqlite"
    kept.parent.mkdir(parents=True)
    kept.touch()
    mine, other = (f"memory://store-{uuid.uuid4().hex}" for _ in range(2))
    monkeypatch.setenv("DIVULGE_STORE", mine)
    assert Store(other).clear() == ()
    assert kept.exists()
    assert [entry.kind for entry in Store().clear()] == ["answers"]
    assert not kept.exists()


def test_urls_are_told_from_folders():
    """By what stands before the path."""
    assert is_url("s3://bucket/prefix")
    assert not is_url("/a/folder")
    assert not is_url("a:folder")
