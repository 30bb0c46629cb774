"""CoNLL files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from divulge.data.files.conll import read_conll
from divulge.data.files.problems import Problems
from divulge.records import Text

CELLS = st.text(st.sampled_from("abXé-#"), min_size=1)
SENTENCES = st.lists(st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1), min_size=1)


def read(path: Path, content: str, **options: Any) -> tuple[list[Text], list[str]]:
    """The sentences and the faults of a file, without its path."""
    path.write_text(content, encoding="utf-8", newline="")
    problems = Problems()
    chosen = {"token_column": 1, "tag_column": -1, "comment": None, "lower": False, **options}
    texts = list(read_conll(path, "train", problems=problems, **chosen))
    return texts, [problem.removeprefix(f"{path}: ") for problem in problems.found]


@given(SENTENCES, st.sampled_from([" ", "\t", "   "]), st.sampled_from(["\n", "\r\n"]))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_columns_are_read_back(tmp_path: Path, sentences: list[list[tuple[str, str, str]]], gap: str, end: str) -> None:
    """First and last column, and by number the other way round, whatever stands between them."""
    content = (end * 2).join(end.join(gap.join(cells) for cells in sentence) for sentence in sentences)
    expected = [Text(tokens=tuple(c[0] for c in s), tags=tuple(c[2] for c in s)) for s in sentences]
    assert read(tmp_path / "a", content) == (expected, [])
    swapped = [Text(tokens=tuple(c[2] for c in s), tags=tuple(c[1] for c in s)) for s in sentences]
    assert read(tmp_path / "a", content + end, token_column=3, tag_column=-2) == (swapped, [])


def test_document_starts_and_blank_lines_are_no_sentences(tmp_path: Path) -> None:
    """A document start ends a sentence, and several blank lines are one; lower case is for tokens."""
    content = "-DOCSTART- -X- O\n\n\nAda NN B-PER\n-DOCSTART- -X- O\nhi UH O\n\t\n \nyo UH O"
    texts, problems = read(tmp_path / "a", content, lower=True)
    assert texts == [
        Text(tokens=("ada",), tags=("B-PER",)),
        Text(tokens=("hi",), tags=("O",)),
        Text(tokens=("yo",), tags=("O",)),
    ]
    assert problems == []


def test_comments_are_skipped_where_asked(tmp_path: Path) -> None:
    """A comment inside or before a sentence does not end it; unasked, its odd width is a fault."""
    content = "# id = 1\na O\n# note\nb O\n"
    assert read(tmp_path / "a", content, comment="#") == ([Text(tokens=("a", "b"), tags=("O", "O"))], [])
    _, problems = read(tmp_path / "a", "a O\n# id = 1\n")
    assert problems == ["line 2: has 4 columns, but the first token has 2"]


@pytest.mark.parametrize(
    ("content", "options", "reason"),
    [
        ("a O\nhush\n", {}, "line 2: has 1 columns, but the first token has 2"),
        ("hush\n", {}, "line 1: has 1 columns; token_column 1 and tag_column -1 do not name two of them"),
        (
            "hush O\n",
            {"tag_column": 3},
            "line 1: has 2 columns; token_column 1 and tag_column 3 do not name two of them",
        ),
        (
            "hush O\n",
            {"tag_column": 1},
            "line 1: has 2 columns; token_column 1 and tag_column 1 do not name two of them",
        ),
        ("hush it\tO\n", {}, "line 1: has a token or tag that is empty or holds white space"),
        ("a\tO\tO\nhush\t\tO\n", {"tag_column": 2}, "line 2: has a token or tag that is empty or holds white space"),
    ],
)
def test_faulty_lines_are_located(tmp_path: Path, content: str, options: dict[str, Any], reason: str) -> None:
    """Missing columns and empty cells give line and reason, and no content."""
    _, problems = read(tmp_path / "a", content, **options)
    assert problems == [reason]
