"""Vectors in files: one row for each text, pooled or not, checked to be finite and of one width."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError
from divulge.targets.own.arrays import ARRAYS, parquet_columns, read_array, read_arrays, read_table

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
    wrong = [number for number, row in enumerate(rows) if not np.isfinite(row).all()]
    if wrong:
        raise InputError(
            f"{path}: {len(wrong)} of {len(rows)} rows hold NaN or infinity, the first is row {wrong[0]} (counted from "
            "0). Finite numbers are needed: embed those texts again, or leave them out of the file and of the data"
        )
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
    columns = parquet_columns(path)
    if name is None and len(columns) != 1:
        listed = ", ".join(columns) or "none"
        raise InputError(
            f"{path}: holds {len(columns)} columns, tell which one holds the vectors (recipe.array): {listed}"
        )
    chosen = columns[0] if name is None else name
    rows = [_vectors(path, chosen, number, row) for number, row in enumerate(read_table(path, [chosen])[chosen])]
    _same_width(path, rows)
    return rows


def _vectors(path: Path, column: str, number: int, row: object) -> npt.NDArray[Any]:
    where = f"{path}: column {column!r} must hold lists of numbers, one for each text; row {number} (counted from 0)"
    if row is None:
        raise InputError(f"{where} is null. Embed that text again, or leave it out of the file and of the data")
    try:
        return np.asarray(row, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputError(f"{where} holds something else, or lists of different lengths") from None


def _same_width(path: Path, rows: Sequence[npt.NDArray[Any]]) -> None:
    shapes = [(row.ndim, row.shape[-1] if row.ndim else 0) for row in rows]
    odd = [number for number, (ndim, width) in enumerate(shapes) if ndim not in (1, 2) or (ndim, width) != shapes[0]]
    if odd:
        raise InputError(
            f"{path}: rows must be vectors (d,), or matrices (words, d), all of one width. Row {odd[0]} (counted from "
            f"0) is {rows[odd[0]].shape}, and row 0 is {rows[0].shape}: embed that text again as the others were"
        )
