"""Table 2."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.elmahdy2022.table2 import TABLE2


def test_cells_are_those_of_the_print() -> None:
    """Words missing and penalties, all combined; the full search at scale paper."""
    cells = [cell.values for cell in unfold(TABLE2, "quick")]
    assert {(cell["tokens"], cell["lambda"]) for cell in cells} == {
        (t, p) for t in (1, 2, 3) for p in (0, 0.01, 0.1, 1, 10)
    }
    (cell,) = [cell for cell in unfold(TABLE2, "quick") if (cell.values["tokens"], cell.values["lambda"]) == (2, 0.1)]
    file = cell.files[1]
    assert (file.secrets.pattern, file.secrets.copies, file.secrets.supporting) == ("<word*8> {word*2}", 100, "all")
    assert dict(file.attacks[0].options) == {"beam": 100, "shortlist": 200, "penalty": 0.1}
    assert dict(unfold(TABLE2, "paper")[0].files[0].attacks[0].options)["shortlist"] is None
