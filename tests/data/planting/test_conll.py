"""Tests of divulge.data.planting.conll."""

from __future__ import annotations

import pytest

from divulge.data.planting.conll import Sentences
from divulge.records import Planting

PLANTING = Planting(secret_id="1", text=("pin", "7"), tags=("O", "B-X"))


def layout(**more: object) -> Sentences:
    """The layout of a file with tokens first and tags last."""
    return Sentences(**{"split": "train", "token_column": 1, "tag_column": -1, "comment": None, **more})


def test_sentences_have_comments_above_and_a_blank_line_below():
    """Document marks and further blank lines stand between; nothing is lost."""
    text = b"\xef\xbb\xbf# id 1\na O\nb O\n\n\n-DOCSTART- O\n\n# id 2\nc O\n-DOCSTART- O\nd O"
    lines = [b"\xef\xbb\xbf", *text.removeprefix(b"\xef\xbb\xbf").splitlines(keepends=True)]
    pieces = list(layout(comment="#").pieces(lines))
    assert b"".join(piece.raw for piece in pieces) == text
    records = [piece.raw for piece in pieces if piece.record is not None]
    assert records == [b"# id 1\na O\nb O\n\n", b"# id 2\nc O\n", b"d O"]


@pytest.mark.parametrize(
    ("donor", "end", "expected"),
    [
        (b"a O\n\n", b"\n", b"pin O\n7 B-X\n\n"),  # a blank line is there: one more after the new sentence
        (b"a O\r\n\r\n", b"\r\n", b"pin O\r\n7 B-X\r\n\r\n"),
        (b"a O\n", b"\n", b"\npin O\n7 B-X\n"),  # the end of the file, or a document mark follows
        (b"a O", b"\n", b"\n\npin O\n7 B-X"),
        (b"a O\n ", b"\n", b"\npin O\n7 B-X\n\n"),
    ],
)
def test_a_sentence_is_put_after_another(donor, end, expected):
    """With a blank line on the side where there is none."""
    form = layout()
    (piece,) = form.pieces(donor.splitlines(keepends=True))
    assert form.after(piece, form.spelt(piece, PLANTING, end), end) == expected


def test_columns_and_what_is_between_them_are_the_donors():
    """Nothing is known of further columns."""
    form = layout(token_column=2, tag_column=3)
    (piece,) = form.pieces([b"1\ta\tO\tX\n"])
    assert form.spelt(piece, PLANTING, b"\n") == b"_\tpin\tO\t_\n_\t7\tB-X\t_"
    form = layout()
    (piece,) = form.pieces([b"a  NN  O\n"])
    assert form.spelt(piece, PLANTING, b"\n") == b"pin  _  O\n7  _  B-X"


def test_before_the_first_sentence():
    """With a blank line behind it."""
    assert layout().before(b"pin O", b"\n") == b"pin O\n\n"
    assert layout().split_of(None) == "train"
