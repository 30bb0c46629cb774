"""n-grams, their places in a table, and words made of them: gensim is the oracle."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from divulge.targets.vectors.subwords import Subwords, ngram_places, ngrams

WORDS = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def test_ngrams_of_a_word() -> None:
    """All of three to four characters; a character counts once however many bytes it has."""
    assert ngrams("go", 3, 4) == ["<go", "<go>", "go>"]
    assert ngrams("né", 2, 2) == ["<n", "né", "é>"]
    assert ngrams("a", 1, 2) == ["<a", "a", "a>"]  # not "<" and ">"
    assert ngrams("", 3, 6) == []


@given(WORDS, st.integers(1, 4), st.integers(0, 4), st.sampled_from([1, 7, 5000, 2_000_000]))
@settings(max_examples=200, deadline=None)
def test_places_are_those_of_gensim(word: str, shortest: int, more: int, places: int) -> None:
    """Also for letters beyond ASCII, whose bytes count as negative."""
    oracle = pytest.importorskip("gensim.models.fasttext")
    expected = oracle.ft_ngram_hashes(word, shortest, shortest + more, places)
    assert ngram_places(word, shortest, shortest + more, places) == expected


def test_a_place_worked_by_hand() -> None:
    """FNV-1a of "a" is 0xe40c292c, a published test value; with one character, "<" and ">" are left out."""
    assert ngram_places("a", 1, 1, 2**32) == [0xE40C292C]


def test_a_word_is_the_mean_of_its_ngrams() -> None:
    """In a table of one place every n-gram has the same vector; without n-grams there is none."""
    one = Subwords(np.array([[2.0, -1.0]], dtype=np.float32), 3, 6)
    found = one.of("jazz")
    assert found is not None
    assert found.tolist() == [2.0, -1.0]
    table = np.arange(20, dtype=np.float32).reshape(10, 2)
    places = ngram_places("go", 3, 6, 10)
    assert len(places) == 3
    by_hand = sum(table[place] for place in places) / 3
    assert np.allclose(Subwords(table, 3, 6).of("go"), by_hand)
    assert one.of("") is None
    assert Subwords(np.empty((0, 2), dtype=np.float32), 3, 6).of("go") is None


def test_half_a_character_pair_has_a_place() -> None:
    """A lone surrogate has no UTF-8 spelling, and yet a word with one has a vector."""
    assert ngram_places("\ud800x", 3, 6, 100)
