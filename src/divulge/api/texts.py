"""What a caller may hand over as data: a name, a file, a DataSpec, or texts in memory as they are usually held."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge.api.plain import plain
from divulge.canonical import digest
from divulge.data import DATA
from divulge.data.files.fields import FIELDS, choose_columns
from divulge.data.files.problems import BadRow
from divulge.errors import InputError
from divulge.parts import validate
from divulge.records import Text
from divulge.spec import DataSpec

__all__ = ["HandedTexts", "given_data"]

NAMES = ("label", "user", "split")  # fields that hold one name each
MOST_TOLD = 5  # kinds of faults
ALLOWED = (
    "a path, the name of a data set, a DataSpec or dict, a list of texts, of (text, label) pairs, of dicts or of "
    "records.Text, a table with to_dict, or a dict of splits"
)


class HandedTexts:
    """Texts in memory, as the lines of a JSONL file that stands for them while an audit runs."""

    def __init__(self, lines: tuple[str, ...]) -> None:
        self._lines = lines
        self.name = f"in-memory-{digest(lines, 16)}.jsonl"

    def __repr__(self) -> str:
        return f"HandedTexts({len(self._lines)} texts; nothing else is shown)"

    @property
    def content(self) -> bytes:
        """The whole file."""
        return "".join(f"{line}\n" for line in self._lines).encode()


def given_data(data: Any, columns: Mapping[str, str] | None = None, where: str = "data") -> DataSpec | HandedTexts:
    """Reads what was handed over as data; `columns` tells which column holds the text, the label and so on."""
    asked = dict(columns or {})
    if isinstance(data, DataSpec):
        data = data.model_dump(mode="json")
    if isinstance(data, Path) or (isinstance(data, str) and data not in DATA):
        data = {"path": str(data)}
    elif isinstance(data, str):
        data = {"name": data}
    if isinstance(data, Mapping) and (set(data) & {"name", "path"} or not _are_splits(data)):
        return validate(DataSpec, plain({**data, "columns": {**data.get("columns", {}), **asked}}), where)
    parts = [(str(split), rows) for split, rows in data.items()] if isinstance(data, Mapping) else [("", data)]
    lines = [line for split, rows in parts for line in _lines(rows, asked, split, where)]
    if not lines:
        raise InputError(f"{where}: holds no texts")
    return HandedTexts(tuple(lines))


def _are_splits(data: Mapping[Any, Any]) -> bool:
    """Whether this is a dict of texts by split, rather than a spec in which something is missing."""
    rows = [one for one in data.values() if not isinstance(one, str | bytes | Mapping) and isinstance(one, Iterable)]
    return bool(data) and len(rows) == len(data)


def _rows_of(data: Any) -> list[Any] | None:
    """The rows of a table or of any sequence; None for anything else."""
    if hasattr(data, "to_dict") and hasattr(data, "columns"):
        table: list[Any] = data.to_dict("records")
        return table
    if isinstance(data, str | bytes | Mapping) or not isinstance(data, Iterable):
        return None
    return list(data)


def _lines(data: Any, columns: Mapping[str, str], split: str, where: str) -> list[str]:
    rows = _rows_of(data)
    if rows is None:
        raise InputError(f"{where} must be {ALLOWED}. Got {type(data).__name__}")
    found: list[str] = []
    wrong: dict[str, list[int]] = {}  # the numbers of texts, by what is wrong with them
    for number, row in enumerate(rows, start=1):
        try:
            values = _fields(row, columns)
        except BadRow as error:
            wrong.setdefault(str(error), []).append(number)
            continue
        found.append(json.dumps({**({"split": split} if split else {}), **values}))
    if wrong:
        raise InputError(_problem(where, numbers, reason) for reason, numbers in list(wrong.items())[:MOST_TOLD])
    return found


def _problem(where: str, numbers: Sequence[int], reason: str) -> str:
    more = f" (and {len(numbers) - 1} more)" if len(numbers) > 1 else ""
    return f"{where}, text {numbers[0]}{more}: {reason}"


def _fields(row: Any, columns: Mapping[str, str]) -> dict[str, Any]:
    """The fields of one text as JSON knows them; columns of a table that are no fields are left out."""
    if isinstance(row, Text):
        every = {"text": list(row.tokens), "label": row.label, "tags": row.tags, "user": row.user, "split": row.split}
        every |= {"context": list(row.context), "keywords": list(row.keywords)}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in every.items() if value}
    if isinstance(row, str):
        return {"text": row}
    if isinstance(row, tuple | list):
        if len(row) != 2 or not isinstance(row[0], str):
            raise BadRow(f"must be text, a (text, label) pair, or a dict. Got {type(row).__name__} of {len(row)}")
        return {"text": row[0], "label": _name(row[1])}
    if not isinstance(row, Mapping):
        raise BadRow(f"must be text, a (text, label) pair, or a dict. Got {type(row).__name__}")
    chosen = choose_columns(columns, [str(name) for name in row])
    return {field: _value(field, row[column]) for field, column in chosen.items() if column and field in FIELDS}


def _value(field: str, value: Any) -> Any:
    if field in NAMES:
        return _name(value)
    if hasattr(value, "tolist"):
        value = value.tolist()
    if not isinstance(value, str | list | tuple | None):
        raise BadRow(f"column {field!r} must be text or a list of words. Got {type(value).__name__}")
    return list(value) if isinstance(value, tuple) else value


def _name(value: Any) -> str:
    """A label, a user or a split as text, whatever it was: numbers of NumPy, true and false."""
    if hasattr(value, "item"):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        raise BadRow("a label, user or split is missing; fill it in every row, or leave the field out with columns")
    if not isinstance(value, str | int | float):
        raise BadRow(f"a label, user or split must be text or a number. Got {type(value).__name__}")
    return str(value)
