"""CSV and its kin: a header, then one row a text; quoted fields may run over lines."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from divulge.data.files.fields import RowReader, choose_columns
from divulge.data.files.lines import read_lines
from divulge.data.files.problems import BadRow, Problems
from divulge.records import Text

__all__ = ["read_delimited", "read_named", "read_rows"]


def read_delimited(
    path: Path, columns: Mapping[str, str], split: str, *, delimiter: str, lower: bool, problems: Problems
) -> Iterator[Text]:
    """Yields the texts of a file with a header; blank lines are passed over."""
    rows = read_rows(path, delimiter, problems)
    number, header = next(rows, (0, []))
    if not header:
        return
    names = [name.strip() for name in header]
    try:
        _check_header(names)
        reader = RowReader(choose_columns(columns, names), split, lower)
    except BadRow as error:
        problems.add(path, number, f"the header: {error}")
        return
    for number, row in rows:
        if len(row) != len(names):
            problems.add(path, number, f"has {len(row)} fields, but the header has {len(names)}")
            continue
        try:
            yield reader.read(dict(zip(names, row, strict=True)))
        except BadRow as error:
            problems.add(path, number, str(error))


def read_named(path: Path, columns: Sequence[str], problems: Problems) -> Iterator[tuple[str, ...]]:
    """Yields the fields of these columns, row by row; a file without one of them is a problem."""
    rows = read_rows(path, ",", problems)
    number, header = next(rows, (1, []))
    lacking = [column for column in columns if column not in header]
    if lacking:
        problems.add(path, number, f"the header has no column {', '.join(lacking)}")
        return
    places = [header.index(column) for column in columns]
    for number, row in rows:
        if len(row) == len(header):
            yield tuple(row[place] for place in places)
        else:
            problems.add(path, number, f"has {len(row)} fields, but the header has {len(header)}")


def read_rows(path: Path, delimiter: str, problems: Problems) -> Iterator[tuple[int, list[str]]]:
    """Yields (number of the line a row starts on, its fields); blank lines are passed over."""
    reader = csv.reader((f"{line}\n" for _, line in read_lines(path, problems)), delimiter=delimiter, strict=True)
    while True:
        start = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # What follows a broken quote means nothing any more.
            problems.add(path, start, f"is not CSV: {_reason(error)}; nothing after it was read")
            return
        if row:
            yield start, row


def _check_header(names: list[str]) -> None:
    first: dict[str, int] = {}
    for place, name in enumerate(names, 1):
        if name in first:
            raise BadRow(f"columns {first[name]} and {place} have the same name")
        first[name] = place


def _reason(error: csv.Error) -> str:
    said = str(error)
    if "new-line character" in said:
        return "a lone carriage return; lines must end with LF or CRLF"
    if "unexpected end of data" in said:
        return "a quote is opened and never closed"
    return said
