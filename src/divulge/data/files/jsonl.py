"""JSON lines: one object a line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from divulge.data.files.fields import RowReader, choose_columns
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import BadRow, Problems
from divulge.records import Text

__all__ = ["parse_row", "read_jsonl"]


def read_jsonl(
    path: Path, columns: Mapping[str, str], split: str, *, lower: bool, problems: Problems
) -> Iterator[Text]:
    """Yields the texts of a JSONL file; blank lines are passed over. The first row decides which columns there are."""
    reader: RowReader | None = None
    for number, line in read_lines(path, problems):
        if not line.strip():
            continue
        try:
            row = parse_row(line)
        except BadRow as error:
            problems.add(path, number, str(error))
            continue
        try:
            reader = reader or RowReader(choose_columns(columns, row), split, lower)
        except BadRow as error:
            problems.add(path, number, str(error))
            return  # every other row would be wrong in the same way
        try:
            yield reader.read(row)
        except BadRow as error:
            problems.add(path, number, str(error))


def parse_row(line: str) -> dict[str, object]:
    """Reads one line as an object that names no key twice, or raises BadRow with the reason."""
    try:
        row = json.loads(line, object_pairs_hook=_unique)
    except json.JSONDecodeError as error:
        raise BadRow(f"is not JSON: {error.msg} (column {error.colno})") from None
    except (ValueError, RecursionError):
        raise BadRow("is not JSON that can be read: a number too long, or nested too deeply") from None
    if not isinstance(row, dict):
        raise BadRow('is not a JSON object like {"text": "..."}')
    return row


def _unique(pairs: list[tuple[str, object]]) -> dict[str, object]:
    row = dict(pairs)
    if len(row) != len(pairs):
        raise BadRow("names a key twice")
    return row
