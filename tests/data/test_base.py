"""Data sets: folders and missing files."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.places import DataFile
from divulge.errors import InputError


class Two(DataSet):
    """A data set of two files."""

    name = "two"
    summary = "two files"
    fields = ()
    splits = ("train",)
    source = "The attic."
    licence = "none"
    files = (DataFile(path="a"), DataFile(path="deep/b"))

    def load(self, root: Path | None = None) -> Corpus:
        self.require_files(root)
        return Corpus((), self.name)


def test_the_folder_is_named_like_the_set(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A set lies in a folder of its name, under the root that is given or set."""
    assert Two.folder(tmp_path) == tmp_path / "two"
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path / "set"))
    assert Two.folder() == tmp_path / "set" / "two"


def test_missing_files_are_all_named(tmp_path: Path) -> None:
    """The error names each missing file, the folder, the source and the setting."""
    with pytest.raises(InputError) as caught:
        Two().load(tmp_path)
    said = str(caught.value)
    for part in ("2 of 2 files", "a, deep/b", str(tmp_path / "two"), "The attic.", "DIVULGE_DATA"):
        assert part in said


def test_only_absent_files_are_missing(tmp_path: Path) -> None:
    """A file that is there is not named, and once all are there the set loads."""
    (tmp_path / "two" / "deep").mkdir(parents=True)
    (tmp_path / "two" / "a").touch()
    assert Two.missing(tmp_path) == ["deep/b"]
    (tmp_path / "two" / "deep" / "b").touch()
    assert Two().load(tmp_path).name == "two"


def test_a_set_with_files_needs_a_download() -> None:
    """Only a set without files is made."""
    assert Two.needs_download()
    assert not DataSet.needs_download()


class Borrowing(Two):
    """A data set that also needs a file of the set two."""

    name = "borrowing"
    files = (DataFile(path="c"), DataFile(path="../two/a"))


def test_a_file_of_another_set_is_looked_for_there(tmp_path: Path) -> None:
    """Even where the set's own folder is not there; what is missing is named from that folder."""
    assert Borrowing.missing(tmp_path) == ["c", "../two/a"]
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "a").touch()
    assert Borrowing.missing(tmp_path) == ["c"]


def test_a_set_has_no_objections_of_its_own(tmp_path: Path) -> None:
    """Unless it says so."""
    assert Two().request_problems(tmp_path) == []
