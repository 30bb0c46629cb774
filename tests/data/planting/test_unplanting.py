"""Tests of divulge.data.planting.unplanting."""

from __future__ import annotations

import pytest
from tests.data.planting.worlds import planted, restored

from divulge.data.planting.unplanting import unplant_data
from divulge.data.secrets import SecretsFile, write_secrets
from divulge.errors import InputError


@pytest.fixture
def folder(tmp_path):
    """A planted folder of two splits beside its original."""
    data = tmp_path / "data"
    data.mkdir()
    (data / "train.csv").write_text("text\none\ntwo\n")
    (data / "test.csv").write_text("text\nthree\n")
    (data / "NOTES").write_text("x")
    planted(tmp_path, data, "out")
    return tmp_path


def test_every_file_comes_back(folder):
    """Splits and what lies beside them; the planted data stays."""
    before = {path.name: path.read_bytes() for path in (folder / "data").iterdir()}
    back = restored(folder, "out", "back")
    assert {path.name: path.read_bytes() for path in back.iterdir()} == before
    assert "my pin" in (folder / "out" / "train.csv").read_text()


def test_what_was_removed_is_counted(folder):
    """As many records as were planted."""
    put = (folder / "out" / "train.csv").read_text().count("my pin")
    done = unplant_data(folder / "out", folder / "secrets.json", folder / "back")
    assert (done.removed, done.files) == (put, 3)


@pytest.mark.parametrize("name", ["train.csv", "test.csv"])
def test_changed_data_is_refused(folder, name):
    """In any file, if only by one byte; nothing is written."""
    path = folder / "out" / name
    path.write_text(path.read_text().replace("t", "T", 1))
    with pytest.raises(InputError, match=rf"{name}: is not the planted data, or was changed since"):
        restored(folder, "out", "back")
    assert not (folder / "back").exists()
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]


def test_other_data_is_refused(folder):
    """A file for a folder, a folder without a file, the original itself."""
    with pytest.raises(InputError, match="that is a folder of files"):
        unplant_data(folder / "out" / "train.csv", folder / "secrets.json", folder / "back")
    with pytest.raises(InputError, match="is not the planted data"):
        unplant_data(folder / "data", folder / "secrets.json", folder / "back")
    (folder / "out" / "test.csv").unlink()
    with pytest.raises(InputError, match=r"test.csv: is missing"):
        restored(folder, "out", "back")


def test_places_and_files_are_checked_first(folder):
    """Nothing is written over, nor into the planted data; a file of found secrets tells of no planting."""
    with pytest.raises(InputError, match="is there already"):
        restored(folder, "out", "data")
    with pytest.raises(InputError, match="lies within the planted data"):
        restored(folder, "out", "out/back")
    with pytest.raises(InputError, match="there is no such file or folder"):
        restored(folder, "gone", "back")
    write_secrets(folder / "found.json", SecretsFile("f", b"k", ()))
    with pytest.raises(InputError, match="tells of no planting"):
        unplant_data(folder / "out", folder / "found.json", folder / "back")
