"""Tests of figure 4 of gu2023."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.figure4 import DEFENDED, FIGURE4


def test_every_defence_meets_every_adversary() -> None:
    """Only pooled rows have no static one."""
    cells = unfold(FIGURE4, "quick")
    assert len(cells) == 3 * len(DEFENDED) - 1
    pooled = [cell for cell in cells if cell.values["defence"] == "pooling"]
    assert {cell.values["adversary"] for cell in pooled} == {"adaptive", "adaptive, asking"}
    assert "parallel-decoder" not in pooled[0].attacks


def test_a_strength_reaches_its_defence() -> None:
    """Masking of 0.7."""
    (cell,) = [
        one
        for one in unfold(FIGURE4, "quick")
        if dict(one.values) == {"defence": "masking", "strength": 0.7, "adversary": "adaptive"}
    ]
    file = next(iter(cell.files.values()))
    assert [(part.name, dict(part.options)) for part in file.defences] == [("masking", {"share": 0.7})]
    assert file.adversary.knows_defence
