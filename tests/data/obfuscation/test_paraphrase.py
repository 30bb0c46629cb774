"""Tests of divulge.data.obfuscation.paraphrase."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from divulge.data.corpus import Corpus
from divulge.data.obfuscation.paraphrase import CONTRACTED, REPLACED, SWAPPED, WRITTEN_OUT, Paraphraser, reworded
from divulge.records import Text


class Coins:
    """A generator whose coins all fall the same way, in the order in which they are tossed."""

    def __init__(self, replaced: float, swapped: float) -> None:
        self.falls = [replaced, swapped]

    def random(self, size: int):
        """So many coins, all alike."""
        return np.full(size, self.falls.pop(0))


ALWAYS, NEVER = 0.0, 1.0


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("i don't know", "i do not know"),
        ("we do not know", "we don't know"),
        ("i'm sure it's late", "i am sure it is late"),
        ("it is not late", "it's not late"),  # from left to right, each word once
        ("he can't and won't", "he can not and will not"),
        ("not a word", "not a word"),
        ("we do", "we do"),
    ],
)
def test_contractions_are_written_out_and_made(text, other):
    """Both ways; nothing else changes where no word has a neighbour and nothing is swapped."""
    assert reworded(tuple(text.split()), {}, Coins(NEVER, NEVER)) == tuple(other.split())


def test_contractions_have_one_meaning_each():
    """Written out and made again, each is what it was."""
    assert all(reworded(two, {}, Coins(NEVER, NEVER)) == (one,) for one, two in WRITTEN_OUT.items())
    assert len(CONTRACTED) == len(WRITTEN_OUT)


def test_words_with_a_neighbour_are_replaced_and_no_others():
    """Where every coin says so: "red" by its neighbour, once, and not by the neighbour of that; contractions stay."""
    near = {"red": "blue", "blue": "green", "i've": "we've"}
    text = ("i", "have", "a", "red", "axolotl", "!")
    assert reworded(text, near, Coins(ALWAYS, NEVER)) == ("i've", "a", "blue", "axolotl", "!")
    assert reworded(text, near, Coins(NEVER, NEVER)) == ("i've", "a", "red", "axolotl", "!")


def test_words_side_by_side_are_swapped_but_not_over_a_mark():
    """A word is moved by one place, and only once."""
    text = ("a", "b", "c", "d", "e", ",", "f", "2", "g", "h")
    assert reworded(text, {}, Coins(NEVER, ALWAYS)) == ("b", "a", "d", "c", "e", ",", "f", "2", "h", "g")


def test_half_of_the_words_are_replaced_and_few_swapped():
    """Over 4,000 words: 0.5 replaced (standard deviation 0.008); no more than 0.05 of the places swapped."""
    text = tuple(f"w{number}" for number in range(4000))
    near = {word: f"n{word[1:]}" for word in text}
    found = reworded(text, near, np.random.default_rng(0))
    assert abs(sum(word[0] == "n" for word in found) / 4000 - REPLACED) < 5 * 0.008
    moved = sum(int(word[1:]) != place for place, word in enumerate(found)) / 2
    # Of 4,000 places at most 200 are expected, with a standard deviation of 13.8.
    assert 0.8 * SWAPPED * 4000 < moved < SWAPPED * 4000 + 5 * 13.8


@given(st.lists(st.sampled_from(["red", "blue", "i", "am", "!", "7"]), max_size=12), st.integers(0, 9))
def test_only_known_changes_happen(words, seed):
    """As many words of each kind as before: neighbours count as one, contractions as what they stand for."""
    near = {"red": "blue", "blue": "red"}
    found = reworded(tuple(words), near, np.random.default_rng(seed))
    plain = [part for word in found for part in WRITTEN_OUT.get(word, (word,))]
    kinds = [Counter("colour" if word in near else word for word in text) for text in (words, plain)]
    assert kinds[0] == kinds[1]


def people() -> Corpus:
    """Cats and dogs do the same, and what they do is said in the same places; "the" is everywhere."""
    told = [
        (who, place, doing)
        for who in ("cat", "dog")
        for place in ("garden", "kitchen", "cellar")
        for doing in ("sleeps", "eats", "hides")
    ]
    texts = [Text(("the", who, doing, "in", "the", place), user=who) for who, place, doing in told]
    return Corpus((*texts * 2, *[Text(("the", "the"), user="cat")] * 20))


def test_a_text_becomes_the_same_whatever_else_is_rewritten():
    """Chance depends on the seed and the text alone, so that people known to be out are asked as the others are."""
    corpus = people()
    texts = [text.tokens for text in corpus][:9]
    all_at_once = Paraphraser().rewrite(texts, corpus, 0)
    assert Paraphraser().rewrite(texts[4:5], corpus, 0) == all_at_once[4:5]
    assert all_at_once != texts
    assert Paraphraser().rewrite(texts, corpus, 1) != all_at_once


def test_words_come_from_the_whole_data_set():
    """What cats do becomes what dogs do, though only texts about cats are rewritten."""
    corpus = people()
    texts = [text.tokens for text in corpus if text.user == "cat"]
    assert "dog" in {word for text in Paraphraser().rewrite(texts, corpus, 0) for word in text}
