"""Records of CSV and its kin, and how a canary is spelt among them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping

from divulge.data.files.fields import choose_columns
from divulge.data.planting.jsonl import filled_row
from divulge.data.planting.pieces import Layout, Piece
from divulge.records import Planting

__all__ = ["Delimited"]

QUOTINGS = (csv.QUOTE_MINIMAL, csv.QUOTE_ALL, csv.QUOTE_NONNUMERIC)


class Delimited(Layout):
    """A header, then one row a record; a quoted field may run over lines."""

    def __init__(self, columns: Mapping[str, str], split: str, delimiter: str) -> None:
        self._asked = columns
        self._split = split
        self._delimiter = delimiter
        self._names: list[str] = []
        self._columns: dict[str, str] = {}

    def pieces(self, lines: Iterable[bytes]) -> Iterator[Piece]:
        """Each row after the header is a record, unless it is a blank line."""
        held: list[bytes] = []

        def fed() -> Iterator[str]:
            for raw in lines:
                held.append(raw)
                # A byte order mark is a line of its own: it must not count as a row.
                line = raw.decode("utf-8").removeprefix("\ufeff")
                if line:
                    yield line.removesuffix("\n").removesuffix("\r") + "\n"

        for row in csv.reader(fed(), delimiter=self._delimiter, strict=True):
            raw = b"".join(held)
            held.clear()
            if not row:
                yield Piece(raw)
            elif not self._names:
                self._names = [name.strip() for name in row]
                self._columns = choose_columns(self._asked, self._names)
                yield Piece(raw)
            else:
                yield Piece(raw, row)
        if held:
            yield Piece(b"".join(held))

    def split_of(self, piece: Piece) -> str:
        """The split that the row names, or that of the file."""
        column = self._columns.get("split")
        return str(piece.record[self._names.index(column)]).strip() if column else self._split

    def spelt(self, donor: Piece, planting: Planting, end: bytes) -> bytes:
        """The donor's row with the text put in, quoted as the donor is if that is a known way."""
        row = filled_row(dict(zip(self._names, donor.record, strict=True)), self._columns, planting)
        line = donor.raw.decode("utf-8").removesuffix("\n").removesuffix("\r")
        fitting = [way for way in QUOTINGS if self._line(donor.record, way, end) == line]
        return self._line(list(row.values()), fitting[0] if fitting else csv.QUOTE_MINIMAL, end).encode("utf-8")

    def _line(self, fields: list[object], quoting: int, end: bytes) -> str:
        written = io.StringIO()
        writer = csv.writer(written, delimiter=self._delimiter, quoting=quoting, lineterminator=end.decode())  # type: ignore[arg-type]
        writer.writerow(fields)
        return written.getvalue().removesuffix(end.decode())
