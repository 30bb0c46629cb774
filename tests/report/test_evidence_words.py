"""Tests of the sentences of the sheet: numbers are right, and nothing is said that was not found."""

from __future__ import annotations

import pytest
from tests.report.people import facts

from divulge.metrics.one_person import Decided
from divulge.outcomes import TellingWord
from divulge.report.evidence_words import (
    answer_words,
    comparable_words,
    does_not_prove,
    telling_sentence,
    would_change,
)


def test_the_answer_counts_people():
    """A p-value of 3 / 100 is 2 of 99 people; one of 1 / 100 is none of them."""
    assert "none of 99 people known to be out stands out as much" in answer_words("member", 0.01, 99, 0.05)
    assert "2 of 99 people known to be out stand out as much." in answer_words("member", 0.03, 99, 0.05)
    assert "29 of 99 people known to be out stand out as much or more" in answer_words("not shown", 0.3, 99, 0.05)
    assert "neither for nor against" in answer_words("inconclusive", None, 99, 0.05)


@pytest.mark.parametrize(
    ("expected", "found", "by", "said"),
    [
        (3401.0, 14.0, "rank", "usually about the 3,400th guess, here the 14th"),
        (21.2, 1.0, "rank", "usually about the 21st guess, here the 1st"),
        (112.0, 2.0, "rank", "usually about the 110th guess, here the 2nd"),
        (1.4, 1.2, "chance", "usually about one chance in 1.4, here one in 1.2"),
        (98765.0, 12.0, "chance", "usually about one chance in 99,000, here one in 12"),
    ],
)
def test_a_word_is_told_by_two_guesses(expected, found, by, said):
    """Rounded, since what is usual is an average."""
    one = TellingWord(text=12, word=3, letters=8, expected=expected, found=found, by=by)
    assert telling_sentence(one) == f"a word of 8 letters, text 12: {said}"
    assert telling_sentence(one, "harpsich") == f"“harpsich”, text 12: {said}"


@pytest.mark.parametrize(("words", "said"), [(399, "as little"), (1601, "as much"), (400, ""), (1600, "")])
def test_somebody_who_wrote_more_or_less_than_all_others_is_told_of(words, said):
    """The edges are inside."""
    text = comparable_words(words, (400, 850, 1600))
    assert ("caution" in text) == bool(said)
    assert said in text
    changes = list(would_change(Decided("not shown"), facts(words), 99, 0.05))
    assert ("People known to be out who wrote about as many words as the person." in changes) == bool(said)


def test_what_would_change_it_depends_on_what_was_found():
    """For a member chance and likeness; else more texts, more people; and what was missing comes first."""
    member = list(would_change(Decided("member"), facts(), 99, 0.05))
    assert any("about 5 or fewer would get such an answer" in line for line in member)
    few = list(would_change(Decided("inconclusive", ("too few known out",)), facts(), 9, 0.05))
    assert few[0].startswith("19 people known to be out or more")
    assert any("the smallest p-value is now 0.1" in line for line in few)
    blind = list(would_change(Decided("inconclusive", ("blind",)), facts(), 99, 0.05))
    assert "more like the person" in blind[0]


def test_limits_are_always_told():
    """Not shown is no proof of the opposite; shown says nothing of who did it."""
    assert any("legal ground" in line for line in does_not_prove("member"))
    assert any("not used" in line for line in does_not_prove("not shown"))
    assert list(does_not_prove("inconclusive")) == list(does_not_prove("not shown"))
