"""Tests of divulge.data.exchanges."""

from __future__ import annotations

import pytest

from divulge.data.exchanges import answered
from divulge.records import Text


def test_the_answer_is_what_is_predicted() -> None:
    """The words nearest to each other are kept: the end of the question, the beginning of the answer."""
    assert list(answered("Well, did you?", "I did so.", 2, "ada")) == [
        Text(("i", "did"), context=("you", "?"), user="ada")
    ]


@pytest.mark.parametrize(("before", "answer"), [("", "Yes"), ("Yes", " "), ("don\ufffdt", "why"), ("why", "\ufffd")])
def test_what_is_empty_or_damaged_is_dropped(before: str, answer: str) -> None:
    """An exchange needs both sides whole."""
    assert list(answered(before, answer, 5)) == []
