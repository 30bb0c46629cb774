"""Table 5."""

from divulge.studies.cells import unfold
from divulge.studies.parikh2022.table5 import TABLE5


def test_at_scale_quick_rows_of_table_2_and_two_thousand_copies_are_left_out() -> None:
    """And the note says so; ten unknown tokens have few copies too."""
    cells = {(cell.values["canary"], cell.values["n"], cell.values["R"]) for cell in unfold(TABLE5, "quick")}
    printed = {("color", 8), ("pin", 4), ("pin", 6), ("pin", 8), ("call", 8)}
    assert cells == {(canary, n, 1000) for canary, n in printed} | {
        (canary, 10, copies) for canary in ("color", "pin", "call") for copies in (10, 1000)
    }
    assert {cell.values["R"] for cell in unfold(TABLE5, "paper")} == {10, 100, 500, 1000, 2000}
    assert "R = 2000 left out" in TABLE5.scales[1].note


def test_the_best_pin_of_the_paper() -> None:
    """0.5 of four-digit pins at R = 1000."""
    found = {
        one.value
        for one in TABLE5.published
        if one.metric == "accuracy"
        and one.arm == "attack"
        and one.attack == "soft-token"
        and one.cell["canary"] == "pin"
        and one.cell["n"] == 4
        and one.cell["R"] == 1000
    }
    assert found == {0.5}
