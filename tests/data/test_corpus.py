"""Corpora: their views and their fingerprint."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import fields, replace

import pytest

from divulge.data.corpus import Corpus, SameCorpus
from divulge.records import Planting, Text

FULL = Text(
    tokens=("wake", "me", "at", "six"),
    label="alarm",
    tags=("O", "O", "O", "B-time"),
    user="u1",
    context=("yes",),
    keywords=("six",),
    split="valid",
)
OTHER = Text(tokens=("hello",), label="greet", user="u0")
CHANGED = {
    "tokens": ("wake", "me", "at", "ten"),
    "label": "timer",
    "tags": ("O", "O", "O", "O"),
    "user": "u2",
    "context": ("no",),
    "keywords": (),
    "split": "train",
    "planted": True,
    "rest": ("tomorrow",),
}
PRINTED = """
from divulge.data.corpus import Corpus
from divulge.records import Text
print(Corpus((Text(tokens=("wake", "me", "at", "six"), label="alarm", tags=("O", "O", "O", "B-time"), user="u1",
    context=("yes",), keywords=("six",), split="valid"),)).fingerprint)
"""


@pytest.mark.parametrize("field", [field.name for field in fields(Text)])
def test_the_fingerprint_changes_with_every_field(field: str) -> None:
    """Changing any one field of one text gives another fingerprint."""
    changed = replace(FULL, **{field: CHANGED[field]})
    assert Corpus((changed,)).fingerprint != Corpus((FULL,)).fingerprint


def test_the_fingerprint_changes_with_the_order() -> None:
    """The same texts in another order, or one twice, are another corpus."""
    prints = {Corpus(texts).fingerprint for texts in [(FULL, OTHER), (OTHER, FULL), (FULL, OTHER, OTHER), (FULL,), ()]}
    assert len(prints) == 5


def test_the_fingerprint_does_not_move_words_between_fields() -> None:
    """A word that moves from one field to the next is noticed."""
    texts = [
        Text(tokens=("a", "b")),
        Text(tokens=("a b",)),
        Text(tokens=("a",), context=("b",)),
        Text(tokens=("a",), keywords=("b",)),
        Text(tokens=("a",), label="b"),
        Text(tokens=("a",), user="b"),
        Text(tokens=("a",), tags=("b",)),
        Text(tokens=("a",), label="None"),
        Text(tokens=("a",)),
    ]
    assert len({Corpus((text,)).fingerprint for text in texts}) == len(texts)


def test_the_fingerprint_is_the_same_in_every_process() -> None:
    """Neither the process nor PYTHONHASHSEED changes it, nor may a later version without notice."""
    prints = {
        subprocess.run(
            [sys.executable, "-c", PRINTED],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }
    assert prints == {Corpus((FULL,), "another name").fingerprint}
    assert prints == {"9f7f21ef49483231ff0551526cdff3d8c6bae6247459c13b889b26c83e9a8ef7"}


def test_views_are_sorted_and_know_nothing_of_none() -> None:
    """Labels, users and splits come sorted, each once, without None."""
    corpus = Corpus((FULL, OTHER, Text(tokens=("x",))))
    assert corpus.labels == ("alarm", "greet")
    assert corpus.users == ("u0", "u1")
    assert corpus.splits == ("train", "valid")


def test_split_and_users_keep_order() -> None:
    """A part of a corpus keeps its texts in order, and its name."""
    corpus = Corpus((OTHER, FULL, replace(OTHER, user="u9")), "mine")
    assert corpus.split("train").texts == (OTHER, replace(OTHER, user="u9"))
    assert corpus.split("valid", "train") == corpus
    assert corpus.of_users(["u1", "u9"]).texts == (FULL, replace(OTHER, user="u9"))
    assert corpus.split("test").texts == ()
    assert corpus.split("train").name == "mine"


def test_plantings_are_added_as_often_as_they_say() -> None:
    """Three copies of one planting and none of another make three more texts."""
    plantings = [
        Planting(secret_id="s", text=("a", "b"), label="l", tags=("O", "O"), copies=3, split="valid"),
        Planting(secret_id="t", text=("c",), copies=0),
    ]
    planted = Corpus((OTHER,)).with_plantings(plantings)
    copy = Text(tokens=("a", "b"), label="l", tags=("O", "O"), split="valid", planted=True)
    assert planted.texts == (OTHER, copy, copy, copy)


def test_beginnings_keep_what_is_whole_in_them() -> None:
    """Tokens and tags are cut; a keyword stays if all its words do; short texts stay as they are."""
    long = Text(("to", "new", "york", "now"), tags=("O", "B-c", "I-c", "O"), keywords=("new york", "now"))
    short = Text(("go",))
    cut, same = Corpus((long, short)).first_tokens(3)
    assert (cut.tokens, cut.tags, cut.keywords) == (("to", "new", "york"), ("O", "B-c", "I-c"), ("new york",))
    assert same is short
    assert Corpus((long,)).first_tokens(2).texts[0].keywords == ()
    assert Corpus((long,)).first_tokens(None).texts == (long,)


def test_beginnings_keep_keywords_with_punctuation_around_their_words() -> None:
    """A keyword is read as the metric reads it: without case and punctuation."""
    text = Text(("To", "New", "York,", "(tumor)", "late"), keywords=("New York", "tumor", "late"))
    assert Corpus((text,)).first_tokens(4).texts[0].keywords == ("New York", "tumor")
    assert Corpus((text,)).first_tokens(3).texts[0].keywords == ("New York",)


def test_rows_stand_for_training_texts_or_for_all() -> None:
    """All texts, in their order, where none is of the training split."""
    test, train = Text(("a",), split="test"), Text(("b",))
    assert Corpus((test, train)).leaked.texts == (train,)
    assert Corpus((test, test)).leaked.texts == (test, test)
    assert Corpus(()).leaked.texts == ()


def test_texts_in_other_tokens_keep_the_keywords_that_can_be_read() -> None:
    """Whole ones, however they are cut and whatever stands around them; tags of words are gone, the rest stays."""
    text = Text(
        ("Scan", "of", "the", "abdomen"),
        label="x",
        tags=("O",) * 4,
        split="test",
        keywords=("abdomen", "scan of", "ab"),
    )
    whole, cut = ("scan", "of", "the", "ab", "##dom", "##en"), ("scan", "of", "the", "ab", "##dom")
    found = Corpus((text, text), "notes").recut([whole, cut])
    assert [one.tokens for one in found] == [whole, cut]
    assert [one.keywords for one in found] == [("abdomen", "scan of"), ("scan of",)]
    assert {(one.tags, one.label, one.split) for one in found} == {(None, "x", "test")}
    assert found.name == "notes"
    with pytest.raises(ValueError, match="shorter"):
        Corpus((text, text)).recut([whole])


def test_the_same_corpus_is_the_object_itself():
    """For caches: one of equal texts is another."""
    one, other = Corpus((Text(("a",)),)), Corpus((Text(("a",)),))
    assert one == other
    assert SameCorpus(one) == SameCorpus(one) != SameCorpus(other)
    assert len({SameCorpus(one), SameCorpus(one), SameCorpus(other)}) == 2
