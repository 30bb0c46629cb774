"""Faults, gathered."""

from __future__ import annotations

from pathlib import Path

import pytest

from divulge.data.files.problems import Problems
from divulge.errors import InputError


def test_nothing_noted_nothing_raised() -> None:
    """A sound file ends quietly."""
    Problems().finish()


def test_all_that_was_noted_is_raised() -> None:
    """The error holds every fault with file, line and reason."""
    problems = Problems()
    problems.add(Path("a.csv"), 3, "is odd")
    problems.add(Path("a.csv"), None, "is empty")
    with pytest.raises(InputError) as caught:
        problems.finish()
    assert caught.value.problems == ("a.csv: line 3: is odd", "a.csv: is empty")


def test_a_fault_of_many_rows_is_told_once() -> None:
    """With its first row and how many more; up to five rows of one file are told one by one, in order."""
    problems = Problems()
    for line in range(1, 9):
        problems.add(Path("a.csv"), line, "is even" if line in (3, 5) else "is odd")
    for line in range(5):
        problems.add(Path("b.csv"), line, "is odd" if line != 1 else "is even")
    with pytest.raises(InputError) as caught:
        problems.finish()
    assert caught.value.problems == (
        "a.csv: line 1: is odd (5 more like it)",
        "a.csv: line 3: is even",
        "a.csv: line 5: is even",
        *(f"b.csv: line {line}: is {'even' if line == 1 else 'odd'}" for line in range(5)),
    )


def test_enough_is_enough() -> None:
    """At the limit the error comes at once and says that there may be more."""
    problems = Problems(most=2)
    problems.add(Path("a"), 1, "is odd")
    with pytest.raises(InputError) as caught:
        problems.add(Path("a"), 2, "is odd")
    assert len(caught.value.problems) == 3
    assert "stopped reading after 2 problems" in caught.value.problems[-1]
