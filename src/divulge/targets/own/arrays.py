"""Arrays in files: .npy, .npz, .safetensors, and columns of .parquet, .csv and .jsonl. Nothing is unpickled."""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError
from divulge.parts import did_you_mean

__all__ = ["ARRAYS", "TABLES", "parquet_columns", "read_array", "read_arrays", "read_table"]

ARRAYS = (".npy", ".npz", ".safetensors")
TABLES = (".csv", ".jsonl", ".parquet")


def read_array(path: Path, name: str | None) -> npt.NDArray[Any]:
    """The array of a file, or the one called `name` of several."""
    found = read_arrays(path)
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name is None:
        raise InputError(
            f"{path}: holds {len(found)} arrays, tell which one (recipe.array): {', '.join(sorted(found))}"
        )
    if name not in found:
        raise InputError(f"{path}: holds no array {name!r}.{did_you_mean(name, found)}")
    return found[name]


def read_arrays(path: Path) -> dict[str, npt.NDArray[Any]]:
    """All arrays of a file by name; that of a .npy file has none.

    Raises:
        InputError: There is no such file, or it is no file of arrays.
    """
    _must_be_file(path, ARRAYS)
    try:
        if path.suffix == ".safetensors":
            from safetensors.numpy import load_file

            return dict(load_file(path))
        found = np.load(path, allow_pickle=False)
        if isinstance(found, np.ndarray):
            return {"": found}
        with found:
            return {name: found[name] for name in found.files}
    except ValueError as error:
        if "allow_pickle" in str(error) or "pickle" in str(error):
            raise InputError(
                f"{path}: holds objects of Python, which are not read since unpickling them could run any code. "
                "Save numbers: np.save(path, np.asarray(rows, dtype=np.float32))"
            ) from None
        raise InputError(f"{path}: is no {path.suffix} file of arrays, or is damaged") from None
    except Exception as error:  # noqa: BLE001 - each format has errors of its own
        raise InputError(
            f"{path}: is no {path.suffix} file of arrays, or is damaged ({type(error).__name__})"
        ) from None


def read_table(path: Path, columns: Sequence[str]) -> dict[str, list[Any]]:
    """Columns of a table by name, one value per row.

    Raises:
        InputError: There is no such file, it is no table, or it lacks a column.
    """
    _must_be_file(path, TABLES)
    try:
        if path.suffix == ".parquet":
            return _parquet(path, columns)
        rows = _csv(path) if path.suffix == ".csv" else _jsonl(path)
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text") from None
    known = list(rows[0]) if rows else []
    _must_have(path, columns, known)
    for number, row in enumerate(rows, start=1):
        lacking = [name for name in columns if row.get(name) is None]
        if lacking:
            raise InputError(f"{path}: row {number} has nothing in column {lacking[0]!r}")
    return {name: [row[name] for row in rows] for name in columns}


def parquet_columns(path: Path) -> list[str]:
    """The names of the columns of a .parquet file, in its order.

    Raises:
        InputError: There is no such file, or it is damaged.
    """
    _must_be_file(path, (".parquet",))
    parquet = _library(path)
    try:
        return list(parquet.read_schema(path).names)
    except Exception as error:  # noqa: BLE001 - pyarrow has errors of its own
        raise InputError(f"{path}: is no .parquet file, or is damaged ({type(error).__name__})") from None


def _csv(path: Path) -> list[Mapping[str, Any]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file))


def _jsonl(path: Path) -> list[Mapping[str, Any]]:
    rows: list[Mapping[str, Any]] = []
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError:
                row = None
            if not isinstance(row, dict):
                raise InputError(f"{path}: line {number} is no JSON object")
            rows.append(row)
    return rows


def _library(path: Path) -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise InputError(f"{path}: pyarrow must be installed to read .parquet: pip install 'divulge[tables]'") from None
    return parquet


def _parquet(path: Path, columns: Sequence[str]) -> dict[str, list[Any]]:
    parquet = _library(path)
    _must_have(path, columns, parquet_columns(path))
    try:
        table = parquet.read_table(path, columns=list(dict.fromkeys(columns)))
    except Exception as error:  # noqa: BLE001 - pyarrow has errors of its own
        raise InputError(f"{path}: is no .parquet file, or is damaged ({type(error).__name__})") from None
    return {name: table.column(name).to_pylist() for name in columns}


def _must_have(path: Path, columns: Sequence[str], known: Sequence[str]) -> None:
    lacking = [name for name in columns if name not in known]
    if lacking:
        listed = ", ".join(repr(name) for name in lacking[:5])
        raise InputError(f"{path}: has no column {listed}.{did_you_mean(lacking[0], known)}")


def _must_be_file(path: Path, suffixes: Sequence[str]) -> None:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file. A path counts from the folder the command is run in")
    if path.suffix not in suffixes:
        raise InputError(f"{path}: unknown kind of file; known are {', '.join(suffixes)}")
