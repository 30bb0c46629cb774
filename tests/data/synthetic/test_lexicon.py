"""The words."""

from __future__ import annotations

import doctest
import re

import pytest

from divulge.data.synthetic import lexicon
from divulge.data.synthetic.lexicon import COLOURS, DIGITS, FIELDS, FIRST_NAMES, PLACES, SURNAMES

LISTS = {
    "digits": DIGITS,
    "colours": COLOURS,
    "first names": FIRST_NAMES,
    "surnames": SURNAMES,
    "places": PLACES,
    **{
        f"{name} {kind}": getattr(field, kind)
        for name, field in FIELDS.items()
        for kind in ("nouns", "verbs", "adjectives")
    },
}


@pytest.mark.parametrize("name", LISTS)
def test_words_are_lower_case_and_differ(name: str) -> None:
    """Each list has single lower-case words, each once."""
    assert all(re.fullmatch("[a-z]+", word) for word in LISTS[name])
    assert len(set(LISTS[name])) == len(LISTS[name])


def test_fields_are_of_one_size() -> None:
    """No field of meaning is richer than another, so that its size gives nothing away."""
    assert {(len(f.nouns), len(f.verbs), len(f.adjectives)) for f in FIELDS.values()} == {(14, 6, 6)}


def test_examples_in_docstrings() -> None:
    """The examples do what they say."""
    assert doctest.testmod(lexicon).failed == 0
