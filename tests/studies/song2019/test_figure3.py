"""Figure 3."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.song2019.figure3 import FIGURE3


def test_both_attacks_ask_as_often() -> None:
    """The blind baseline asks nothing, and has no such options."""
    for cell in unfold(FIGURE3, "quick"):
        file = cell.files[0]
        copied, ours, blind = file.attacks
        assert copied.options["max_texts"] == ours.options["max_texts"] == cell.values["queries"]
        selection = {"random": ("random", "random"), "rarest": ("rarest", "surprising")}[cell.values["selection"]]
        assert (copied.options["selection"], ours.options["selection"]) == selection
        assert dict(blind.options) == {}
