"""Records as secrets: members are trained on, others are not, whatever copies there are."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.data.corpus import Corpus
from divulge.data.single_records import halved_records, record_hint, record_secrets, split_records, without
from divulge.errors import InputError
from divulge.records import Member, RecordText, Text


def corpus() -> Corpus:
    """Forty training texts, two of them alike, and ten test texts, of which two stand in the training split too."""
    training = [Text(tokens=("train", str(number % 39)), label="a") for number in range(40)]
    test = [Text(tokens=("test", str(number)), split="test") for number in range(8)]
    both = [Text(tokens=("train", str(number)), split="test") for number in range(2)]
    return Corpus((*training, *test, *both), "mine")


def test_others_and_as_many_again_are_kept_from_the_model() -> None:
    """Drawn from the training split: 5 members, 6 others, 6 to calibrate on, and the rest of the 39 to practise on."""
    found = split_records(corpus(), 5, 6, np.random.default_rng(0))
    assert (len(found.members), len(found.others), len(found.pool)) == (5, 6, 39 - 5 - 12)
    assert found.kept_out == {text.tokens for text in (*found.others, *found.known_out[:6])}
    assert {text.tokens for text in found.known_out[6:]} == {("test", str(number)) for number in range(8)}
    tokens = [text.tokens for text in (*found.members, *found.others, *found.known_out, *found.pool)]
    assert len(set(tokens)) == len(tokens)


def test_what_is_kept_out_is_in_no_copy_of_the_training_texts() -> None:
    """Both copies of the text that stands twice go, and nothing else."""
    twice = frozenset({("train", "0")})
    left = without(corpus(), twice)
    assert [text.split for text in left if text.tokens in twice] == ["test"]
    assert len(left) == len(corpus()) - 2


def test_a_held_out_split_gives_the_others_less_what_was_trained_on() -> None:
    """Two texts stand in both splits: they are neither others nor members. The model's texts stay as they are."""
    found = split_records(corpus(), 5, 6, np.random.default_rng(0), "test")
    assert not found.kept_out
    assert {text.tokens[0] for text in (*found.others, *found.known_out)} == {"test"}
    assert (len(found.others), len(found.known_out), len(found.pool)) == (6, 2, 37 - 5)
    assert not {("train", "0"), ("train", "1")} & {text.tokens for text in (*found.members, *found.pool)}
    with pytest.raises(InputError, match="9 others, secrets.controls, of the split 'test'"):
        split_records(corpus(), 5, 9, np.random.default_rng(0), "test")
    with pytest.raises(InputError, match="no split 'held'. It has: test, train"):
        split_records(corpus(), 5, 5, np.random.default_rng(0), "held")


def test_too_few_records_are_refused_with_the_sum() -> None:
    """Members and twice the others must be different texts."""
    with pytest.raises(InputError, match="40 different records are needed .*Found 39"):
        split_records(corpus(), 20, 10, np.random.default_rng(0))


def test_a_secret_is_the_record_and_whether_it_was_used() -> None:
    """Ids say nothing; their order tells nobody who was in."""
    inside, outside = Text(tokens=("a",), label="x"), Text(tokens=("b",), tags=("O",))
    found = record_secrets([inside], [outside], b"key")
    assert [secret.id for secret in found] == sorted(secret.id for secret in found)
    assert {(secret.hint, secret.answer) for secret in found} == {
        (RecordText(tokens=("a",), label="x"), Member(used=True)),
        (RecordText(tokens=("b",), tags=("O",)), Member(used=False)),
    }
    assert record_hint(inside) == RecordText(tokens=("a",), label="x")
    assert {secret.id for secret in record_secrets([outside], [inside], b"key")} == {secret.id for secret in found}


def test_an_adversary_halves_what_is_nobodys_question() -> None:
    """The pool, or the training texts of a background without any record that is asked about."""
    parts = split_records(corpus(), 5, 5, np.random.default_rng(0))
    members, others = halved_records(parts, None, np.random.default_rng(1))
    assert {text.tokens for text in (*members, *others)} == {text.tokens for text in parts.pool}
    assert abs(len(members) - len(others)) <= 1
    public = Corpus(
        (*parts.members, *(Text(tokens=("p", str(n))) for n in range(4)), Text(tokens=("t",), split="test"))
    )
    members, others = halved_records(parts, public, np.random.default_rng(1))
    assert sorted(text.tokens for text in (*members, *others)) == [("p", str(n)) for n in range(4)]
    with pytest.raises(InputError, match="at least 2 records of its own, half of them to train on. Found 1"):
        halved_records(parts, Corpus((Text(tokens=("p",)), *parts.others)), np.random.default_rng(1))
