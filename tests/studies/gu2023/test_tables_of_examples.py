"""Tests of tables 3 and 4 of gu2023."""

from __future__ import annotations

from divulge.studies.gu2023.tables_of_examples import TABLE3, TABLE4


def test_one_shows_alike_sentences_and_the_other_random_ones() -> None:
    """Both of the paper's decoder and of ours."""
    assert TABLE3.examples is not None
    assert TABLE4.examples is not None
    assert (TABLE3.examples.above, TABLE4.examples.above) == (0.5, None)
    assert set(TABLE3.examples.attacks) == {"decoder-pretrained", "parallel-decoder"}
