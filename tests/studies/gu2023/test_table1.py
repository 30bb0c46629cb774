"""Tests of table 1 of gu2023."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.table1 import TABLE1


def test_all_attacks_stand_in_all_cells_of_the_print() -> None:
    """Four sets, two settings, two encoders, eight attacks; every printed number has its cell."""
    cells = unfold(TABLE1, "quick")
    assert len(cells) == 16
    assert {len(cell.attacks) for cell in cells} == {8}
    values = [dict(cell.values) for cell in cells]
    assert all(dict(one.cell) in values for one in TABLE1.published)
