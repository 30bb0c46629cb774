"""Vectors by the name of their source."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from divulge.errors import InputError
from divulge.targets.vectors import files_of, make_vectors, reopened
from divulge.targets.vectors.drawn import DrawnVectors, random_vectors
from divulge.targets.vectors.from_file import GLOVE_PLACE, FileVectors


def test_random_is_drawn() -> None:
    """The texts have no part in it."""
    vectors = make_vectors("random", [["go"]], 4, 9)
    assert isinstance(vectors, DrawnVectors)
    assert np.array_equal(vectors.of(["go"]), random_vectors(["go"], 4, 9))


def test_fasttext_is_trained_on_the_texts() -> None:
    """Words of the texts, of the width asked for, are its vocabulary."""
    pytest.importorskip("gensim")
    values, arrays = make_vectors("fasttext", [["go", "on"], ("on",)], 4, 9).kept()
    assert sorted(values["words"]) == ["go", "on"]
    assert arrays["vectors.words"].shape == (2, 4)


def test_glove_and_paths_are_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is the one file that decides; drawn and trained vectors have none."""
    monkeypatch.setenv("DIVULGE_DATA", str(tmp_path))
    glove = tmp_path.joinpath(*GLOVE_PLACE)
    own = tmp_path / "own.txt"
    glove.parent.mkdir()
    glove.write_text("go 1 2\n")
    own.write_text("go 3 4\n")
    assert make_vectors("glove", [], 2, 0).of(["go"]).tolist() == [[1, 2]]
    assert isinstance(make_vectors(str(own), [], 2, 0), FileVectors)
    assert files_of("glove") == (glove,)
    assert files_of(str(own)) == (own,)
    assert (files_of("random"), files_of("fasttext")) == ((), ())
    own.unlink()
    with pytest.raises(InputError, match="there is no file"):
        files_of(str(own))
    with pytest.raises(InputError, match="there is no file"):
        make_vectors(str(own), [], 2, 0)


def test_unknown_kinds_are_refused() -> None:
    """What a later version kept cannot be opened."""
    with pytest.raises(InputError, match="unknown kind 'elmo'"):
        reopened({"kind": "elmo"}, {})
