"""Vectors of a file, drawn ones beside them, and the file found again."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pytest

from divulge.data.places import data_root
from divulge.errors import InputError
from divulge.targets.vectors.drawn import random_vectors
from divulge.targets.vectors.from_file import GLOVE_PLACE, FileVectors, place_of

TEXT = b"go 1 2\non 3 5\n"  # spread: (1 + 1.5) / 2 = 1.25
needs_glove = pytest.mark.skipif(
    not data_root().joinpath(*GLOVE_PLACE).is_file(), reason="the GloVe subset is not in the data folder"
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A small file of vectors."""
    place = tmp_path / "a.vec"
    place.write_bytes(TEXT)
    return place


def test_what_the_file_lacks_is_drawn(path: Path) -> None:
    """By name and seed, as spread as the file's; spelling is exact."""
    vectors = FileVectors.chosen(str(path), 2, 7)
    assert vectors.lacking(["go", "Go", "on", "up"]) == ["Go", "up"]
    found = vectors.of(["up", "on"])
    assert np.allclose(found[0], random_vectors(["up"], 2, 7)[0] * 1.25)
    assert found[1].tolist() == [3, 5]
    assert not np.array_equal(FileVectors.chosen(str(path), 2, 8).of(["up"])[0], found[0])


def test_it_keeps_which_file_it_was(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An absolute path, size and sum, no content."""
    monkeypatch.chdir(path.parent)
    values, arrays = FileVectors.chosen("a.vec", 2, 7).kept()
    sha256 = hashlib.sha256(TEXT).hexdigest()
    assert values == {"kind": "file", "width": 2, "seed": 7, "file": str(path), "size": len(TEXT), "sha256": sha256}
    assert arrays == {}


def test_another_width_is_refused(path: Path) -> None:
    """Both are named, and what to set."""
    with pytest.raises(InputError, match="have 2 numbers, but width is 100. Set target.recipe.width = 2"):
        FileVectors.chosen(str(path), 100, 0)


@pytest.mark.parametrize("content", [TEXT.replace(b"5", b"6"), TEXT + b"up 1 1\n"])
def test_a_changed_file_is_refused(content: bytes, path: Path) -> None:
    """Of the same size or of another; not before a word is asked for."""
    values, _ = FileVectors.chosen(str(path), 2, 7).kept()
    path.write_bytes(content)
    again = FileVectors.reopened(values)
    assert again.width == 2
    for asked in (again.of, again.lacking):
        with pytest.raises(InputError, match="another file than the one whose vectors the model was trained with"):
            asked(["go"])
    path.write_bytes(TEXT)
    assert again.of(["go"]).tolist() == [[1, 2]]


def test_a_file_that_is_gone_is_missed(path: Path) -> None:
    """Not before a word is asked for."""
    values, _ = FileVectors.chosen(str(path), 2, 7).kept()
    path.unlink()
    again = FileVectors.reopened(values)
    with pytest.raises(InputError, match="there is no file"):
        again.of(["go"])


def test_glove_is_found_wherever_the_data_lies(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its place is asked for anew, so the data folder may move."""
    for name in ("old", "new"):
        place = tmp_path.joinpath(name, *GLOVE_PLACE)
        place.parent.mkdir(parents=True)
        place.write_bytes(TEXT)
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path / "old"))
    values, _ = FileVectors.chosen("glove", 2, 7).kept()
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path / "new"))
    tmp_path.joinpath("old", *GLOVE_PLACE).unlink()
    assert FileVectors.reopened(values).of(["go"]).tolist() == [[1, 2]]
    assert place_of("glove") == tmp_path.joinpath("new", *GLOVE_PLACE)


def test_absent_files_are_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where GloVe belongs; for a path that is none, what else may be chosen."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path))
    with pytest.raises(InputError, match=r"glove.6B.100d.subset.vec.gz is not there.*DIVULGE_DATA"):
        place_of("glove")
    with pytest.raises(InputError, match="'glov' is not one of random, fasttext, glove, and there is no file"):
        place_of("glov")


@needs_glove
def test_the_real_glove_has_the_described_words() -> None:
    """28,061 words of 100 numbers; the digits lie close together, cosine of 7 and 8: 0.99."""
    vectors = FileVectors.chosen("glove", 100, 0)
    found = vectors.of(["7", "8", "jazz", "the"])
    lengths = np.linalg.norm(found, axis=1)
    assert found[0] @ found[1] / (lengths[0] * lengths[1]) == pytest.approx(0.99, abs=0.005)
    assert found[0] @ found[2] / (lengths[0] * lengths[2]) < 0.5
    assert found[3, :3].tolist() == pytest.approx([-0.038194, -0.24487, 0.72812], rel=1e-6)
    assert vectors.lacking(["the", "lilac", "o'clock", "wemo"]) == ["o'clock", "wemo"]
    assert len(vectors._file.rows) == 28061
