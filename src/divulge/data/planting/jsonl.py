"""Records of JSON lines, and how a canary is spelt among them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from divulge.data.files.fields import choose_columns
from divulge.data.files.jsonl import parse_row
from divulge.data.planting.pieces import Layout, Piece
from divulge.records import Planting

__all__ = ["JsonLines", "filled_row"]

# How JSON is written by common writers: Python's, compact ones, and both with other letters than ASCII as they are.
SPELLINGS: tuple[dict[str, Any], ...] = tuple(
    {"separators": separators, "ensure_ascii": ascii_only}
    for separators in ((", ", ": "), (",", ":"), (",", ": "))
    for ascii_only in (False, True)
)


class JsonLines(Layout):
    """One object a line."""

    def __init__(self, columns: Mapping[str, str], split: str) -> None:
        self._asked = columns
        self._split = split
        self._columns: dict[str, str] = {}

    def pieces(self, lines: Iterable[bytes]) -> Iterator[Piece]:
        """Each line that is not blank is a record."""
        for raw in lines:
            line = raw.decode("utf-8")
            if line.strip("\ufeff").strip():
                row = parse_row(line)
                self._columns = self._columns or choose_columns(self._asked, row)
                yield Piece(raw, row)
            else:
                yield Piece(raw)

    def split_of(self, piece: Piece) -> str:
        """The split that the row names, or that of the file."""
        column = self._columns.get("split")
        return str(piece.record[column]).strip() if column else self._split

    def spelt(self, donor: Piece, planting: Planting, end: bytes) -> bytes:
        """The donor's object with the text put in, in the donor's own spelling if it is a known one."""
        del end
        row = filled_row(donor.record, self._columns, planting)
        line = donor.raw.decode("utf-8").strip()
        ways = [way for way in SPELLINGS if json.dumps(donor.record, **way) == line]
        way = ways[0] if ways else {"ensure_ascii": donor.raw.isascii()}
        if ways and line.isascii():  # both spellings of other letters fit a line that has none
            way = {**way, "ensure_ascii": True}
        try:
            return json.dumps(row, **way).encode("utf-8")
        except UnicodeEncodeError:  # a field that nobody reads may hold half a surrogate pair
            return json.dumps(row, **{**way, "ensure_ascii": True}).encode("utf-8")


def filled_row(donor: Mapping[str, object], columns: Mapping[str, str], planting: Planting) -> dict[str, object]:
    """The donor's row with the text, label and tags of the planting, each of the type that the donor's has."""
    row = dict(donor)
    for field, words in (("text", planting.text), ("tags", planting.tags)):
        column = columns.get(field)
        if column and words is not None:
            row[column] = list(words) if isinstance(donor[column], list) else " ".join(words)
    label = columns.get("label")
    if label and planting.label is not None:
        row[label] = int(planting.label) if isinstance(donor[label], int) and _whole(planting.label) else planting.label
    return row


def _whole(label: str) -> bool:
    return label.removeprefix("-").isdecimal()
