"""Tests of figures 3 and 6 of gu2023."""

from __future__ import annotations

from divulge.studies.cells import unfold
from divulge.studies.gu2023.keyword_figures import FIGURE3, FIGURE6, IN_BOTH, MOST_FREQUENT


def test_each_keyword_is_another_reading_of_the_same_guesses() -> None:
    """Twenty of them, with and without."""
    told = FIGURE3.readings["keyword"]
    assert {word: one["keyword_found"]["only"] for word, one in told.items()} == {
        word: (word,) for words in MOST_FREQUENT.values() for word in words
    }
    assert {one: FIGURE3.readings["among"][one]["keyword_found"]["among"] for one in ("with", "without")} == {
        "with": "with",
        "without": "without",
    }


def test_binary_classifiers_are_made_for_the_keywords_that_are_read() -> None:
    """Those of the private set, whatever is public."""
    for cell in unfold(FIGURE6, "quick"):
        first = next(iter(cell.files.values())).attacks[0]
        assert first.name == "binary-classifiers"
        assert tuple(first.options["words"]) == IN_BOTH[cell.values["data"]]
