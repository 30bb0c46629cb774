"""What an obfuscation leaves as it was."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.auditing.rewording import what_is_kept
from divulge.records import Member, Passage, Secret, UserTexts


def person(number: int, *texts: str) -> Secret:
    """Somebody with texts."""
    examples = tuple(Passage(tokens=tuple(text.split())) for text in texts)
    return Secret(id=str(number), hint=UserTexts(examples=examples), answer=Member(used=True))


def test_words_that_stay_in_their_place_are_counted() -> None:
    """First person 1 of 3 and 2 of 2 words, second 0 of 2: 3 of 7; whole texts 1 of 3; a shift is a change."""
    written = [person(1, "a b c", "d e"), person(2, "f g")]
    asked = [person(1, "a c b x", "d e"), person(2, "x f g")]
    words, texts = what_is_kept(written, asked, np.random.default_rng(0))
    assert (words.metric, texts.metric, words.arm) == ("kept_words", "kept_texts", "utility")
    assert words.value == pytest.approx(3 / 7)
    assert texts.value == pytest.approx(1 / 3)
    assert words.n == texts.n == 2
    assert words.low is not None
    assert words.low <= 3 / 7


def test_texts_that_nobody_touched_are_whole() -> None:
    """All of both."""
    same = [person(number, "a b", "c") for number in range(3)]
    assert [one.value for one in what_is_kept(same, same, np.random.default_rng(0))] == [1.0, 1.0]
