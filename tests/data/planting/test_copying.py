"""Tests of divulge.data.planting.copying."""

from __future__ import annotations

import hashlib

import pytest

from divulge.data.files.own import OwnFile, OwnFileOptions
from divulge.data.planting.conll import Sentences
from divulge.data.planting.copying import CHUNK, copy_with, copy_without, layout_of
from divulge.data.planting.delimited import Delimited
from divulge.data.planting.jsonl import JsonLines
from divulge.records import Planting

ONE, TWO = (Planting(secret_id=word, text=(word,)) for word in ("one", "two"))


def test_texts_are_put_before_the_first_and_after_the_nth_record_of_the_split(tmp_path):
    """Others are passed over; stretches and hashes tell what was done."""
    source, out = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    rows = ['{"text": "x", "split": "test"}', '{"text": "y", "split": "train"}', '{"text": "z", "split": "train"}']
    source.write_bytes("\n".join(rows).encode())
    was, now, inserted = copy_with(source, out, "train", JsonLines({}, "train"), {0: [ONE], 2: [TWO]})
    new = ['{"text": "one", "split": "train"}', '{"text": "two", "split": "train"}']
    assert out.read_text() == "\n".join([rows[0], new[0], rows[1], rows[2], new[1]])
    # Row 1 and its end are 31 bytes, a new row with an end 34, rows 2 and 3 are 32 and 31; then an end and a new row.
    assert inserted == ((31, 34), (31 + 34 + 32 + 31, 34))
    assert was == hashlib.sha256(source.read_bytes()).hexdigest()
    assert now == hashlib.sha256(out.read_bytes()).hexdigest()


def test_several_texts_after_a_last_line_without_an_end(tmp_path):
    """Each brings the end of the line before it, as the file has it."""
    source, out = tmp_path / "a.csv", tmp_path / "b.csv"
    source.write_bytes(b"text\r\nx")
    copy_with(source, out, "train", Delimited({}, "train", ","), {1: [ONE, TWO]})
    assert out.read_bytes() == b"text\r\nx\r\none\r\ntwo"


@pytest.mark.parametrize("name", ["a.txt", "a.txt.gz"])
def test_stretches_are_taken_out(tmp_path, name):
    """Also long ones, also at both ends, also out of a file that is packed."""
    kept, gone = b"k" * (CHUNK + 5), b"g" * (2 * CHUNK + 1)
    plain = tmp_path / "plain"
    plain.write_bytes(gone + kept + gone + gone)
    copy_with(plain, tmp_path / name, "", None, {})
    places = ((0, len(gone)), (len(gone) + len(kept), len(gone)), (2 * len(gone) + len(kept), len(gone)))
    was, now = copy_without(tmp_path / name, tmp_path / "out", places)
    assert (tmp_path / "out").read_bytes() == kept
    assert was == hashlib.sha256(plain.read_bytes()).hexdigest()
    assert now == hashlib.sha256(kept).hexdigest()


def test_each_format_has_its_layout(tmp_path):
    """By the format of the file, with its options."""
    forms = {"jsonl": JsonLines, "csv": Delimited, "tsv": Delimited, "conll": Sentences}
    for form, kind in forms.items():
        assert type(layout_of(OwnFile(tmp_path, form, "train"), {}, OwnFileOptions())) is kind
    rows = layout_of(OwnFile(tmp_path, "tsv", "train"), {}, OwnFileOptions()).pieces([b"text\tn\n", b"a\tb\n"])
    assert [piece.record for piece in rows] == [None, ["a", "b"]]
