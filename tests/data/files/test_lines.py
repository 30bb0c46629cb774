"""Lines of text files."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.errors import InputError


def lines_of(path: Path) -> list[tuple[int, str]]:
    """All lines of a sound file."""
    problems = Problems()
    found = list(read_lines(path, problems))
    problems.finish()
    return found


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"a\nb\n", ["a", "b"]),
        (b"a\r\nb", ["a", "b"]),
        (b"\xef\xbb\xbfa\n\n", ["a", ""]),
        ("é\u2028x\x85y\n".encode(), ["é\u2028x\x85y"]),
        (b"a\n\xef\xbb\xbfb\n", ["a", "\ufeffb"]),
        (b"", []),
    ],
)
def test_lines_end_with_lf_or_crlf_only(tmp_path: Path, content: bytes, expected: list[str]) -> None:
    """Ends and a mark at the start are taken off; other separators, and a mark elsewhere, are content."""
    (tmp_path / "a").write_bytes(content)
    assert lines_of(tmp_path / "a") == list(enumerate(expected, 1))


def test_gzip_is_opened_by_its_name(tmp_path: Path) -> None:
    """A .gz file gives the lines inside it."""
    (tmp_path / "a.gz").write_bytes(gzip.compress(b"a\nb\n"))
    assert lines_of(tmp_path / "a.gz") == [(1, "a"), (2, "b")]


def test_a_wrong_byte_is_located(tmp_path: Path) -> None:
    """Latin-1 text gives its line and byte, and the lines after it are still read."""
    (tmp_path / "a").write_bytes(b"ok\ncaf\xe9!\nok\n")
    problems = Problems()
    assert [line for _, line in read_lines(tmp_path / "a", problems)] == ["ok", "caf\ufffd!", "ok"]
    assert problems.found == [f"{tmp_path / 'a'}: line 2: is not UTF-8 text (byte 4 of the line)"]


def test_utf16_is_named(tmp_path: Path) -> None:
    """What a spreadsheet may write is called by its name, once."""
    (tmp_path / "a").write_bytes("text\nx\n".encode("utf-16"))
    problems = Problems()
    assert list(read_lines(tmp_path / "a", problems)) == []
    assert len(problems.found) == 1
    assert "UTF-16" in problems.found[0]


@pytest.mark.parametrize(
    "content", [b"not gzip at all", gzip.compress(b"a\n" * 1000, mtime=0)[:-9], b"\x1f\x8b\x08\x00broken...."]
)
def test_broken_gzip_is_one_message(tmp_path: Path, content: bytes) -> None:
    """A false or truncated gzip file is refused in words."""
    (tmp_path / "a.gz").write_bytes(content)
    with pytest.raises(InputError, match="not a whole gzip file"):
        lines_of(tmp_path / "a.gz")


def test_an_unreadable_file_is_one_message(tmp_path: Path) -> None:
    """A folder in place of a file is refused in words."""
    with pytest.raises(InputError, match="cannot be read"):
        lines_of(tmp_path)


def test_lines_come_one_at_a_time(tmp_path: Path) -> None:
    """The first line is there before a fault further on is met."""
    (tmp_path / "a").write_bytes(b"a\n\xff\n")
    problems = Problems()
    reader = read_lines(tmp_path / "a", problems)
    assert next(reader) == (1, "a")
    assert problems.found == []
