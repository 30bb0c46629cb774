"""A file of word vectors, whichever of the usual formats it has; read once per process."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import BinaryIO, cast

import numpy as np

from divulge.errors import InputError
from divulge.targets.vectors.base import VectorArray
from divulge.targets.vectors.binary_files import FASTTEXT_MARK, parse_binary, read_fasttext
from divulge.targets.vectors.subwords import Subwords
from divulge.targets.vectors.text_files import parse_text

__all__ = ["FORMATS", "VectorFile", "file_sha256", "read_vectors"]

FORMATS = (
    "word2vec or GloVe text (a word and its numbers a line, with or without a first line of counts; .vec, .txt, "
    "or .vec.gz, .txt.gz), word2vec binary (.bin, .bin.gz) and fastText (.bin)"
)
GZIP_MARK = b"\x1f\x8b"
FOREIGN = {
    b"PK\x03\x04": "a zip archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"BZh": "a bzip2 file",
    b"\xfd7zX": "an xz file",
}


@dataclass(frozen=True)
class VectorFile:
    """Its words, each with a row of the table, and n-gram vectors where the file has them."""

    rows: dict[str, int]
    table: VectorArray
    subwords: Subwords | None = None

    @property
    def width(self) -> int:
        """How many numbers a vector has."""
        return int(self.table.shape[1])

    @cached_property
    def spread(self) -> float:
        """The mean standard deviation of a dimension."""
        return float(self.table.std(axis=0, dtype=np.float64).mean())

    def of(self, word: str) -> VectorArray | None:
        """The word's vector, by its n-grams if need be; None if it has none."""
        row = self.rows.get(word)
        if row is not None:
            found: VectorArray = self.table[row]
            return found
        return None if self.subwords is None else self.subwords.of(word)


def read_vectors(path: Path) -> VectorFile:
    """Reads a file of vectors; of a word that occurs twice the first vector counts.

    Raises:
        InputError: The file is not there, or not one of `FORMATS`; says which lines are wrong and why.
    """
    return _read(*_state(path))


def file_sha256(path: Path) -> str:
    """The SHA-256 of the file as it is."""
    return _sha256(*_state(path))


def _state(path: Path) -> tuple[Path, int, int]:
    """What tells one content of a path from another without reading it."""
    place = path.expanduser().absolute()
    try:
        found = place.stat()
    except FileNotFoundError:
        raise InputError(f"{place}: there is no such file of word vectors. Readable are {FORMATS}") from None
    except OSError as error:
        raise InputError(f"{place}: cannot be read: {error.strerror}") from None
    if place.is_dir():
        raise InputError(f"{place}: is a folder, not a file of word vectors. Name the file in it: {FORMATS}")
    return place, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=2)
def _read(path: Path, _changed: int, _size: int) -> VectorFile:
    try:
        with path.open("rb") as raw:
            mark = raw.read(4)
            raw.seek(0)
            if mark == FASTTEXT_MARK:
                return VectorFile(*read_fasttext(path))
            if mark[:2] != GZIP_MARK:
                return _parsed(path, raw)
            with gzip.open(raw) as content:
                return _parsed(path, cast("BinaryIO", content))
    except (EOFError, zlib.error, gzip.BadGzipFile):
        raise InputError(f"{path}: is not a whole gzip file: get it again") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


def _parsed(path: Path, content: BinaryIO) -> VectorFile:
    start = content.read(64)
    content.seek(0)
    if not start:
        raise InputError(f"{path}: is empty. Readable are {FORMATS}")
    if start.startswith(FASTTEXT_MARK):
        raise InputError(f"{path}: is a fastText model inside a gzip file: unpack it first (gunzip)")
    for mark, name in FOREIGN.items():
        if start.startswith(mark):
            raise InputError(f"{path}: is {name}: unpack it and name the file inside. Readable are {FORMATS}")
    if path.with_name(path.name.removesuffix(".gz")).suffix == ".bin":
        return VectorFile(*parse_binary(path, content.read()))
    return VectorFile(*parse_text(path, content))


@lru_cache(maxsize=8)
def _sha256(path: Path, _changed: int, _size: int) -> str:
    try:
        with path.open("rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
