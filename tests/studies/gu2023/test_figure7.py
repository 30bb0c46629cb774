"""Tests of figure 7 of gu2023."""

from __future__ import annotations

from divulge.studies.gu2023.figure7 import FIGURE7, KEPT


def test_kept_words_are_another_reading_of_the_same_guesses() -> None:
    """No cell of its own for any of them."""
    told = FIGURE7.readings["kept"]
    assert {int(kept): dict(one["count"]) for kept, one in told.items()} == {kept: {"kept": kept} for kept in KEPT}
