"""A folder written by `save_to_disk` of the library datasets: one table, or one a split, read batch by batch.

The library itself is not needed: a table is a stream of Arrow record batches beside a JSON file that names its parts.
"""

from __future__ import annotations

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from divulge.data.files.fields import RowReader, choose_columns
from divulge.data.files.problems import BadRow, Problems
from divulge.errors import InputError
from divulge.records import Text

__all__ = ["SPLITS_FILE", "Table", "class_names", "is_datasets_folder", "named", "open_tables", "pyarrow", "read_table"]

SPLITS_FILE = "dataset_dict.json"
STATE_FILE = "state.json"
INFO_FILE = "dataset_info.json"
ROWS_AT_ONCE = 1000


@dataclass(frozen=True)
class Table:
    """One split: its folder, the files of its rows in order, and what their columns mean."""

    folder: Path
    split: str
    files: tuple[Path, ...]
    features: Mapping[str, Any]

    def batches(self, file: Path) -> Iterator[Any]:
        """Yields the record batches of one file, at most 1,000 rows each."""
        try:
            with pyarrow().memory_map(str(file)) as source, pyarrow().ipc.open_stream(source) as stream:
                for batch in stream:
                    for start in range(0, batch.num_rows, ROWS_AT_ONCE):
                        yield batch.slice(start, ROWS_AT_ONCE)
        except pyarrow().ArrowInvalid:
            raise InputError(f"{file}: is not a whole Arrow file") from None

    def schema(self, file: Path) -> Any:
        """The columns of one file, with their types."""
        try:
            with pyarrow().memory_map(str(file)) as source, pyarrow().ipc.open_stream(source) as stream:
                return stream.schema
        except (pyarrow().ArrowInvalid, OSError):
            raise InputError(f"{file}: is not a whole Arrow file") from None


def pyarrow() -> Any:
    """The library pyarrow, which is needed for such folders alone."""
    try:
        importlib.import_module("pyarrow.ipc")
        return importlib.import_module("pyarrow")
    except ImportError:
        raise InputError("reading a datasets folder needs the library pyarrow: pip install pyarrow") from None


def is_datasets_folder(path: Path) -> bool:
    """Whether the folder was written by `save_to_disk`, as one table or as several."""
    return (path / SPLITS_FILE).is_file() or ((path / STATE_FILE).is_file() and (path / INFO_FILE).is_file())


def open_tables(path: Path) -> tuple[Table, ...]:
    """The tables of the folder, in the order it names them; all that is wrong with it in one error."""
    if not (path / SPLITS_FILE).is_file():
        state = _json(path / STATE_FILE)
        return (_table(path, str(state.get("_split") or "train")),)
    splits = _json(path / SPLITS_FILE).get("splits")
    if not isinstance(splits, list) or not splits or not all(isinstance(split, str) for split in splits):
        raise InputError(f"{path / SPLITS_FILE}: names no splits")
    return tuple(_table(path / split, split) for split in splits)


def read_table(table: Table, columns: Mapping[str, str], *, lower: bool, problems: Problems) -> Iterator[Text]:
    """Yields the texts of one table; numbers that stand for names (class labels) are given their names."""
    for file in table.files:
        present = table.schema(file).names
        try:
            chosen = choose_columns(columns, present)
        except BadRow as error:
            problems.add(table.folder, None, str(error))
            return
        reader = RowReader(chosen, table.split, lower)
        used = [column for column in dict.fromkeys(chosen.values()) if column]
        names = {column: class_names(table.features, column) for column in used}
        number = 0
        for batch in table.batches(file):
            for row in batch.select(used).to_pylist():
                number += 1
                try:
                    yield reader.read({column: named(value, names[column]) for column, value in row.items()})
                except BadRow as error:
                    problems.add(file, number, str(error))


def class_names(features: Mapping[str, Any], column: str) -> tuple[str, ...]:
    """The names that the numbers of a column stand for, or nothing; a list of such numbers has them too."""
    feature = features.get(column)
    while isinstance(feature, list | dict):
        if isinstance(feature, dict) and feature.get("_type") == "ClassLabel":
            return tuple(map(str, feature.get("names") or ()))
        feature = (feature[0] if feature else None) if isinstance(feature, list) else feature.get("feature")
    return ()


def named(value: object, names: tuple[str, ...]) -> object:
    """A value with numbers replaced by the names they stand for; a number without a name (-1: not known) by None."""
    if not names:
        return value
    if isinstance(value, list):
        return [named(item, names) for item in value]
    if isinstance(value, int) and not isinstance(value, bool):
        return names[value] if 0 <= value < len(names) else None
    return value


def _table(folder: Path, split: str) -> Table:
    state, info = _json(folder / STATE_FILE), _json(folder / INFO_FILE)
    if state.get("_indices_files") or state.get("_indices_data_files"):
        raise InputError(
            f"{folder}: rows are chosen by a list of indices. Save it anew with a current datasets library"
        )
    listed = state.get("_data_files")
    files = [folder / str(item.get("filename")) for item in listed or () if isinstance(item, dict)]
    problems = [f"{file}: is named in {STATE_FILE} and is not there" for file in files if not file.is_file()]
    problems += [f"{file}: lies outside its folder" for file in files if file.parent != folder]
    if not files:
        problems.append(f"{folder / STATE_FILE}: names no data files")
    if problems:
        raise InputError(problems)
    return Table(folder, split, tuple(files), info.get("features") or {})


def _json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{path}: does not hold JSON") from None
    if not isinstance(values, dict):
        raise InputError(f"{path}: does not hold a JSON object")
    return values
