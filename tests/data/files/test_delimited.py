"""CSV and its kin."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from divulge.data.files.delimited import read_delimited, read_named
from divulge.data.files.problems import Problems
from divulge.records import Text

CELLS = st.text(st.sampled_from('ab,;"\n\t é'), min_size=1).filter(lambda cell: bool(cell.split()))


def read(
    path: Path, content: str, columns: Mapping[str, str] | None = None, delimiter: str = ","
) -> tuple[list[Text], list[str]]:
    """The texts and the faults of a file, without its path."""
    path.write_text(content, encoding="utf-8", newline="")
    problems = Problems()
    texts = list(read_delimited(path, columns or {}, "train", delimiter=delimiter, lower=False, problems=problems))
    return texts, [problem.removeprefix(f"{path}: ") for problem in problems.found]


@given(
    st.lists(st.tuples(CELLS, CELLS), min_size=1), st.sampled_from([",", ";", "\t"]), st.sampled_from(["\n", "\r\n"])
)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_csv_writes_is_read_back(tmp_path: Path, rows: list[tuple[str, str]], delimiter: str, end: str) -> None:
    """Quotes, delimiters and line ends inside fields survive."""
    out = io.StringIO(newline="")
    writer = csv.writer(out, delimiter=delimiter, lineterminator=end)
    writer.writerows([("text", "user"), *rows])
    expected = [Text(tokens=tuple(text.split()), user=user.strip()) for text, user in rows]
    assert read(tmp_path / "a", out.getvalue(), delimiter=delimiter) == (expected, [])


def test_a_mark_and_spaces_around_names_do_not_matter(tmp_path: Path) -> None:
    """A file from a spreadsheet, with its byte order mark, is read."""
    content = "\ufefftext, label\r\nhello there,x\r\n\r\n"
    assert read(tmp_path / "a", content) == ([Text(tokens=("hello", "there"), label="x")], [])


def test_lines_are_those_where_rows_start(tmp_path: Path) -> None:
    """After a field of three lines the next row's fault is on line 5, and blank lines count."""
    content = 'text,label\n"a\nb\nc",x\nhush\n\nhush,x,y\nd,\n'
    texts, problems = read(tmp_path / "a", content)
    assert [text.tokens for text in texts] == [("a", "b", "c")]
    assert problems[0] == "line 5: has 1 fields, but the header has 2"
    assert problems[1] == "line 7: has 3 fields, but the header has 2"
    assert problems[2].startswith("line 8: column 'label' is empty")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ('text\nok\n"hush\nmore\n', "line 3: is not CSV: a quote is opened and never closed"),
        ('text\nok\n"hush" x\n', "line 3: is not CSV: ',' expected after '\"'"),
        ("text\nok\nhush\rmore\n", "line 3: is not CSV: a lone carriage return"),
        ("text,a,b,a\nhush,1,2,3\n", "line 1: the header: columns 2 and 4 have the same name"),
        ("txet\nhush\n", "line 1: the header: there is no column 'text' for text. Did you mean 'txet'?"),
    ],
)
def test_a_broken_file_is_located(tmp_path: Path, content: str, reason: str) -> None:
    """Broken quoting, lone carriage returns and wrong headers give line and reason, and no content."""
    _, problems = read(tmp_path / "a", content)
    assert len(problems) == 1
    assert problems[0].startswith(reason)
    assert "hush" not in problems[0]


def test_an_empty_file_has_no_texts(tmp_path: Path) -> None:
    """Neither an empty file nor a header alone is a fault here; who asked for texts notices."""
    assert read(tmp_path / "a", "") == ([], [])
    assert read(tmp_path / "a", "text\n") == ([], [])


def test_named_columns_are_read_in_the_order_asked_for(tmp_path: Path) -> None:
    """Rows of another width and absent columns are problems; the rest is read."""
    path = tmp_path / "a.csv"
    path.write_text('a,b,c\n1,"2\n2",3\n4,5\n6,7,8\n')
    problems = Problems()
    assert list(read_named(path, ("c", "b"), problems)) == [("3", "2\n2"), ("8", "7")]
    assert problems.found == [f"{path}: line 4: has 2 fields, but the header has 3"]
    problems = Problems()
    assert list(read_named(path, ("a", "x", "y"), problems)) == []
    assert problems.found == [f"{path}: line 1: the header has no column x, y"]
    path.write_text("")
    problems = Problems()
    assert list(read_named(path, ("a",), problems)) == []
    assert problems.found == [f"{path}: line 1: the header has no column a"]
