"""Tests of people on both sides: by name, and by their texts under another name."""

from __future__ import annotations

import pytest

from divulge.data.both_sides import doubles, must_be_parted
from divulge.errors import InputError
from divulge.records import Text


def texts(user, *rows):
    """What somebody wrote."""
    return [Text(tuple(row.split()), user=user) for row in rows]


LONG = ("one two three four", "five six seven eight", "nine ten eleven twelve", "and so it goes on")


def test_half_of_the_texts_make_a_double():
    """Half of the person's, or half of the other's and more than one; what everybody says is no sign."""
    own = texts("a", *LONG, "thank you")
    assert doubles(own, texts("b", *LONG[:2], *(f"other words of number {n}" for n in range(9)))) == ["b"]
    assert doubles(own, texts("c", LONG[0], "something else entirely here")) == []
    assert doubles(texts("a", *LONG, *(f"more words of number {n}" for n in range(9))), texts("d", *LONG[:2])) == ["d"]
    assert doubles(own, texts("e", "thank you")) == []
    assert doubles(texts("a", "thank you"), texts("e", "thank you")) == ["e"]


def test_people_on_one_side_pass():
    """Others who share a phrase are others."""
    inside = {"a": texts("a", *LONG), "b": texts("b", "all else is of mine", "ok")}
    must_be_parted("data", inside, {"c": texts("c", LONG[0], "words of my own here", "and some more")}, "later")


def test_the_same_name_on_both_sides_is_refused():
    """With the number of people and what to do, and no name."""
    inside = {"a": texts("a", *LONG), "b": texts("b", "all else")}
    with pytest.raises(InputError, match=r"^data: 1 users stand on both sides: .* in 'train' and in the split 'later'"):
        must_be_parted("data", inside, {"a": texts("a", "quite other words of mine")}, "later")


def test_another_name_for_the_same_texts_is_refused():
    """Copies are found by their texts."""
    with pytest.raises(InputError, match="2 users stand on both sides: .* share half of their texts or more"):
        must_be_parted(
            "data", {"a": texts("a", *LONG)}, {"b": texts("b", *LONG), "c": texts("c", *LONG[1:]), "d": []}, "later"
        )
