"""Table 5."""

from divulge.studies.cells import unfold
from divulge.studies.parikh2022.table5 import TABLE5


def test_two_thousand_copies_are_left_out_at_scale_quick() -> None:
    """And the note says so."""
    assert {cell.values["R"] for cell in unfold(TABLE5, "quick")} == {10, 100, 1000}
    assert {cell.values["R"] for cell in unfold(TABLE5, "paper")} == {10, 100, 500, 1000, 2000}
    assert len(unfold(TABLE5, "quick")) == 11
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
