"""Tests of the store's files in a folder."""

from __future__ import annotations

import os
import time

import pytest

from divulge.store_files import PARTIAL, FolderFiles, Listed

NAME = f"ab/{'ab' * 32}.json"
OTHER = f"cd/{'cd' * 32}.json"


@pytest.fixture
def files(tmp_path):
    """An empty folder."""
    return FolderFiles(tmp_path / "store")


def test_a_file_is_there_whole_or_not_at_all(files):
    """It is written under another name, of which nothing stays behind."""
    files.write(NAME, b"one")
    files.write(NAME, b"two")
    assert files.read(NAME) == b"two"
    with files.opened(NAME) as (file, size):
        assert (file.read(1), size) == (b"t", 3)
    assert list((files.root / PARTIAL).iterdir()) == []
    assert files.names() is None
    assert (files.shared, files.location) == (True, str(files.root))


def test_what_is_absent_is_an_error_of_its_own(files):
    """To read it, to open it, to take it away; to remove it is none."""
    for call in (files.read, files.set_aside):
        with pytest.raises(FileNotFoundError):
            call(NAME)
    with pytest.raises(FileNotFoundError), files.opened(NAME):
        pass
    assert files.remove(NAME) is False
    files.write(NAME, b"")
    assert files.remove(NAME) is True


def test_a_failed_write_leaves_nothing(files, monkeypatch):
    """Neither the file nor its draft."""

    def full(self, target):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("pathlib.Path.replace", full)
    with pytest.raises(OSError, match="No space"):
        files.write(NAME, b"one")
    assert list((files.root / PARTIAL).iterdir()) == []


def test_files_are_listed_by_name(files):
    """With size and time; drafts and corrupt files are no part of it."""
    files.write(OTHER, b"12")
    files.write(NAME, b"1")
    files.write(f"ee/{'ee' * 32}.json", b"broken")
    files.set_aside(f"ee/{'ee' * 32}.json")
    found = list(files.listed())
    assert [one[:2] for one in found] == [(NAME, 1), (OTHER, 2)]
    assert all(isinstance(one, Listed) and abs(one.created - time.time()) < 60 for one in found)


def test_only_old_drafts_are_swept(files):
    """A young one may belong to a writer on another host."""
    young, old = files.root / PARTIAL / "young", files.root / PARTIAL / "old"
    for draft in (young, old):
        draft.touch()
    os.utime(old, (time.time() - 100, time.time() - 100))
    files.sweep(50)
    assert (young.exists(), old.exists()) == (True, False)
