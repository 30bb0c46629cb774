"""A file of vectors, found by its content, read once."""

from __future__ import annotations

import gzip
import hashlib
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest

from divulge.errors import InputError
from divulge.targets.vectors import files
from divulge.targets.vectors.binary_files import FASTTEXT_MARK
from divulge.targets.vectors.files import VectorFile, file_sha256, read_vectors
from divulge.targets.vectors.subwords import Subwords

TEXT = b"2 2\ngo 1 2\non 3 5\n"
BINARY = b"2 2\n" + b"".join(
    word + b" " + np.array(row, dtype="<f4").tobytes() for word, row in ((b"go", [1, 2]), (b"on", [3, 5]))
)


@pytest.mark.parametrize("name", ["a.vec", "a.txt", "a.vec.gz", "a.txt.gz", "a", "a.bin", "a.bin.gz"])
def test_formats_are_told_apart(name: str, tmp_path: Path) -> None:
    """By .bin and by the marks of gzip."""
    path = tmp_path / name
    content = BINARY if ".bin" in name else TEXT
    path.write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    found = read_vectors(path)
    assert found.rows == {"go": 0, "on": 1}
    assert found.table.tolist() == [[1, 2], [3, 5]]
    assert found.width == 2
    assert found.spread == pytest.approx(1.25)  # deviations (3 - 1) / 2 = 1 and (5 - 2) / 2 = 1.5


def test_a_fasttext_model_gives_any_word_a_vector(tmp_path: Path) -> None:
    """It is told by its first bytes, whatever its name."""
    library = pytest.importorskip("gensim.models.fasttext")
    model = library.FastText(sentences=[["wake", "me"]] * 3, vector_size=4, min_count=1, bucket=20, epochs=1, workers=1)
    library.save_facebook_model(model, str(tmp_path / "model.bin"))
    (tmp_path / "model.bin").rename(tmp_path / "model.any")
    found = read_vectors(tmp_path / "model.any")
    for word in ("wake", "awake"):
        assert np.allclose(found.of(word), model.wv.get_vector(word), rtol=1e-5, atol=1e-8)


def test_words_are_looked_up_before_ngrams() -> None:
    """A word without either has no vector."""
    table = np.array([[1, 2]], dtype=np.float32)
    assert VectorFile({"go": 0}, table).of("on") is None
    found = VectorFile({"go": 0}, table, Subwords(np.array([[7, 7]], dtype=np.float32), 3, 6))
    assert [None if found.of(word) is None else found.of(word).tolist() for word in ("go", "on", "")] == [
        [1, 2],
        [7, 7],
        None,
    ]


def test_a_file_is_read_once_while_it_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another content, told by size or time, is read anew."""
    path = tmp_path / "a.vec"
    path.write_bytes(TEXT)
    first = read_vectors(path)
    monkeypatch.chdir(tmp_path)
    assert read_vectors(Path("a.vec")) is first
    path.write_bytes(TEXT.replace(b"5", b"50"))
    assert read_vectors(path).table[1, 1] == 50
    path.write_bytes(TEXT.replace(b"5", b"60"))
    os.utime(path, (1, 1))
    assert read_vectors(path).table[1, 1] == 60


def test_sums_are_of_the_file_as_it_is(tmp_path: Path) -> None:
    """SHA-256 of its bytes, also after a change."""
    path = tmp_path / "a.vec"
    for content in (b"first", b"second"):
        path.write_bytes(content)
        assert file_sha256(path) == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.vec", b"", "is empty"),
        ("a.vec", b" \n\n", "holds no vectors"),
        ("a.bin", b"", "is empty"),
        ("a.vec.gz", gzip.compress(b"", mtime=0), "is empty"),
        ("a.vec.gz", gzip.compress(TEXT, mtime=0)[:-9], "is not a whole gzip file"),
        ("a.vec.gz", b"\x1f\x8b junk", "is not a whole gzip file"),
        ("a.bin.gz", gzip.compress(FASTTEXT_MARK + b"x", mtime=0), "unpack it first"),
        ("a.vec", b"BZh91AY", "is a bzip2 file: unpack it"),
        ("a.vec", b"\x80\x04\x95\0pickle", "line 1 is not text: a word2vec or fastText binary must be named .bin"),
        ("a.bin", b"\x80\x04\x95\0pickle", "does not begin with a line of two counts"),
    ],
)
def test_other_files_are_refused(name: str, content: bytes, reason: str, tmp_path: Path) -> None:
    """Each with the file's name and what it is."""
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=reason) as caught:
        read_vectors(path)
    assert str(path) in str(caught.value)


def test_archives_are_to_be_unpacked(tmp_path: Path) -> None:
    """GloVe is published as a zip."""
    with zipfile.ZipFile(tmp_path / "glove.zip", "w") as archive:
        archive.writestr("a.txt", TEXT)
    with pytest.raises(InputError, match="is a zip archive: unpack it and name the file inside"):
        read_vectors(tmp_path / "glove.zip")


def test_what_is_no_file_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing there, a folder, a file that may not be read."""
    (tmp_path / "file").write_bytes(TEXT)
    for reader in (read_vectors, file_sha256):
        with pytest.raises(InputError, match="no such file of word vectors. Readable are word2vec or GloVe text"):
            reader(tmp_path / "none.vec")
        with pytest.raises(InputError, match="is a folder"):
            reader(tmp_path)
        with pytest.raises(InputError, match="cannot be read: Not a directory"):
            reader(tmp_path / "file" / "a.vec")

    def refuse(*_: object) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(files.Path, "open", refuse)
    for reader in (read_vectors, file_sha256):
        with pytest.raises(InputError, match="cannot be read: Permission denied"):
            reader(tmp_path / "file")
