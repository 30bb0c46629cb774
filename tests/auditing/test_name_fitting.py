"""Tests of divulge.auditing.name_fitting."""

from __future__ import annotations

from typing import Any

from divulge.auditing.name_fitting import unasked_label, unknown_name_problems, unpractised_names
from divulge.auditing.naming import target_named
from divulge.data.cases import Case
from divulge.data.corpus import Corpus
from divulge.records import Gaps, Secret, Text, Tokens
from divulge.targets.base import Target

CLASSIFIER = {"predict": "divulge.testing.callables:TopicModel", "labels": ["play_music", "get_weather"]}
TAGGER = {"tag": "divulge.testing.callables:WordTagger", "tags": ["O", "B-pin"]}


def case(*hints: dict[str, Any]) -> Case:
    """Canaries of one known and one missing word."""
    made = [Gaps(tokens=("pin", None), candidates=(("1", "2"),), **hint) for hint in hints]
    secrets = [Secret(id=f"s{place}", hint=hint, answer=Tokens(tokens=("1",))) for place, hint in enumerate(made)]
    return Case(corpus=Corpus(()), secrets=tuple(secrets[:1]), controls=tuple(secrets[1:]))


def finished(kind: str, recipe: dict[str, Any]) -> Target:
    """A finished model of one's own."""
    return target_named(kind, recipe)


def test_a_label_that_a_finished_classifier_does_not_know_is_a_problem() -> None:
    """Of secrets and of controls; each once, with what may be meant; only as many as a reader takes in."""
    target = finished("own-classifier", CLASSIFIER)
    assert unknown_name_problems(target, case({"label": "play_music"}, {"label": "get_weather"})) == []
    (said,) = unknown_name_problems(target, case({"label": "play_music"}, {"label": "play_musik"}))
    assert said.startswith("target 'own-classifier': the model knows 2 labels, and 'play_musik' is none of them")
    assert "Did you mean 'play_music'?" in said
    many = unknown_name_problems(target, case(*({"label": f"strange{number}"} for number in range(8))))
    assert len(many) == 6
    assert "3 more labels" in many[-1]


def test_tags_that_a_finished_tagger_does_not_know_are_a_problem() -> None:
    """They are named."""
    target = finished("own-tagger", TAGGER)
    assert unknown_name_problems(target, case({"tags": ("O", "B-pin")})) == []
    (said,) = unknown_name_problems(target, case({"tags": ("O", "B-code")}, {"tags": ("X", "B-code")}))
    assert "the model knows 2 tags, and 2 of those of canaries are none: 'B-code', 'X'" in said


def test_what_is_not_known_before_is_left_open() -> None:
    """A model that tells its names only when it is read, and one that learns the canaries' own."""
    strange = case({"label": "strange", "tags": ("X", "Y")})
    silent = {name: value for name, value in CLASSIFIER.items() if name != "labels"}
    assert unknown_name_problems(finished("own-classifier", silent), strange) == []
    assert unknown_name_problems(target_named("nlu-tagger"), strange) == []


def test_a_label_that_nobody_asks_about_is_warned_of() -> None:
    """A tagger of words alone does not use it."""
    labelled, tags = case({"label": "strange"}), case({"tags": ("O", "O")})
    said = unasked_label(finished("own-tagger", TAGGER), labelled)
    assert said is not None
    assert "the label is not used" in said
    assert unasked_label(finished("own-tagger", TAGGER), tags) is None
    assert unasked_label(target_named("nlu-tagger"), labelled) is None


def test_names_that_the_adversarys_models_do_not_learn_are_a_problem() -> None:
    """Labels of classifiers, tags of taggers; what only other splits have is not learnt."""
    classifier, tagger = finished("own-classifier", CLASSIFIER), finished("own-tagger", TAGGER)
    learnt = Corpus(
        (Text(("a",), label="fish", tags=("O",)), Text(("b",), label="wool", tags=("B-pin",), split="test"))
    )
    assert unpractised_names(classifier, case({"label": "fish", "tags": ("O", "B-pin")}), learnt) == []
    (said,) = unpractised_names(classifier, case({"label": "fish"}, {"label": "wool"}), learnt)
    assert "asked about with: 'wool'. Give adversary.background.corpus texts" in said
    (said,) = unpractised_names(tagger, case({"tags": ("O", "B-pin")}), learnt)
    assert "'B-pin'" in said
    assert unpractised_names(tagger, case({"tags": ("O", "O")}), learnt) == []
