"""Tests of divulge.data.planting.pieces."""

from __future__ import annotations

import gzip
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.planting.pieces import after_line, line_end, open_to_read, open_to_write, raw_lines
from divulge.errors import InputError


@given(st.lists(st.sampled_from([b"a", b"\r", b"\n", b"\r\n", b"\xef\xbb\xbf", b"", b" "])))
def test_lines_together_are_the_file(parts):
    """Whatever ends them, and with a byte order mark of its own at the start."""
    content = b"".join(parts)
    lines = list(raw_lines(io.BytesIO(content)))
    assert b"".join(lines) == content
    assert (lines[:1] == [b"\xef\xbb\xbf"]) == content.startswith(b"\xef\xbb\xbf")


@pytest.mark.parametrize(("raw", "end"), [(b"a\r\n", b"\r\n"), (b"a\n", b"\n"), (b"a", None), (b"a\r", None)])
def test_ends_of_lines_are_told(raw, end):
    """A lone carriage return is none."""
    assert line_end(raw) == end


def test_a_line_after_the_last_has_no_end_either():
    """Else one that was missing would be there afterwards."""
    assert after_line(b"a\n", b"new", b"\n") == b"new\n"
    assert after_line(b"a", b"new", b"\r\n") == b"\r\nnew"


def test_the_same_bytes_give_the_same_gzip_file(tmp_path):
    """No time and no name is kept in it."""
    for name in ("one.gz", "two.gz"):
        with open_to_write(tmp_path / name, packed=True) as file:
            file.write(b"text")
    assert (tmp_path / "one.gz").read_bytes() == (tmp_path / "two.gz").read_bytes()
    assert gzip.decompress((tmp_path / "one.gz").read_bytes()) == b"text"


def test_nothing_is_written_over(tmp_path):
    """A file that is there is left alone."""
    (tmp_path / "there").write_bytes(b"old")
    with pytest.raises(FileExistsError), open_to_write(tmp_path / "there", packed=False):
        pass
    assert (tmp_path / "there").read_bytes() == b"old"


def test_half_a_gzip_file_is_wrong_input(tmp_path):
    """Said with its name."""
    path = tmp_path / "half.gz"
    path.write_bytes(gzip.compress(b"text" * 100)[:-12])
    with pytest.raises(InputError, match="half.gz: is not a whole gzip file"), open_to_read(path) as content:
        content.read()
