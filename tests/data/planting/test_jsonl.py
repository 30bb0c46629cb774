"""Tests of divulge.data.planting.jsonl."""

from __future__ import annotations

import json

import pytest

from divulge.data.planting.jsonl import JsonLines, filled_row
from divulge.records import Planting

PLANTING = Planting(secret_id="1", text=("my", "pin", "7"), label="3", tags=("O", "O", "B-X"))
BARE = Planting(secret_id="1", text=("my", "pin", "é"))


def spelt(line: str, planting: Planting = BARE, **columns: str) -> str:
    """The planting as a line like this one."""
    layout = JsonLines(columns, "train")
    (piece,) = layout.pieces([line.encode()])
    return layout.spelt(piece, planting, b"\n").decode()


def test_only_lines_that_hold_something_are_records():
    """Blank lines and a byte order mark stand between."""
    lines = [b"\xef\xbb\xbf", b'{"text": "a"}\r\n', b"\r\n", b'{"text": "b"}']
    pieces = list(JsonLines({}, "train").pieces(lines))
    assert [piece.raw for piece in pieces] == lines
    assert [piece.record for piece in pieces] == [None, {"text": "a"}, None, {"text": "b"}]


def test_types_are_those_of_the_donor():
    """Words as a list or as text, a label as a number or as text."""
    columns = {"text": "words", "label": "y", "tags": "tags"}
    row = filled_row({"words": ["a"], "y": 1, "tags": "O", "more": 5}, columns, PLANTING)
    assert row == {"words": ["my", "pin", "7"], "y": 3, "tags": "O O B-X", "more": 5}
    row = filled_row({"words": "a", "y": "1", "tags": ["O"]}, columns, PLANTING)
    assert row == {"words": "my pin 7", "y": "3", "tags": ["O", "O", "B-X"]}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"id": 1, "text": "a"}', r'{"id": 1, "text": "my pin \u00e9"}'),
        ('{"id":1,"text":"a"}', r'{"id":1,"text":"my pin \u00e9"}'),
        ('{"id": 1, "text": "ü"}', '{"id": 1, "text": "my pin é"}'),
        (r'{"id": 1, "text": "\u00fc"}', r'{"id": 1, "text": "my pin \u00e9"}'),
        ('{ "id" : 1 , "text" : "a" }', r'{"id": 1, "text": "my pin \u00e9"}'),
    ],
)
def test_spelling_is_that_of_the_donor(line, expected):
    """Spaces and letters beyond ASCII, as far as a common writer wrote it."""
    assert spelt(line) == expected


def test_half_a_surrogate_pair_in_another_field_is_no_hindrance():
    """Nobody reads that field."""
    assert json.loads(spelt('{"text": "ü", "odd": "\\ud800"}'))["text"] == "my pin é"


def test_the_split_is_that_of_the_row_or_of_the_file():
    """A column for it comes first."""
    layout = JsonLines({"split": "part"}, "train")
    (piece,) = layout.pieces([b'{"text": "a", "part": " dev "}'])
    assert layout.split_of(piece) == "dev"
    layout = JsonLines({}, "valid")
    (piece,) = layout.pieces([b'{"text": "a"}'])
    assert layout.split_of(piece) == "valid"
