"""Table 3."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.elmahdy2022.table3 import TABLE3


def test_cells_are_those_of_the_print() -> None:
    """Repetitions of the canary, with the printed penalty."""
    files = {cell.values["R"]: cell.files[0] for cell in unfold(TABLE3, "quick")}
    assert {copies: file.secrets.copies for copies, file in files.items()} == {100: 100, 50: 50, 25: 25, 10: 10}
    assert {file.attacks[0].options["penalty"] for file in files.values()} == {0.01}
    assert {file.attacks[0].options["beam"] for file in files.values()} == {200}
