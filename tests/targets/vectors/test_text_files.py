"""Vectors as text: gensim reads the same, and every faulty line is named."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import InputError
from divulge.targets.vectors.base import VectorArray
from divulge.targets.vectors.text_files import parse_text

PATH = Path("a.vec")


def parse(content: bytes) -> tuple[dict[str, int], VectorArray]:
    """Reads this content as a file."""
    return parse_text(PATH, BytesIO(content))


def problems(content: bytes) -> tuple[str, ...]:
    """What is said of this content."""
    with pytest.raises(InputError) as caught:
        parse(content)
    return caught.value.problems


@pytest.mark.parametrize("header", [True, False])
def test_gensim_reads_the_same(header: bool, tmp_path: Path) -> None:
    """Words in any alphabet, with exponents and signs, with and without the first line."""
    oracle = pytest.importorskip("gensim.models").KeyedVectors
    numbers = np.random.default_rng(0).normal(size=(4, 5)) * 10.0 ** np.arange(-3, 2)
    lines = [
        f"{word} {' '.join(map(repr, row))}"
        for word, row in zip(["the", "naïve", "東京", "5"], numbers.tolist(), strict=True)
    ]
    path = tmp_path / "a.txt"
    path.write_text("\n".join(["4 5", *lines, ""]), encoding="utf-8")
    content = path.read_bytes()
    rows, table = parse(content if header else content.removeprefix(b"4 5\n"))
    expected = oracle.load_word2vec_format(str(path))
    assert list(rows) == expected.index_to_key
    assert (table.dtype, table.shape) == (np.float32, (4, 5))
    assert np.array_equal(table[[rows[word] for word in expected.index_to_key]], expected.vectors)


@pytest.mark.parametrize(
    "content",
    [
        b"go 1 2\non 3 4\n",
        b"2 2\ngo 1 2\non 3 4",
        b"2 2 \r\ngo 1 2 \r\non 3 4 \r\n",  # fastText leaves a space at each end
        b"go\t1\t2\non  3   4\n\n",
        b"\xef\xbb\xbfgo 1 2\n\non 3e0 +4.\n",
    ],
)
def test_spaces_and_line_ends_do_not_matter(content: bytes) -> None:
    """Tabs, runs of spaces, trailing ones, blank lines, a byte order mark, Windows line ends."""
    rows, table = parse(content)
    assert rows == {"go": 0, "on": 1}
    assert table.tolist() == [[1, 2], [3, 4]]


def test_the_first_of_two_counts() -> None:
    """A word that occurs twice keeps its first vector; the first line counts lines."""
    rows, table = parse(b"3 1\ngo 1\ngo 2\non 3\n")
    assert rows == {"go": 0, "on": 1}
    assert table.tolist() == [[1], [3]]


def test_words_with_spaces_are_words() -> None:
    """As in large GloVe files; no-break spaces never separate."""
    rows, table = parse("a 1 2\n. . . 3 4\nx\u00a0y 5 6\n".encode())
    assert rows == {"a": 0, ". . .": 1, "x\u00a0y": 2}
    assert table.tolist() == [[1, 2], [3, 4], [5, 6]]


def test_every_faulty_line_is_named() -> None:
    """With its number and the reason, without its words or values."""
    content = b"secret 1 2\nb 1\nc 1 2 3\nd 1 secret\ne nan 1\nf 1 -inf\ng 1e39 1\n 1 2\n\xff 1 2\nh 1 2\ni\n"
    mend = "Every line must hold a word and 2 numbers: mend or remove it"
    endless = "is NaN, infinite or too large; vectors must be finite: mend or remove the line"
    assert problems(content) == (
        f"a.vec: line 2: holds 1 values, but by line 1 it must be 2. {mend}",
        f"a.vec: line 3: holds 3 values, but by line 1 it must be 2. {mend}",
        "a.vec: line 4: value 2 is not a number",
        f"a.vec: line 5: value 1 {endless}",
        f"a.vec: line 6: value 2 {endless}",
        f"a.vec: line 7: value 1 {endless}",
        "a.vec: line 8: begins with a space or tab where a word must stand",
        "a.vec: line 9: is not UTF-8 text (byte 1 of the line): save it as UTF-8",
        f"a.vec: line 11: holds 0 values, but by line 1 it must be 2. {mend}",
    )


def test_a_wholly_wrong_file_is_not_read_to_its_end() -> None:
    """After twenty problems it is enough."""
    found = problems(b"2000 3\n" + b"a 1 2\n" * 2000)
    assert len(found) == 21
    assert "line 2: holds 2 values, but by line 1 it must be 3" in found[0]
    assert "stopped reading after 20 problems" in found[-1]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"3 2\ngo 1 2\non 3 4\n", "line 1 announces 3 words, but 2 follow: the file is not whole"),
        (b"1 2\ngo 1 2\non 3 4\n", "line 1 announces 1 words, but 2 follow"),
        (b"0 2\n", "holds no vectors"),
        (b"1 0\ngo\n", "holds no vectors: line 1 announces words of 0 numbers"),
        (b"", "holds no vectors"),
        (b"Dear reader,\nthis is a letter\n", "line 1: value 1 is not a number"),
        (b"word\nother\n", "line 1: holds no numbers"),
        (b"\xff\xfea\0 \x001\0", "is UTF-16 text: save it as UTF-8"),
        (b"2 2\ngo \0\0\0\0", "line 2 is not text: a word2vec or fastText binary must be named .bin"),
    ],
)
def test_other_files_are_refused(content: bytes, reason: str) -> None:
    """Wrong counts, prose, other encodings, bytes."""
    assert reason in problems(content)[0]
