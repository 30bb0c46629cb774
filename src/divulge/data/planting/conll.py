"""Sentences of CoNLL files, and how a canary is spelt among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from divulge.data.files.conll import DOCUMENT_START
from divulge.data.planting.pieces import Layout, Piece, line_end
from divulge.records import Planting

__all__ = ["Sentences"]

NOTHING = "_"
_SPACES = re.compile(r"\s+")


class Sentences(Layout):
    """A token a line, a blank line after each sentence. The record is the first line that holds a token."""

    def __init__(self, split: str, token_column: int, tag_column: int, comment: str | None) -> None:
        self._split = split
        self._token_column = token_column
        self._tag_column = tag_column
        self._comment = comment

    def pieces(self, lines: Iterable[bytes]) -> Iterator[Piece]:
        """A sentence is a record, with the comments above it and the blank line below it."""
        held: list[bytes] = []
        first: str | None = None
        for raw in lines:
            line = raw.decode("utf-8")
            if line == "\ufeff":
                yield Piece(raw)
                continue
            comment = self._comment is not None and line.startswith(self._comment)
            blank = not comment and not line.strip()
            if not comment and line.split()[:1] == [DOCUMENT_START]:
                if held:
                    yield Piece(b"".join(held), first)
                held, first = [], None
                yield Piece(raw)
                continue
            held.append(raw)
            if not comment and not blank and first is None:
                first = line
            if blank:
                yield Piece(b"".join(held), first)
                held, first = [], None
        if held:
            yield Piece(b"".join(held), first)

    def split_of(self, piece: Piece) -> str:
        """That of the file: a sentence names none."""
        del piece
        return self._split

    def spelt(self, donor: Piece, planting: Planting, end: bytes) -> bytes:
        """Tokens and tags in their columns, apart as in the donor; nothing in the other columns."""
        line = donor.record.rstrip("\r\n")
        apart = _SPACES.search(line.strip())
        separator = "\t" if "\t" in line.strip() else apart.group() if apart else " "
        width = len(line.split("\t")) if separator == "\t" else len(line.split())
        lines = []
        for token, tag in zip(planting.text, planting.tags or (), strict=True):
            cells = [NOTHING] * width
            cells[_place(self._token_column, width)] = token
            cells[_place(self._tag_column, width)] = tag
            lines.append(separator.join(cells).encode("utf-8"))
        return end.join(lines)

    def before(self, spelt: bytes, end: bytes) -> bytes:
        """The sentence and a blank line."""
        return spelt + end + end

    def after(self, donor: Piece, spelt: bytes, end: bytes) -> bytes:
        """The sentence, with a blank line on the side where there is none."""
        last = donor.raw.removesuffix(b"\n").rpartition(b"\n")[2]
        if last.strip():  # the last line is a token's: no blank line follows, as at the end of a file
            return end + spelt + end if line_end(donor.raw) else end + end + spelt
        return spelt + end + end if line_end(donor.raw) else end + spelt + end + end


def _place(column: int, width: int) -> int:
    return column - 1 if column > 0 else width + column
