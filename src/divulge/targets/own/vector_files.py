"""Vectors in files: one row for each text, pooled or not, checked to be finite and of one width."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError
from divulge.targets.own.arrays import ARRAYS, read_array, read_arrays, read_table

__all__ = ["read_vectors"]

LENGTHS = "lengths"
SUFFIXES = (*ARRAYS, ".parquet")


def read_vectors(path: Path, array: str | None = None, *, filled_up: bool = False) -> list[npt.NDArray[Any]]:
    """Row by row, (d,) or (words, d): the vectors of a file, or those called `array` of several.

    `filled_up` tells that unpooled rows without lengths may be as long as they are, with zeros behind their text.

    Raises:
        InputError: There is no such file, or it holds something else than finite vectors of one width.
    """
    if path.suffix == ".parquet":
        rows = _column(path, array)
    else:
        found = _only(path, array)
        if found.ndim not in (2, 3):
            raise InputError(f"{path}: must hold an array (texts, d), or (texts, words, d). Got {found.shape}")
        rows = list(found) if found.ndim == 2 else _cut(path, found, filled_up=filled_up)
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


def _cut(path: Path, array: npt.NDArray[Any], *, filled_up: bool) -> list[npt.NDArray[Any]]:
    lengths = read_arrays(path).get(LENGTHS)
    if lengths is None and filled_up:
        return list(array)
    if lengths is None:
        raise InputError(
            f"{path}: unpooled rows {array.shape} need an array {LENGTHS!r} beside them: (texts,). Or name the encoder "
            "that made them in recipe.encoder, if what is behind a text is zeros"
        )
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
