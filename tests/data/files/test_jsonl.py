"""JSON lines."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from divulge.data.files.jsonl import read_jsonl
from divulge.data.files.problems import Problems
from divulge.records import Text

WORDS = st.text(st.characters(exclude_categories=("Cs", "Z", "Cc")), min_size=1).filter(
    lambda word: word.split() == [word]
)


def read(path: Path, content: str, columns: Mapping[str, str] | None = None) -> tuple[list[Text], list[str]]:
    """The texts and the faults of a file, without its path."""
    path.write_text(content, encoding="utf-8", newline="")
    problems = Problems()
    texts = list(read_jsonl(path, columns or {}, "train", lower=False, problems=problems))
    return texts, [problem.removeprefix(f"{path}: ") for problem in problems.found]


@given(st.lists(st.tuples(st.lists(WORDS, min_size=1), WORDS, WORDS), min_size=1))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_what_json_writes_is_read_back(tmp_path: Path, rows: list[tuple[list[str], str, str]]) -> None:
    """Any words, whether as text or as a list, come back as they were."""
    content = "".join(json.dumps({"text": " ".join(w), "label": n, "user": u}) + "\n" for w, n, u in rows)
    listed = "".join(json.dumps({"text": w, "label": n, "user": u}, ensure_ascii=False) + "\r\n" for w, n, u in rows)
    expected = [Text(tokens=tuple(w), label=n, user=u) for w, n, u in rows]
    assert read(tmp_path / "a.jsonl", content) == (expected, [])
    assert read(tmp_path / "a.jsonl", listed) == (expected, [])


def test_columns_are_renamed(tmp_path: Path) -> None:
    """Named columns are read, others and blank lines passed over."""
    content = '\n{"body": "a b", "id": 1}\n\n{"body": "c", "extra": []}\n'
    assert read(tmp_path / "a", content, {"text": "body"}) == ([Text(tokens=("a", "b")), Text(tokens=("c",))], [])


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"text": "hush', "is not JSON: Unterminated string starting at (column 10)"),
        ('["hush"]', 'is not a JSON object like {"text": "..."}'),
        ('{"text": "hush"} {}', "is not JSON: Extra data (column 18)"),
        ('{"text": "hush", "text": "a"}', "names a key twice"),
        (
            '{"text": "a", "x": ' + "9" * 5000 + "}",
            "is not JSON that can be read: a number too long, or nested too deeply",
        ),
        ("[" * 100_000, "is not JSON that can be read: a number too long, or nested too deeply"),
        ('{"text": "hush \\ud800"}', "column 'text' holds half of a surrogate pair"),
    ],
)
def test_a_faulty_line_is_located_and_the_rest_read(tmp_path: Path, line: str, reason: str) -> None:
    """The fault has the right line number and none of the line's words; the lines around it are read."""
    texts, problems = read(tmp_path / "a", f'{{"text": "a"}}\n\n{line}\n{{"text": "b"}}\n')
    assert [text.tokens for text in texts] == [("a",), ("b",)]
    assert problems == [f"line 3: {reason}"]
    assert "hush" not in problems[0]


def test_a_missing_column_is_told_once(tmp_path: Path) -> None:
    """A wrong name would fail on every row, so it is told on the first."""
    texts, problems = read(tmp_path / "a", '{"txt": "a"}\n{"txt": "b"}\n')
    assert texts == []
    assert len(problems) == 1
    assert problems[0].startswith("line 1: there is no column 'text' for text. Did you mean 'txt'?")
