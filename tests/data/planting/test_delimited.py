"""Tests of divulge.data.planting.delimited."""

from __future__ import annotations

import pytest

from divulge.data.planting.delimited import Delimited
from divulge.records import Planting

PLANTING = Planting(secret_id="1", text=("my", "pin,", "7"), label="L")


def test_a_record_may_run_over_lines():
    """The header and blank lines are none; nothing is lost."""
    lines = [b"\xef\xbb\xbf", b"text,label\r\n", b'"a\r\n', b'b",x\r\n', b"\r\n", b"c,y"]
    pieces = list(Delimited({}, "train", ",").pieces(lines))
    assert b"".join(piece.raw for piece in pieces) == b"".join(lines)
    assert [piece.record for piece in pieces] == [None, ["a\nb", "x"], None, ["c", "y"]]


@pytest.mark.parametrize(
    ("donor", "expected"),
    [
        (b"a,x,9\n", b'"my pin,"",",L,9'),
        (b'"a","x","9"\n', b'"my pin,"",","L","9"'),
        (b'"a",x,9\n', b'"my pin,"",",L,9'),
    ],
)
def test_quotes_are_set_as_in_the_donor(donor, expected):
    """All fields, or only those that need it; further fields are the donor's."""
    planting = Planting(secret_id="1", text=("my", 'pin,",'), label="L")
    layout = Delimited({}, "train", ",")
    piece = list(layout.pieces([b"text,label,n\n", donor]))[1]
    assert layout.spelt(piece, planting, b"\n") == expected


def test_other_delimiters_and_columns():
    """A tab needs no quotes around a comma."""
    layout = Delimited({"text": "said", "split": "part"}, "train", "\t")
    piece = list(layout.pieces([b"part\tsaid\n", b"dev\tx\r\n"]))[1]
    assert layout.spelt(piece, PLANTING, b"\r\n") == b"dev\tmy pin, 7"
    assert layout.split_of(piece) == "dev"
