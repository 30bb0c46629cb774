"""What our own choices do."""

from divulge.studies.cells import unfold
from divulge.studies.parikh2022 import setting
from divulge.studies.parikh2022.choices import ALONE, RECIPE, VECTORS
from divulge.studies.parikh2022.table2 import TABLE2

ALL = {repr(cell.files[0]) for cell in unfold(TABLE2, "quick")}


def test_together_is_the_cell_of_table_2_and_alone_is_not() -> None:
    """One pin in a model, against one of three canaries."""
    together, alone = (cell.files[0] for cell in unfold(ALONE, "quick"))
    assert repr(together) in ALL
    assert list(alone.secrets.families) == ["pin"]
    assert alone.secrets.model_copy(update={"families": together.secrets.families}) == together.secrets


def test_one_choice_is_changed_at_a_time() -> None:
    """Half and twice the epochs, half and twice the hidden size, and the recipe itself."""
    epochs, hidden = setting.RECIPE["epochs"], setting.RECIPE["hidden"]
    found = {(cell.values["epochs"], cell.values["hidden"]) for cell in unfold(RECIPE, "quick")}
    changed = {(epochs // 2, hidden), (2 * epochs, hidden), (epochs, hidden // 2), (epochs, 2 * hidden)}
    assert found == {(epochs, hidden), *changed}
    shared = [cell for cell in unfold(RECIPE, "quick") if repr(cell.files[0]) in ALL]
    assert {(cell.values["epochs"], cell.values["hidden"]) for cell in shared} == {(epochs, hidden)}


def test_vectors_are_shared_with_table_2_where_it_has_them() -> None:
    """Random and GloVe; fastText is new."""
    shared = {cell.values["vectors"] for cell in unfold(VECTORS, "quick") if repr(cell.files[0]) in ALL}
    assert shared == {"random", "glove"}
