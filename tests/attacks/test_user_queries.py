"""Which of a person's texts are asked about."""

from __future__ import annotations

import numpy as np

from divulge.adversary import Background, Practice
from divulge.attacks.user_queries import chosen_texts, kept_users, known_users, word_counts
from divulge.grants import Grant
from divulge.records import Artefact, Member, Passage, Secret, Text, UserTexts


def user(*texts: str) -> UserTexts:
    return UserTexts(examples=tuple(Passage(tokens=tuple(text.split())) for text in texts))


def spoken(passages: object) -> list[str]:
    return [" ".join(passage.tokens) for passage in passages]  # type: ignore[attr-defined]


COUNTS = {"the": 100, "a": 50, "cat": 3, "axolotl": 1}
TEXTS = user("the cat", "a cat", "the the", "axolotl cat", "unseen words")


def test_the_rarest_are_those_of_the_smallest_sum() -> None:
    """Sums are 103, 53, 200, 4 and 0: a word never met counts nothing. The order of the texts is kept."""
    rng = np.random.default_rng(0)
    assert spoken(chosen_texts(TEXTS, 2, "rarest", COUNTS, rng)) == ["axolotl cat", "unseen words"]
    assert spoken(chosen_texts(TEXTS, 3, "rarest", COUNTS, rng)) == ["a cat", "axolotl cat", "unseen words"]


def test_at_random_every_text_has_its_turn() -> None:
    """So many different ones, in their order; all of them where all may be asked."""
    drawn = [spoken(chosen_texts(TEXTS, 2, "random", {}, np.random.default_rng(seed))) for seed in range(60)]
    assert {len(set(one)) for one in drawn} == {2}
    assert {text for one in drawn for text in one} == set(spoken(TEXTS.examples))
    places = [[spoken(TEXTS.examples).index(text) for text in one] for one in drawn]
    assert all(first < second for first, second in places)
    for most in (None, 5, 9):
        assert chosen_texts(TEXTS, most, "random", {}, np.random.default_rng(0)) == TEXTS.examples
    assert not chosen_texts(TEXTS, 0, "rarest", COUNTS, np.random.default_rng(0))


def test_words_are_counted_in_public_texts_and_once_in_each_text_of_a_pool() -> None:
    """Two shadows share a user: that user's words count once."""
    one = Secret(id="1", hint=user("b c"), answer=Member(used=True))
    two = Secret(id="2", hint=user("c d"), answer=Member(used=False))
    behind = Background(
        corpus=(Text(tokens=("a", "b")), Text(tokens=("a",))),
        practice=(Practice(Grant([]), (one, two)), Practice(Grant([]), (one,))),
    )
    assert word_counts(behind) == {"a": 2, "b": 2, "c": 2, "d": 1}


def test_people_known_to_be_out_are_kept_and_read_again() -> None:
    """As plain values."""
    behind = Background(controls=(TEXTS,))
    assert known_users(Artefact(values={"controls": kept_users(behind)})) == [TEXTS]
    assert known_users(Artefact()) == []
