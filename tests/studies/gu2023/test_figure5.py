"""Tests of figure 5 of gu2023."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.figure5 import FIGURE5, SIZES


def test_the_size_is_that_of_the_private_set() -> None:
    """Each size in both settings."""
    found = [(cell.values["size"], next(iter(cell.files.values())).secrets.count) for cell in unfold(FIGURE5, "quick")]
    assert sorted(found) == sorted((size, size) for size in SIZES for _ in range(2))
