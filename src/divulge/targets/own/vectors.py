"""A file of vectors, without the encoder: rows as they lie in a leaked vector store, one for each training text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import EmbeddedRowsAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.handshake import OwnerSample, checked
from divulge.records import Artefact, Check, LeakedRow, Record
from divulge.targets.base import Target
from divulge.targets.own.arrays import ARRAYS, read_array, read_arrays, read_table
from divulge.targets.own.rows import KeptRows, stacked

__all__ = ["FileVectors"]

LENGTHS = "lengths"
SUFFIXES = (*ARRAYS, ".parquet")


class FileVectors(Target):
    """Reads row i as the vector of training text i of the data, in the order of the data.

    Pooled rows are an array (texts, d). Unpooled ones are (texts, most words, d) with an array `lengths` in the same
    .npz or .safetensors file; each row must have one vector for each of the first `tokens` words of its text. A
    .parquet file has a column of lists (recipe.array).
    """

    name = "vectors"
    summary = "a file of vectors and no encoder: target.path to .npy, .npz, .safetensors or .parquet"
    grants = (EmbeddedRowsAccess,)
    hints = (LeakedRow,)
    labels_texts = False
    learns = False

    class Options(Record):
        """The file, which array or column of several, and how many words of a text the encoder read."""

        path: str
        array: str | None = None
        tokens: Annotated[int, Field(ge=1)] | None = None

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        _read(self.options)  # what is wrong with the file is told before anything runs

    @property
    def reads(self) -> int | None:
        """The first words of a text."""
        return None if self.options.tokens is None else int(self.options.tokens)

    @property
    def width(self) -> int | None:
        """How many numbers a vector has."""
        return int(_read(self.options)[0].shape[-1])

    def misfits(self, corpus: Corpus) -> list[str]:
        """Another number of rows than of training texts, or of vectors than of words."""
        rows = _read(self.options)
        texts = corpus.leaked.texts
        if len(rows) != len(texts):
            said = f"{self.options.path}: holds {len(rows)} rows, and the data {len(texts)} training texts"
            return [f"{said}. One row is needed for each training text, in the order of the data"]
        words = [len(text.tokens[: self.options.tokens]) for text in texts]
        wrong = [place for place, row in enumerate(rows) if row.ndim == 2 and len(row) != words[place]]
        if wrong:
            first = wrong[0]
            said = (
                f"{self.options.path}: {len(wrong)} of {len(rows)} rows have another number of vectors than their text"
            )
            which = f"has words (row {first}: {len(rows[first])} and {words[first]})"
            return [f"{said} {which}. Unpooled rows need one vector a word; recipe.tokens tells how many were read"]
        return []

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Takes over the rows; nothing is learnt."""
        del rng
        problems = self.misfits(corpus)
        if problems:
            raise InputError(problems)
        return Artefact(arrays=stacked(_read(self.options)))

    def open(self, artefact: Artefact) -> Grant:
        """Grants the rows, and nothing to compare them with."""
        return Grant([_FileRows(artefact)])


class _FileRows(KeptRows):
    """Rows of which nobody can say whether they are those of their texts."""

    def handshake(self, sample: OwnerSample) -> list[Check]:
        """Tells what can be seen without the encoder: that other texts have other rows."""
        level, name = "EmbeddedRowsAccess", "other text, other row"
        numbers = [number for number in sorted(sample.row_texts) if number < self.count][:16]
        if len({sample.row_texts[number] for number in numbers}) < 2:
            return [*super().handshake(sample), checked(level, name, None, "no two texts to compare")]
        rows = self._rows(numbers)
        differs = any(row.shape != rows[0].shape or not np.allclose(row, rows[0]) for row in rows[1:])
        detail = "" if differs else "all rows tried are the same"
        return [*super().handshake(sample), checked(level, name, differs, detail)]


def _read(options: FileVectors.Options) -> list[npt.NDArray[Any]]:
    path = Path(options.path)
    if path.suffix == ".parquet":
        rows = _column(path, options.array)
    else:
        array = _only(path, options.array)
        if array.ndim not in (2, 3):
            raise InputError(f"{path}: must hold an array (texts, d), or (texts, words, d). Got {array.shape}")
        rows = list(array) if array.ndim == 2 else _cut(path, array)
    if not rows or not rows[0].shape[-1]:
        raise InputError(f"{path}: holds no vectors")
    if any(row.dtype.kind not in "iuf" for row in rows):
        raise InputError(f"{path}: must hold numbers. Got an array of {rows[0].dtype}")
    wrong = sum(not np.isfinite(row).all() for row in rows)
    if wrong:
        raise InputError(f"{path}: {wrong} of {len(rows)} rows hold NaN or infinity")
    return rows


def _only(path: Path, name: str | None) -> npt.NDArray[Any]:
    """The array that holds vectors: beside lengths, the other one."""
    if path.suffix not in SUFFIXES:
        raise InputError(f"{path}: unknown kind of file; known are {', '.join(SUFFIXES)}")
    others = [one for one in read_arrays(path) if one != LENGTHS]
    return read_array(path, others[0] if name is None and len(others) == 1 else name)


def _cut(path: Path, array: npt.NDArray[Any]) -> list[npt.NDArray[Any]]:
    lengths = read_arrays(path).get(LENGTHS)
    if lengths is None:
        raise InputError(f"{path}: unpooled rows {array.shape} need an array {LENGTHS!r} beside them: (texts,)")
    if lengths.shape != array.shape[:1] or lengths.dtype.kind not in "iu":
        raise InputError(
            f"{path}: {LENGTHS!r} must be whole numbers ({len(array)},). Got {lengths.dtype} {lengths.shape}"
        )
    if lengths.size and not (lengths.min() >= 0 and lengths.max() <= array.shape[1]):
        raise InputError(f"{path}: {LENGTHS!r} must be from 0 to {array.shape[1]}, the words that rows have room for")
    return [row[:length] for row, length in zip(array, lengths, strict=True)]


def _column(path: Path, name: str | None) -> list[npt.NDArray[Any]]:
    if name is None:
        raise InputError(f"{path}: tell which column holds the vectors (recipe.array)")
    try:
        rows = [np.asarray(row, dtype=np.float64) for row in read_table(path, [name])[name]]
    except (TypeError, ValueError):
        raise InputError(f"{path}: column {name!r} must hold lists of numbers, one for each text") from None
    _same_width(path, rows)
    return rows


def _same_width(path: Path, rows: Sequence[npt.NDArray[Any]]) -> None:
    shapes = {(row.ndim, row.shape[-1] if row.ndim else 0) for row in rows}
    if len(shapes) > 1 or any(ndim not in (1, 2) for ndim, _ in shapes):
        raise InputError(f"{path}: rows must be vectors (d,), or matrices (words, d), all of one width")
