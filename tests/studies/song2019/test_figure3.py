"""Figure 3."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.song2019.figure3 import FIGURE3


def test_both_attacks_ask_as_often_about_the_same_selection() -> None:
    """The blind baseline asks nothing, and has no such options; what ours chooses by itself, the copy cannot."""
    for cell in unfold(FIGURE3, "quick"):
        *asking, blind = cell.files[0].attacks
        own = cell.values["selection"] == "surprising"
        assert [one.name for one in asking] == ["rank-histogram", "calibrated-ratio"][own:]
        assert {one.options["max_texts"] for one in asking} == {cell.values["queries"]}
        assert {one.options["selection"] for one in asking} == {cell.values["selection"]}
        assert dict(blind.options) == {}


def test_all_texts_are_asked_about_once() -> None:
    """Where all may be, nothing is chosen."""
    whole = [cell.values for cell in unfold(FIGURE3, "quick") if cell.values["queries"] is None]
    assert [values["selection"] for values in whole] == ["random"] * 3
