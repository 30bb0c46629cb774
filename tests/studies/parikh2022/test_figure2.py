"""Figure 2."""

from divulge.studies.cells import unfold
from divulge.studies.parikh2022.figure2 import FIGURE2


def test_copies_are_the_axis_and_nothing_is_printed() -> None:
    """Six unknown tokens; the print is a picture."""
    cells = [cell.values for cell in unfold(FIGURE2, "quick")]
    assert {cell["R"] for cell in cells} == {1, 100, 1000}
    assert {cell["n"] for cell in cells} == {6}
    assert FIGURE2.published == ()
