"""Pieces read as words again, and where in them words and keywords are."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.pieces import piece_labels, spoken, word_places, words_of

WORD_PIECES = ("[CLS]", "x", "-", "ray", "of", "the", "ab", "##dom", "##en", "[SEP]")


@pytest.mark.parametrize(
    ("pieces", "line"),
    [
        (WORD_PIECES, "x - ray of the abdomen"),
        (("Ġscan", "Ġof", "Ġab", "domen"), "scan of abdomen"),
        (("scan", "Ġof", "Ġab", "domen"), "scan of abdomen"),  # the first word of a byte-pair text has no mark
        (("▁a", "rm", "▁", "leg"), "arm leg"),
        (("plain", "words"), "plain words"),
        ((), ""),
    ],
)
def test_pieces_are_joined_into_a_line(pieces: tuple[str, ...], line: str) -> None:
    """By the marks of word pieces, byte pairs or sentence pieces; words stay words, special pieces are not shown."""
    assert spoken(pieces) == line


def test_words_have_no_case_and_no_punctuation() -> None:
    """Nor underscores."""
    assert words_of(("B-12", "(", "Left", ")", "under_score")) == ["b", "12", "left", "under", "score"]


@pytest.mark.parametrize(
    ("pieces", "places"),
    [
        (WORD_PIECES, [[1], [2], [3], [4], [5], [6, 7, 8]]),
        (("scan", "Ġof", "Ġab", "domen"), [[0], [1], [2, 3]]),
        (("##en", "of"), [[0], [1]]),  # a text that begins within a word
        (("one", "two"), [[0], [1]]),
        (("[CLS]",), []),
    ],
)
def test_pieces_of_one_word_belong_together(pieces: tuple[str, ...], places: list[list[int]]) -> None:
    """In order, special pieces left out."""
    assert word_places(pieces) == places


@pytest.mark.parametrize(
    ("pieces", "keywords", "labels"),
    [
        (WORD_PIECES, ("abdomen",), (0, 0, 0, 0, 0, 0, 1, 1, 1, 0)),
        (WORD_PIECES, ("X-Ray",), (0, 1, 1, 1, 0, 0, 0, 0, 0, 0)),  # the dash between its words is the keyword's too
        (WORD_PIECES, ("x", "ray"), (0, 1, 0, 1, 0, 0, 0, 0, 0, 0)),  # of two keywords it is not
        (WORD_PIECES, ("ab", "domen", "ray the"), (0,) * 10),  # part of a word, or words that stand apart
        (WORD_PIECES, (), (0,) * 10),
        (WORD_PIECES, ("", "-"), (0,) * 10),  # no word to look for
        (("new", "york", "is", "new"), ("New York",), (1, 1, 0, 0)),
        (("arm", "or", "arm"), ("arm",), (1, 0, 1)),  # wherever it stands
        (("arm,", "leg"), ("arm",), (1, 0)),  # a word with a comma on it
        (("scan", "Ġof", "Ġab", "domen"), ("abdomen",), (0, 0, 1, 1)),
        (("▁", "leg", "▁on"), ("leg",), (0, 1, 0)),  # a mark alone is no letter of the word
        (("a", "b", "a", "b", "a"), ("a b a",), (1, 1, 1, 1, 1)),  # also where two places overlap
        ((), ("arm",), ()),
    ],
)
def test_pieces_of_keywords_are_found(
    pieces: tuple[str, ...], keywords: tuple[str, ...], labels: tuple[int, ...]
) -> None:
    """One label for each piece."""
    assert piece_labels(pieces, keywords) == labels


@given(st.lists(st.text("abÄİß-_ ", min_size=1, max_size=4), max_size=8), st.data())
def test_letters_decide_however_words_are_cut(words: list[str], data: st.DataObject) -> None:
    """A word cut into word pieces has the label of the whole in all pieces that hold a letter; one label each."""
    plain = ["".join(word.split()) or "a" for word in words]
    keyword = data.draw(st.sampled_from(plain)) if plain else "a"
    cut = [piece for word in plain for piece in (word[0], *("##" + letter for letter in word[1:]))]
    owners = [number for number, word in enumerate(plain) for _ in word]
    whole, pieces = piece_labels(plain, (keyword,)), piece_labels(cut, (keyword,))
    assert (len(whole), len(pieces)) == (len(plain), len(cut))
    assert all(whole[owner] for owner, label in zip(owners, pieces, strict=True) if label)
    assert [
        any(label for owner, label in zip(owners, pieces, strict=True) if owner == n) for n in range(len(plain))
    ] == [bool(label) for label in whole]
