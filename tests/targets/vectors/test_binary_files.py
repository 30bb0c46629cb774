"""Vectors as bytes: gensim is the oracle, and damage is found."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from divulge.errors import InputError
from divulge.targets.vectors.binary_files import FASTTEXT_MARK, parse_binary, read_fasttext

PATH = Path("a.bin")
GO, ON = np.array([1, 2], dtype="<f4").tobytes(), np.array([3, 4], dtype="<f4").tobytes()
TEXTS = [["wake", "me", "at", "seven"], ["play", "naïve", "jazz"]] * 5


def problem(content: bytes) -> str:
    """What is said of this content."""
    with pytest.raises(InputError) as caught:
        parse_binary(PATH, content)
    return str(caught.value)


def fasttext_model(path: Path, **settings: Any) -> Any:
    """A model saved by gensim as fastText's own program saves it."""
    library = pytest.importorskip("gensim.models.fasttext")
    chosen = {"vector_size": 6, "min_count": 1, "bucket": 50, "epochs": 1, "workers": 1, "seed": 1, **settings}
    model = library.FastText(sentences=TEXTS, **chosen)
    library.save_facebook_model(model, str(path))
    return model.wv


def test_gensim_writes_what_is_read(tmp_path: Path) -> None:
    """Words in any alphabet; numbers bit by bit."""
    oracle = pytest.importorskip("gensim.models").KeyedVectors(7)
    words = ["the", "naïve", "東京", "5"]
    oracle.add_vectors(words, np.random.default_rng(0).normal(size=(4, 7)).astype(np.float32))
    oracle.save_word2vec_format(str(tmp_path / "a.bin"), binary=True)
    rows, table = parse_binary(PATH, (tmp_path / "a.bin").read_bytes())
    assert list(rows) == words
    assert table.dtype == np.float32
    assert np.array_equal(table, oracle.vectors)


@pytest.mark.parametrize("end", [b"", b"\n"])
def test_words_may_end_with_a_line(end: bytes) -> None:
    """The first word2vec wrote a line end after each word, others do not; the first of two counts."""
    rows, table = parse_binary(PATH, b"3 2\ngo " + GO + end + b"on " + ON + end + b"go " + ON + end)
    assert rows == {"go": 0, "on": 1}
    assert table.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"go 1 2\non 3 4\n", "does not begin with a line of two counts"),
        (b"2 2\ngo 1 2\non 3 4\n", "too few for the 2 words of 2 numbers"),
        (b"0 2\n", "holds no vectors: its first line announces 0 words"),
        (b"2 0\n", "holds no vectors"),
        (b"999999999999 300\ngo " + GO, "too few for the 999999999999 words"),
        (b"2 2\nlonger " + GO + b"on " + ON[:-1], "ends within word 2 of 2"),
        (b"1 2\ngo " + GO + b"on " + ON, "goes on after the 1 words"),
        (b"1 2\n\xff " + GO, "word 1 is not UTF-8 text"),
        (b"1 2\n  " + GO, "word 1 is empty"),
        (b"1 2\ngo " + np.array([1, np.nan], dtype="<f4").tobytes(), "word 1: holds a NaN or infinite value"),
        (b"2 2\ngo " + GO + b"on " + np.array([np.inf, 1], dtype="<f4").tobytes(), "word 2: holds a NaN or infinite"),
    ],
)
def test_damage_is_found(content: bytes, reason: str) -> None:
    """Cut short, too long, of another kind: each is said, with what to do."""
    found = problem(content)
    assert found.startswith("a.bin: ")
    assert reason in found


def test_a_fasttext_model_is_read_as_gensim_has_it(tmp_path: Path) -> None:
    """Words of the vocabulary and, by their n-grams, any others."""
    path = tmp_path / "model.bin"
    oracle = fasttext_model(path)
    rows, table, subwords = read_fasttext(path)
    assert set(rows) == set(oracle.index_to_key)
    assert np.allclose([table[rows[word]] for word in oracle.index_to_key], oracle.vectors, rtol=1e-5, atol=1e-8)
    assert subwords is not None
    for word in ("awakened", "çà", "x"):
        assert np.allclose(subwords.of(word), oracle.get_vector(word), rtol=1e-5, atol=1e-8)


def test_a_damaged_fasttext_model_is_refused(tmp_path: Path) -> None:
    """Cut anywhere, or nothing but the first bytes: an error in words, never a trace."""
    path = tmp_path / "model.bin"
    fasttext_model(path)
    whole = path.read_bytes()
    for kept in (4, 30, 100, 200, len(whole) // 2):
        path.write_bytes(whole[:kept])
        with pytest.raises(InputError, match="begins like a fastText model, but gensim cannot read it"):
            read_fasttext(path)
    path.write_bytes(FASTTEXT_MARK + bytes(range(256)) * 4)
    with pytest.raises(InputError, match="begins like a fastText model"):
        read_fasttext(path)


def test_without_gensim_one_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The extra is named; word2vec binary needs no library."""
    monkeypatch.setitem(sys.modules, "gensim.models.fasttext", None)
    with pytest.raises(InputError, match=r"model.bin: a fastText model needs the library gensim.*divulge\[vectors\]"):
        read_fasttext(tmp_path / "model.bin")
    assert parse_binary(PATH, b"1 2\ngo " + GO)[0] == {"go": 0}
