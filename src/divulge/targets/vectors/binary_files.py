"""Word vectors as bytes: word2vec's binary format, and models of fastText."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import numpy as np

from divulge.errors import InputError
from divulge.targets.vectors.base import VectorArray
from divulge.targets.vectors.subwords import Subwords
from divulge.targets.vectors.trained import fasttext_library

__all__ = ["FASTTEXT_MARK", "parse_binary", "read_fasttext"]

FASTTEXT_MARK = struct.pack("<i", 793712314)  # the first four bytes of a fastText model
HEADER = re.compile(rb"\s*([0-9]{1,18})[ \t]+([0-9]{1,9})[ \t]*\r?\n")
ADVICE = "It must be word2vec binary or a fastText model; text must be named .vec or .txt"
# What gensim raises at a model that is cut short, of another version, or none at all.
BROKEN = (
    AssertionError,
    EOFError,
    IndexError,
    KeyError,
    MemoryError,
    NotImplementedError,
    OverflowError,
    TypeError,
    UnicodeDecodeError,
    ValueError,
    struct.error,
)


def parse_binary(path: Path, content: bytes) -> tuple[dict[str, int], VectorArray]:
    """Reads word2vec binary: a line of counts, then each word, a space and its float32 numbers."""
    header = HEADER.match(content)
    if header is None:
        raise InputError(f"{path}: does not begin with a line of two counts, words and numbers a word. {ADVICE}")
    count, width = int(header[1]), int(header[2])
    if not count or not width:
        raise InputError(f"{path}: holds no vectors: its first line announces {count} words of {width} numbers")
    if count * (4 * width + 2) > len(content):
        raise InputError(
            f"{path}: has {len(content)} bytes, too few for the {count} words of {width} numbers that its first line "
            f"announces: the file is not whole. {ADVICE}"
        )
    rows: dict[str, int] = {}
    vectors: list[VectorArray] = []
    place = header.end()
    for number in range(1, count + 1):
        gap = content.find(b" ", place)
        after = gap + 1 + 4 * width
        if gap < 0 or after > len(content):
            raise InputError(f"{path}: ends within word {number} of {count}: the file is not whole. {ADVICE}")
        word = _word(path, number, content[place:gap].lstrip(b"\r\n"))
        vector = np.frombuffer(content, dtype="<f4", count=width, offset=gap + 1)
        _must_be_finite(path, vector, f"word {number}: ")
        if word not in rows:
            rows[word] = len(vectors)
            vectors.append(vector)
        place = after
    if content[place:].strip():
        raise InputError(f"{path}: goes on after the {count} words that its first line announces. {ADVICE}")
    return rows, np.stack(vectors).astype(np.float32)


def read_fasttext(path: Path) -> tuple[dict[str, int], VectorArray, Subwords | None]:
    """Reads a model of fastText with gensim: words, their vectors and those of n-grams."""
    library = fasttext_library(f"{path}: a fastText model")
    try:
        found = library.load_facebook_vectors(str(path))
    except BROKEN as error:
        raise InputError(
            f"{path}: begins like a fastText model, but gensim cannot read it ({type(error).__name__}): it is not "
            "whole, or it is compressed (.ftz) or a classifier. Get it again, or use the .vec file"
        ) from None
    table = np.asarray(found.vectors, dtype=np.float32)
    _must_be_finite(path, table, "")
    if not len(table):
        raise InputError(f"{path}: holds no vectors")
    rows = {str(word): int(row) for word, row in found.key_to_index.items()}
    if not found.bucket:
        return rows, table, None
    ngrams = np.asarray(found.vectors_ngrams, dtype=np.float32)
    _must_be_finite(path, ngrams, "n-grams: ")
    return rows, table, Subwords(ngrams, int(found.min_n), int(found.max_n))


def _word(path: Path, number: int, raw: bytes) -> str:
    try:
        word = raw.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(f"{path}: word {number} is not UTF-8 text. {ADVICE}") from None
    if not word:
        raise InputError(f"{path}: word {number} is empty. {ADVICE}")
    return word


def _must_be_finite(path: Path, numbers: VectorArray, where: str) -> None:
    if not np.isfinite(numbers).all():
        raise InputError(f"{path}: {where}holds a NaN or infinite value. Vectors must be finite. {ADVICE}")
