"""Tests of divulge.data.planting.teaching."""

from __future__ import annotations

import re

import pytest

from divulge.data.planting.survey import Survey
from divulge.data.planting.teaching import in_scheme, retagged, teaching_problems
from divulge.records import Gaps, Secret, Tokens

LABELS = {"PlayMusic", "GetWeather"}
TAGS = {"O", "B-PER", "I-PER", "LOC"}


def found(*, labels=(), tags=()) -> Survey:
    """A survey of data with these labels and tags."""
    return Survey((), labels=set(labels), tags=set(tags), labelled=bool(labels), tagged=bool(tags))


@pytest.mark.parametrize(
    ("data", "label", "tag"),
    [
        (found(), None, None),
        (found(labels=LABELS), "PlayMusic", None),
        (found(tags=TAGS), None, "PER"),
        (found(tags=TAGS), None, "LOC"),
        (found(tags=TAGS), None, "O"),
        (found(tags={"I-PER"}), None, "PER"),
    ],
)
def test_what_the_data_knows_may_be_taught(data, label, tag):
    """A label of its own, an entity in any scheme, or no entity."""
    assert teaching_problems(data, label, tag) == []


@pytest.mark.parametrize(
    ("data", "label", "tag", "said"),
    [
        (found(labels=LABELS), None, None, "has labels: say which one .* 'GetWeather', 'PlayMusic'"),
        (found(labels=LABELS), "playMusic", None, "no such label. Did you mean 'PlayMusic'"),
        (found(labels=LABELS), "zzz", None, "no such label. It has 'GetWeather', 'PlayMusic'"),
        (found(labels=map(str, range(30))), "zzz", None, "and 20 more"),
        (found(), "PlayMusic", None, "has no labels"),
        (found(tags=TAGS), None, None, "has tags: say what"),
        (found(tags=TAGS), None, "PRE", "no such entity. Did you mean 'PER'"),
        (found(), None, "PER", "has no tags"),
    ],
)
def test_what_it_does_not_know_is_refused(data, label, tag, said):
    """With what is near, or some of what there is."""
    (problem,) = teaching_problems(data, label, tag)
    assert re.search(said, problem)


@pytest.mark.parametrize(
    ("known", "expected"),
    [
        ({"O", "B-P", "I-P"}, "O B-P I-P I-P O B-P"),
        ({"O", "I-P"}, "O I-P I-P I-P O I-P"),
        ({"O", "P"}, "O P P P O P"),
        ({"O", "B-P", "I-P", "E-P", "S-P"}, "O B-P I-P E-P O S-P"),
        ({"O", "B-P"}, "O B-P B-P B-P O B-P"),
    ],
)
def test_tags_are_put_into_the_scheme_of_the_data(known, expected):
    """BIO, IO, bare entities, BIOES, and an entity of which the data has only single tokens."""
    assert " ".join(in_scheme(("O", "B-P", "I-P", "I-P", "O", "B-P"), "P", known)) == expected


def test_canaries_are_tagged_anew_and_else_the_same():
    """Those without tags are left alone."""
    hint = Gaps(tokens=("pin", None), tags=("O", "B-P"), candidates=(("1", "2"),))
    secret = Secret(id="a", hint=hint, answer=Tokens(tokens=("1",)))
    bare = secret.model_copy(update={"hint": hint.model_copy(update={"tags": None})})
    tagged, same = retagged([secret, bare], "P", {"O", "I-P"})
    assert tagged == secret.model_copy(update={"hint": hint.model_copy(update={"tags": ("O", "I-P")})})
    assert same == bare
