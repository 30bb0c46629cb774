"""Table 1."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.song2019.table1 import TABLE1


def test_three_models_are_probed_and_not_attacked() -> None:
    """The translator attends to its source, the dialog model does not."""
    files = {cell.values["task"]: cell.files[0] for cell in unfold(TABLE1, "quick")}
    assert [file.attacks for file in files.values()] == [()] * 3
    assert files["next-word"].target.kind == "text-generator"
    assert files["translation"].target.recipe.get("attention", True) is True
    assert files["dialog"].target.recipe["attention"] is False
    assert {file.target.recipe["epochs"] for file in files.values()} == {15, 20}
    assert {cell.files[0].target.recipe["epochs"] for cell in unfold(TABLE1, "paper")} == {30}
