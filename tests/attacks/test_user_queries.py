"""Which of a person's texts are asked about."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.adapters import Tokens

from divulge.adversary import Background, Practice
from divulge.attacks.user_queries import (
    UNKNOWN,
    chosen_texts,
    even_texts,
    kept_users,
    known_users,
    unknown_as_one,
    word_counts,
)
from divulge.grants import Grant
from divulge.records import Artefact, Member, Passage, Secret, Text, UserTexts


def user(*texts: str) -> UserTexts:
    return UserTexts(examples=tuple(Passage(tokens=tuple(text.split())) for text in texts))


def spoken(passages: object) -> list[str]:
    return [" ".join(passage.tokens) for passage in passages]  # type: ignore[attr-defined]


class Knows(Tokens):
    """A model that knows these words and no others."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return ("<unk>", "the", "a", "cat", "axolotl", "unseen", "words", "b", "c")


MODEL = Knows()
COUNTS = {"the": 100, "a": 50, "cat": 3, "axolotl": 1, UNKNOWN: 70}
TEXTS = user("the cat", "a cat", "the the", "axolotl cat", "unseen words")


def chosen(texts: UserTexts, most: int | None, selection: Any, seed: int = 0) -> list[str]:
    return spoken(chosen_texts(texts, most, MODEL, np.random.default_rng(seed), selection=selection, counts=COUNTS))


def test_the_rarest_are_those_of_the_smallest_sum() -> None:
    """Sums are 103, 53, 200, 4 and 0: a known word never met counts nothing. The order of the texts is kept."""
    assert chosen(TEXTS, 2, "rarest") == ["axolotl cat", "unseen words"]
    assert chosen(TEXTS, 3, "rarest") == ["a cat", "axolotl cat", "unseen words"]


def test_words_that_the_model_does_not_know_are_one_word() -> None:
    """As rare as all of them together: 70 for "Zyx" makes its text less rare than "a cat"."""
    assert chosen(user("Zyx", "a cat", "the cat"), 1, "rarest") == ["a cat"]
    read = unknown_as_one(MODEL, [Passage(tokens=("the", "Zyx", "Abc"))])
    assert read == [("the", UNKNOWN, UNKNOWN)]


def test_at_random_every_text_has_its_turn() -> None:
    """So many different ones, in their order; all of them where all may be asked."""
    drawn = [chosen(TEXTS, 2, "random", seed) for seed in range(60)]
    assert {len(set(one)) for one in drawn} == {2}
    assert {text for one in drawn for text in one} == set(spoken(TEXTS.examples))
    places = [[spoken(TEXTS.examples).index(text) for text in one] for one in drawn]
    assert all(first < second for first, second in places)
    for most in (None, 5, 9):
        assert chosen(TEXTS, most, "random") == spoken(TEXTS.examples)
    assert not chosen(TEXTS, 0, "rarest")


@given(st.integers(0, 60), st.integers(1, 9), st.integers(0, 9), st.integers(1, 12))
def test_a_budget_reaches_everybody_if_it_can(left: int, people: int, others: int, texts: int) -> None:
    """Nobody is asked about with more texts than others, and no question is left that would reach one person more."""
    each, kept = even_texts(left, people, others)
    assert each is not None
    assert kept <= others
    spent = min(each, texts) * (people + kept)
    if left >= people:
        assert spent <= left
        assert kept == others or (each == 1 and spent == left)
    else:
        assert (each, kept) == (1, 0)


def test_words_are_counted_in_public_texts_and_once_in_each_text_of_a_pool() -> None:
    """Two shadows share a user: that user's words count once. The model does not know "d"."""
    one = Secret(id="1", hint=user("b c"), answer=Member(used=True))
    two = Secret(id="2", hint=user("c d"), answer=Member(used=False))
    behind = Background(
        corpus=(Text(tokens=("a", "b")), Text(tokens=("a",))),
        practice=(Practice(Grant([MODEL]), (one, two)), Practice(Grant([MODEL]), (one,))),
    )
    assert word_counts(behind) == {"a": 2, "b": 2, "c": 2, UNKNOWN: 1}


def test_people_known_to_be_out_are_kept_and_read_again() -> None:
    """As plain values."""
    behind = Background(controls=(TEXTS,))
    assert known_users(Artefact(values={"controls": kept_users(behind)})) == [TEXTS]
    assert known_users(Artefact()) == []
