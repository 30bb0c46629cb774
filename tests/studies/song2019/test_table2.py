"""Table 2."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.planning import plan_study
from divulge.studies.song2019.table2 import SIZES, TABLE2, TWO


def test_sizes_are_the_ten_of_the_appendix() -> None:
    """64, 96 … 352."""
    assert (len(SIZES), SIZES[0], SIZES[-1]) == (10, 64, 352)


def test_other_shadows_are_of_another_kind_and_as_many_as_the_same() -> None:
    """GRU, momentum SGD at 0.01 and 0.9, one size each; 50 epochs at scale paper."""
    for scale, epochs, sizes in (("quick", 30, TWO), ("paper", 50, SIZES)):
        count = len(sizes)
        cells = {(cell.values["task"], cell.values["shadows"]): cell.files[0] for cell in unfold(TABLE2, scale)}
        other = cells["dialog", "other"].adversary.background
        assert other.target is not None
        told = dict(other.target.recipe)
        assert (told["cell"], told["optimizer"], told["learning_rate"], told["momentum"]) == ("gru", "sgd", 0.01, 0.9)
        assert (told["epochs"], told["attention"]) == (epochs, False)
        assert [dict(one)["hidden"] for one in other.recipes] == list(sizes)
        same = cells["dialog", "same"].adversary.background
        assert (same.target, same.shadows, other.shadows) == (None, count, count)


def test_shadows_of_several_sizes_are_trained() -> None:
    """At scale smoke two of 12 and 20 units, beside two like the target."""
    practised = [task for task in plan_study(TABLE2, "smoke").plan.graph if task.kind == "train-practice"]
    sizes = sorted(
        (task.payload["target"]["recipe"]["cell"], task.payload["target"]["recipe"]["hidden"]) for task in practised
    )
    assert sizes == [("gru", 12), ("gru", 20), ("lstm", 16), ("lstm", 16)]
