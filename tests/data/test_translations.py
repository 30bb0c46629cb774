"""Tests of divulge.data.translations."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.data.files.problems import Problems
from divulge.data.translations import read_side_by_side, translated
from divulge.errors import InputError
from divulge.records import Text


def test_lines_are_read_side_by_side(tmp_path: Path) -> None:
    """The first lines of all files first; a file that ends early is told with its number of lines."""
    for name, content in {"a": "1\n2\n", "b": "one\ntwo\n", "c": "un\n"}.items():
        (tmp_path / name).write_text(content)
    problems = Problems()
    assert list(read_side_by_side([tmp_path / "a", tmp_path / "b"], problems)) == [("1", "one"), ("2", "two")]
    problems.finish()
    assert list(read_side_by_side([tmp_path / "a", tmp_path / "c"], problems)) == [("1", "un")]
    with pytest.raises(InputError, match="c: ends after 1 lines"):
        problems.finish()


def test_the_target_sentence_is_what_is_predicted() -> None:
    """The source is the context; a pair is dropped whole if a side is too long or empty."""
    assert list(translated("It is so.", "C'est ainsi.", 4, "ada")) == [
        Text(("c'", "est", "ainsi", "."), context=("it", "is", "so", "."), user="ada")
    ]
    assert list(translated("It is.", "C'est ainsi.", 3)) == []
    assert list(translated("It is so.", "Oui.", 3)) == []
    assert list(translated(" ", "Oui.", 3)) == []
    assert list(translated("Yes.", " ", 3)) == []
