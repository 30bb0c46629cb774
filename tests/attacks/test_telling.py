"""Tests of the words that tell most: by place, largest gap first, without the words."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks.telling import MOST, telling_words
from divulge.records import Passage, Telling, UserTexts

TEXTS = [Passage(tokens=("a", "b", "c")), Passage(tokens=("d", "e"))]
HINT = UserTexts(examples=tuple(TEXTS))


def logs(*rows):
    """Guesses as the logarithms an attack compares: the first guess is 1."""
    return [np.log(np.array(row, dtype=np.float64)) for row in rows]


def told(expected, found, **more):
    """The telling words of both texts."""
    pieces = [passage.tokens for passage in TEXTS]
    return telling_words(HINT, TEXTS, pieces, logs(*expected), logs(*found), **{"by": "rank", **more})


def test_the_largest_gap_comes_first_and_words_known_worse_are_left_out():
    """Gaps are ratios of guesses: 100 to 1 is more than 1000 to 20, 5 to 50 speaks against use, 6 to 5 for nothing."""
    found = told([(1000, 6, 5), (100, 3)], [(20, 5, 50), (1, 2)])
    assert [(one.text, one.word) for one in found] == [(1, 0), (0, 0), (1, 1)]
    assert (found[0].expected, found[0].found) == (pytest.approx(100), pytest.approx(1))


def test_rare_words_weigh_more_where_the_statistic_weighs_them():
    """With a power of what is expected, 1000 to 20 beats 100 to 1: 3.91 x 6.9 against 4.6 x 4.6."""
    found = told([(1000, 2, 5), (100, 3)], [(20, 2, 50), (1, 2)], rare=1.0)
    assert [(one.text, one.word) for one in found][:2] == [(0, 0), (1, 0)]


def test_places_are_those_among_all_texts():
    """Also where only some were asked about."""
    found = telling_words(HINT, TEXTS[1:], [TEXTS[1].tokens], logs((9, 1)), logs((3, 1)), by="chance")
    assert found == (Telling(text=1, word=0, expected=found[0].expected, found=found[0].found, by="chance"),)


def test_ten_at_most():
    """A page has room for no more."""
    long = Passage(tokens=tuple("abcdefghijkl"))
    hint = UserTexts(examples=(long,))
    found = telling_words(hint, [long], [long.tokens], logs([8] * 12), logs([2] * 12), by="rank")
    assert [one.word for one in found] == list(range(MOST))


def test_pieces_are_put_together_to_words():
    """By chance all pieces of a word count, 4 x 5 = 20; by rank the hardest, 5."""
    text = Passage(tokens=("the", "abdomen"))
    hint, pieces = UserTexts(examples=(text,)), [("the", "ab", "##domen")]
    for by, expected in (("chance", 20), ("rank", 5)):
        (found,) = telling_words(hint, [text], pieces, logs((1, 4, 5)), logs((1, 1, 1)), by=by)
        assert (found.word, found.expected) == (1, pytest.approx(expected))


def test_words_that_cannot_be_told_again_are_left_out():
    """Where a tokenizer cuts over words, no word is named."""
    text = Passage(tokens=("new", "york"))
    assert telling_words(UserTexts(examples=(text,)), [text], [("newyork",)], logs((9,)), logs((1,)), by="rank") == ()


def test_what_a_model_finds_impossible_is_a_large_number():
    """And no infinity, which no JSON can hold."""
    (found,) = telling_words(
        UserTexts(examples=(TEXTS[1],)),
        [TEXTS[1]],
        [TEXTS[1].tokens],
        [np.array([500.0, 0.0])],
        [np.array([0.0, 0.0])],
        by="chance",
    )
    assert np.isfinite(found.expected)
