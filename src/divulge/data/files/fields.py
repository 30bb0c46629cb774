"""From the columns of a row to a text: which columns are used, and what may stand in them."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any

from divulge.data.files.problems import BadRow
from divulge.records import Text

__all__ = ["FIELDS", "RowReader", "choose_columns"]

FILL = '; fill it in every row, or leave the field out with "" in columns'
FIELDS = ("text", "label", "user", "tags", "split", "context", "keywords")


def choose_columns(asked: Mapping[str, str], present: Collection[str]) -> dict[str, str]:
    """Decides which column serves each field: the one asked for, else one of the field's own name if present.

    A field that was asked to be left out is served by the column "".
    """
    chosen = {field: asked.get(field, field) for field in FIELDS if field in asked or field in present}
    chosen.setdefault("text", "text")
    lacking = {field: column for field, column in chosen.items() if column and column not in present}
    if lacking:
        reasons = [
            f"there is no column {column!r} for {field}.{_near(column, present)}" for field, column in lacking.items()
        ]
        named = ", ".join(f'{field} = "..."' for field in lacking)
        raise BadRow(f"{' '.join(reasons)} Name the columns with: columns = {{{named}}}")
    return chosen


@dataclass(frozen=True)
class RowReader:
    """Turns rows into texts by the columns chosen for their file."""

    columns: Mapping[str, str]
    split: str = "train"
    lower: bool = False

    def read(self, row: Mapping[str, object]) -> Text:
        """Makes the text of one row, or raises BadRow with the reason."""
        tokens = self._field(row, "text", _words) or ()
        tags = self._field(row, "tags", _words)
        if not tokens:
            raise BadRow(f"column {self.columns['text']!r} holds no tokens")
        if tags is not None and len(tags) != len(tokens):
            raise BadRow(f"has {len(tokens)} tokens but {len(tags)} tags")
        split = self._field(row, "split", _name)
        return Text(
            tokens=self._cased(tokens),
            label=self._field(row, "label", _name),
            tags=tags,
            user=self._field(row, "user", _name),
            context=self._cased(self._field(row, "context", _words) or ()),
            keywords=self._cased(self._field(row, "keywords", _keywords) or ()),
            split=self.split if split is None else split,
        )

    def _field(self, row: Mapping[str, object], field: str, convert: Callable[[object], Any]) -> Any:
        column = self.columns.get(field)
        if column == "":
            return None
        if column is None:
            if field in row:
                raise BadRow(f"has a {field!r}, which the first row has not")
            return None
        if column not in row:
            raise BadRow(f"has no {column!r}, which the first row has")
        try:
            return convert(row[column])
        except BadRow as error:
            raise BadRow(f"column {column!r} {error}") from None

    def _cased(self, words: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(word.lower() for word in words) if self.lower else words


def _words(value: object) -> tuple[str, ...]:
    """Words of a text split on white space, or of a list that is split already."""
    if value is None:
        return ()
    if isinstance(value, str):
        return tuple(_encodable(value).split())
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise BadRow(f"must be text or a list of words. Got {_kind(value)}")
    if any(_encodable(word).split() != [word] for word in value):
        raise BadRow("lists a word that is empty or holds white space")
    return tuple(value)


def _keywords(value: object) -> tuple[str, ...]:
    """Keywords, each of one or more words: a list, or text with semicolons between them."""
    if value is None:
        return ()
    listed = value.split(";") if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(word, str) for word in listed):
        raise BadRow(f"must be a list of keywords, or text with ';' between them. Got {_kind(value)}")
    return tuple(" ".join(_encodable(word).split()) for word in listed if word.strip())


def _name(value: object) -> str:
    """A label, user or split: text or a whole number. Numbers are common for both in JSON."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not (value is None or isinstance(value, str)):
        raise BadRow(f"must be text or a whole number. Got {_kind(value)}{FILL if _is_nan(value) else ''}")
    if value is None or not value.strip():
        raise BadRow(f"is empty{FILL}")
    return _encodable(value).strip()


def _encodable(value: str) -> str:
    # JSON can spell half a surrogate pair, which no file and no hash could take later.
    try:
        value.encode()
    except UnicodeEncodeError:
        raise BadRow("holds half of a surrogate pair") from None
    return value


def _is_nan(value: object) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _kind(value: object) -> str:
    if _is_nan(value):  # how tables spell an empty field when they are written as JSON
        return "NaN"
    kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list of other things", dict: "a table"}
    return kinds.get(type(value), type(value).__name__)


def _near(column: str, present: Collection[str]) -> str:
    # Never the whole list: of a file without a header the "names" would be its first row.
    names = sorted(name for name in present if len(name) <= 30 and name.isprintable() and " " not in name)
    near = difflib.get_close_matches(column.lower(), [name.lower() for name in names], n=1, cutoff=0.6)
    found = [name for name in names if name.lower() in near]
    return f" Did you mean {found[0]!r}?" if found else f" There are {len(present)} others."
