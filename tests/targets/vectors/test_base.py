"""What word vectors promise, whatever their source."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from divulge.artefacts import decode, encode
from divulge.records import Artefact
from divulge.targets.vectors import WordVectors, make_vectors, reopened

TEXTS = [["play", "some", "jazz"], ["play", "rock", "now"], ["stop", "the", "music"]] * 4
WORDS = ["play", "unheard", "naïve", "7", "play"]


@pytest.fixture(params=["random", "fasttext", "file"])
def vectors(request: pytest.FixtureRequest, tmp_path: Path) -> WordVectors:
    """Vectors of each kind, of width 6."""
    choice = str(request.param)
    if choice == "file":
        choice = str(tmp_path / "a.vec")
        Path(choice).write_text("play 1 2 3 4 5 6\nstop 6 5 4 3 2 2\n")
    return make_vectors(choice, TEXTS, 6, 11)


def test_any_word_has_one_vector(vectors: WordVectors) -> None:
    """It does not hang on the words beside it; different words have different vectors."""
    found = vectors.of(WORDS)
    assert (found.shape, found.dtype) == ((5, 6), np.float32)
    assert np.isfinite(found).all()
    assert np.array_equal(found[0], found[4])
    assert len(np.unique(found, axis=0)) == 4
    for word, vector in zip(WORDS, found, strict=True):
        assert np.array_equal(vectors.of([word])[0], vector)


def test_no_words_are_no_rows(vectors: WordVectors) -> None:
    """The width stays."""
    assert vectors.of([]).shape == (0, 6)
    assert vectors.lacking([]) == []
    assert vectors.width == 6


def test_an_answer_may_be_written_over(vectors: WordVectors) -> None:
    """What a caller does to its rows is not seen by the next one."""
    before = vectors.of(WORDS).copy()
    vectors.of(WORDS)[:] = 0
    assert np.array_equal(vectors.of(WORDS), before)


def test_they_come_back_from_an_artefact(vectors: WordVectors) -> None:
    """Through the store's own spelling, beside other arrays; what is kept is plain."""
    values, arrays = vectors.kept()
    assert json.loads(json.dumps(values)) == values
    artefact = Artefact(values={"vectors": values}, arrays={**arrays, "lstm.weight": np.ones(2)})
    content, _ = decode(*encode(artefact, {}))
    again = reopened(content.values["vectors"], content.arrays)
    assert (type(again), again.width) == (type(vectors), 6)
    assert np.array_equal(again.of(WORDS), vectors.of(WORDS))
    assert again.lacking(WORDS) == vectors.lacking(WORDS)
    assert again.kept()[0] == values
