"""Leak against utility as a picture."""

from __future__ import annotations

import re

from tests.report.study_sample import row, study, table
from tests.report.test_study_trade_offs import cell, rows

from divulge.report.study_trade_offs import study_trade_off
from divulge.report.trade_off_svg import FIELD, trade_off_svg


def test_the_picture_tells_all_in_words_too() -> None:
    """A mark for every point, a square for no defence, and the figures in its description."""
    found = study_trade_off(study(), table(*rows()))
    assert found is not None
    drawn = trade_off_svg(found)
    assert drawn.count('<rect class="mark s1"') == 2
    assert drawn.count('<circle class="mark s0"') == 4
    assert "noise 1.0: token_accuracy 0.65 [0.55, 0.75] by theirs, entity_f1 0.8 [0.7, 0.9]" in drawn
    assert "1 none · 2 noise 1.0 · 3 noise 2.0" in drawn


def test_the_leaking_end_is_on_top_whichever_it_is() -> None:
    """Of hdt a small value leaks much and lies in the upper half; a large one in the lower."""
    here = [cell("none", None, "static"), cell("noise", 1.0, "static"), cell("noise", 2.0, "static")]
    made = [row(one, "ours", value) for one, value in zip(here, (0.1, 0.2, 0.8), strict=True)]
    made += [row(one, None, 0.9, metric="slot_f1", arm="utility") for one in here]
    found = study_trade_off(study(), table(*made))
    assert found is not None
    heights = [float(y) for y in re.findall(r'<circle class="mark s0"[^>]*cy="([0-9.]+)"', trade_off_svg(found))]
    middle = 40 + 20 + FIELD / 2
    assert heights[0] < middle < heights[1]


def test_numbers_of_marks_that_lie_together_stand_together() -> None:
    """Three of the same place have one label, in order."""
    here = [cell("none", None, "static"), cell("noise", 1.0, "static"), cell("noise", 2.0, "static")]
    made = [row(one, "ours", 0.5, metric="token_accuracy") for one in here]
    made += [row(one, None, 0.9, metric="slot_f1", arm="utility") for one in here]
    found = study_trade_off(study(), table(*made))
    assert found is not None
    assert ">1, 2, 3</text>" in trade_off_svg(found)
