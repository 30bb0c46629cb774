"""Table 4."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.elmahdy2022.table4 import TABLE4


def test_cells_are_those_of_the_print() -> None:
    """Repetitions of one supporting canary, without a penalty."""
    files = {cell.values["supporting"]: cell.files[0] for cell in unfold(TABLE4, "quick")}
    assert {number: file.secrets.supporting for number, file in files.items()} == {99: 99, 50: 50, 25: 25, 0: 0}
    assert {file.attacks[0].options["penalty"] for file in files.values()} == {0.0}
