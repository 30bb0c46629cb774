"""Table 4."""

from divulge.studies.cells import unfold
from divulge.studies.parikh2022.table4 import TABLE4


def test_five_rows_as_printed() -> None:
    """Three canaries of four tokens, and call of ten and of seven, all trained on once."""
    cells = [(cell.values["canary"], cell.values["n"], cell.values["R"]) for cell in unfold(TABLE4, "quick")]
    assert cells == [("color", 4, 1), ("pin", 4, 1), ("call", 4, 1), ("call", 10, 1), ("call", 7, 1)]


def test_seven_of_ten_digits() -> None:
    """Three digits are known, and tagged as part of the number."""
    cell = unfold(TABLE4, "quick")[-1]
    family = cell.files[0].secrets.patterns
    assert list(family) == ["call"]
    assert family["call"].pattern == "call <digit*3> {digit*7}"


def test_printed_numbers() -> None:
    """Table 4 prints the chance of a color canary with one digit less than table 2."""
    found = {
        (one.cell["canary"], one.cell["n"], one.metric, one.arm): one.value
        for one in TABLE4.published
        if one.attack == "soft-token"
    }
    assert found["color", 4, "accuracy", "attack"] == 0.33
    assert found["color", 4, "accuracy", "baseline"] == 4.8e-5
    assert found["call", 7, "hdt", "attack"] == 0.70
    assert found["call", 7, "accuracy", "baseline"] == 1e-7
    assert len(found) == 5 * 2 * 2
