"""Table 2."""

from divulge.studies.cells import unfold
from divulge.studies.parikh2022.table2 import TABLE2


def test_quick_has_every_printed_cell_with_random_vectors_and_one_with_glove() -> None:
    """Twelve printed cells, each at its R, and one cell of each canary with GloVe."""
    cells = [dict(cell.values) for cell in unfold(TABLE2, "quick")]
    assert len(cells) == 12 + 3
    drawn = {(cell["canary"], cell["n"], cell["R"]) for cell in cells if cell["vectors"] == "random"}
    assert drawn == {(one.cell["canary"], one.cell["n"], one.cell["R"]) for one in TABLE2.published}
    assert {(cell["n"], cell["R"]) for cell in cells if cell["vectors"] == "glove"} == {(4, 500)}
    assert all(set(cell) == {"canary", "n", "R", "vectors"} for cell in cells)


def test_a_cell_is_what_its_values_say() -> None:
    """Length, copies, vectors and the family that is asked for."""
    wanted = {"canary": "call", "n": 10, "R": 500, "vectors": "random"}
    (cell,) = [cell for cell in unfold(TABLE2, "quick") if dict(cell.values) == wanted]
    file = cell.files[3]
    assert file.secrets.patterns["call"].pattern == "call {digit*10}"
    assert (file.secrets.copies, file.secrets.asked) == (500, "call")
    assert file.target.recipe["vectors"] == "random"
