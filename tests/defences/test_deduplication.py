"""Copies of one text, kept or dropped."""

from __future__ import annotations

import pytest

from divulge.data.corpus import Corpus
from divulge.defences.deduplication import Deduplication
from divulge.errors import InputError
from divulge.records import Text

A, B = Text(tokens=("a",), label="x"), Text(tokens=("b",), label="x")


def left(copies: int | None, *texts: Text) -> tuple[Text, ...]:
    return Deduplication({"copies": copies}).on_corpus(Corpus(texts, name="c")).texts


def test_the_first_copies_stay() -> None:
    """Of a b a a b, one copy of each is a b, two copies are a b a b."""
    assert left(1, A, B, A, A, B) == (A, B)
    assert left(2, A, B, A, A, B) == (A, B, A, B)
    assert left(3, A, B, A, A, B) == (A, B, A, A, B)
    assert left(None, A, A, A, A) == (A, A, A, A)


@pytest.mark.parametrize(
    "other",
    [
        Text(tokens=("a", "a"), label="x"),
        Text(tokens=("a",), label="y"),
        Text(tokens=("a",), label="x", context=("before",)),
        Text(tokens=("a",), label="x", split="test"),
    ],
)
def test_texts_that_differ_in_what_is_learnt_stay(other: Text) -> None:
    """Other tokens, label, context or split: not a copy."""
    assert left(1, A, other, A) == (A, other)


@pytest.mark.parametrize(
    "other", [Text(tokens=("a",), label="x", user="u"), Text(tokens=("a",), label="x", planted=True)]
)
def test_who_wrote_or_planted_a_text_makes_it_no_other(other: Text) -> None:
    """Two people's same words, or a planted copy of what is there, are copies all the same."""
    assert left(1, A, other) == (A,)


def test_the_corpus_keeps_its_name_and_the_original_its_texts() -> None:
    """A new corpus is made; the old one is left as it was."""
    corpus = Corpus((A, A), name="c")
    changed = Deduplication().on_corpus(corpus)
    assert (changed.name, len(changed), len(corpus)) == ("c", 1, 2)


def test_no_copy_at_all_is_no_deduplication() -> None:
    """At least one copy must stay."""
    with pytest.raises(InputError, match="'copies': Input should be greater than or equal to 1"):
        Deduplication({"copies": 0})


def test_of_a_canary_one_copy_stays_and_near_copies_do() -> None:
    """One word or another label makes it another text: texts that support a canary in other classes are left."""
    canary = [Text(("my", "pin", "is", "4"), "bank", planted=True)] * 5
    near = [Text(("my", "pin", "is", "5"), "bank", planted=True), Text(("my", "pin", "is", "4"), "play", planted=True)]
    assert left(1, *canary, *near) == (canary[0], *near)
    assert left(2, *canary, *near) == (*canary[:2], *near)
