"""Tests of divulge.data.raw_words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.raw_words import pieces, words_in


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Don't STOP, it's me!", ["don't", "stop", ",", "it's", "me", "!"]),
        ("so... what?!?!!!", ["so", ".", "what", "?", "!", "?", "!"]),
        ("It’s “here”", ["it's", '"', "here", '"']),
        ("$1,000.50 on the 3rd, 7.", ["$", "1,000.50", "on", "the", "3rd", ",", "7", "."]),
        ("L’affaire d'Eva, jusqu'ici aujourd'hui qu'elle", [
            "l'", "affaire", "d'", "eva", ",", "jusqu'", "ici", "aujourd'hui", "qu'", "elle",
        ]),
        ("peut-être créée -- the dogs' snake_case ___", [
            "peut-être", "créée", "-", "the", "dogs", "'", "snake", "_", "case", "___",
        ]),
        (" \t\n", []),
    ],
)  # fmt: skip
def test_words_are_lowered_and_marks_stand_alone(text: str, words: list[str]) -> None:
    """Contractions and compounds stay whole, French elisions do not; a run of a mark is one."""
    assert list(words_in(text)) == words


@given(st.text())
def test_nothing_but_blanks_is_empty(text: str) -> None:
    """A text that has more than white space has words, none of which is empty or holds white space."""
    words = words_in(text)
    assert bool(words) == bool(text.strip())
    assert all(word.split() == [word] for word in words)


def test_pieces_hold_all_words_but_a_short_rest() -> None:
    """Seven words in threes leave one, which is kept unless it is too short."""
    words = tuple("abcdefg")
    assert list(pieces(words, 3)) == [("a", "b", "c"), ("d", "e", "f"), ("g",)]
    assert list(pieces(words, 3, 2)) == [("a", "b", "c"), ("d", "e", "f")]
    assert list(pieces((), 3)) == []
