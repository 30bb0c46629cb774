"""Figures 5 to 7."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.song2019.memorisation import FIGURE5, FIGURE6, FIGURE7
from divulge.studies.song2019.table1 import TABLE1


def test_models_are_those_of_table_1_but_for_dropout_where_units_are_ablated() -> None:
    """Figures 5 and 6 look at the same models; dropout would itself ablate units in training."""
    trained = {cell.values["task"]: cell.files[0].target for cell in unfold(TABLE1, "quick")}
    for figure in (FIGURE5, FIGURE6):
        assert {cell.values["task"]: cell.files[0].target for cell in unfold(figure, "quick")} == trained
    for scale in ("quick", "paper"):
        assert {cell.files[0].target.recipe["dropout"] for cell in unfold(FIGURE7, scale)} == {0.0}
    assert [cell.values["task"] for cell in unfold(FIGURE7, "quick")] == ["next-word", "translation"]
