"""What our own choices do."""

from divulge.data.patterns import read_sets
from divulge.studies.cells import Cell, unfold
from divulge.studies.parikh2022 import setting
from divulge.studies.parikh2022.choices import ALONE, RECIPE, VECTORS, VOCABULARY
from divulge.studies.parikh2022.table2 import TABLE2


def attacked(cell: Cell) -> str:
    """All that decides what is attacked in a cell: whoever attacks."""
    return repr(cell.files[0].model_copy(update={"attacks": ()}))


ALL = {attacked(cell) for cell in unfold(TABLE2, "quick")}


def test_together_is_the_cell_of_table_2_and_alone_is_not() -> None:
    """One pin in a model, against one of three canaries."""
    cells = unfold(ALONE, "quick")
    together, alone = (cell.files[0] for cell in cells)
    assert [attacked(cell) in ALL for cell in cells] == [True, False]
    assert list(alone.secrets.families) == ["pin"]
    assert alone.secrets.model_copy(update={"families": together.secrets.families}) == together.secrets


def test_the_print_stands_beside_the_pin_that_is_planted_alone() -> None:
    """Accuracy 0.4 and HDT 0.27 (table 2, n = 4, R = 500): the paper plants one canary in a model."""
    printed = {(one.metric, one.value) for one in ALONE.published if one.attack == "soft-token" and one.arm == "attack"}
    assert printed == {("accuracy", 0.40), ("hdt", 0.27)}
    assert {one.cell["planted"] for one in ALONE.published} == {"alone"}


def test_one_choice_is_changed_at_a_time() -> None:
    """Half and twice the epochs, half and twice the hidden size, and the recipe itself."""
    epochs, hidden = setting.RECIPE["epochs"], setting.RECIPE["hidden"]
    found = {(cell.values["epochs"], cell.values["hidden"]) for cell in unfold(RECIPE, "quick")}
    changed = {(epochs // 2, hidden), (2 * epochs, hidden), (epochs, hidden // 2), (epochs, 2 * hidden)}
    assert found == {(epochs, hidden), *changed}
    shared = [cell for cell in unfold(RECIPE, "quick") if attacked(cell) in ALL]
    assert {(cell.values["epochs"], cell.values["hidden"]) for cell in shared} == {(epochs, hidden)}


def test_vectors_are_shared_with_table_2_where_it_has_them() -> None:
    """Random and GloVe; fastText is new."""
    shared = {cell.values["vectors"] for cell in unfold(VECTORS, "quick") if attacked(cell) in ALL}
    assert shared == {"random", "glove"}


def test_each_length_of_words_has_candidates_far_beyond_the_colors() -> None:
    """All three lengths lie in the same models, and are asked for one at a time."""
    cells = unfold(VOCABULARY, "quick")
    asked = {cell.values["n"]: cell.files[0].secrets.asked for cell in cells}
    assert asked == {1: "words-1", 2: "words-2", 4: "words-4"}
    assert len({repr(cell.files[0].secrets.families) for cell in cells}) == 1
    for n, family in zip(asked, cells[0].files[0].secrets.families.values(), strict=True):
        assert len(read_sets(family["candidates"])["any"]) > 20_000
        assert family["pattern"].endswith("{any}" if n == 1 else f"{{any*{n}}}")
