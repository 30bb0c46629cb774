"""Tests of our own study of pooled vectors."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.pooled import POOLED


def test_near_duplicates_are_left_out_of_the_private_part() -> None:
    """The same option for both parts, so that the split is the same."""
    for cell in unfold(POOLED, "quick"):
        file = next(iter(cell.files.values()))
        assert file.adversary.background.corpus is not None
        assert file.data.options["near"] == file.adversary.background.corpus.options["near"] == cell.values["near"]
        assert file.target.recipe["pooling"] == cell.values["pooling"]
