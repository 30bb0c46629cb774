"""Character embeddings as a change of the recipe."""

from __future__ import annotations

import itertools

import pytest

from divulge.defences.base import Defence
from divulge.defences.character_embeddings import CharacterEmbeddings
from divulge.defences.dropout import Dropout
from divulge.defences.early_stopping import EarlyStopping
from divulge.targets.nlu_tagger import NluTagger


@pytest.mark.parametrize(
    ("on", "recipe", "expected"),
    [
        (True, {"epochs": 3}, {"epochs": 3, "characters": True}),
        (True, {"characters": False}, {"characters": True}),
        (False, {"characters": True}, {"characters": True}),
        (False, {"epochs": 3}, {"epochs": 3}),
    ],
)
def test_characters_are_turned_on_and_never_off(
    *, on: bool, recipe: dict[str, bool], expected: dict[str, bool]
) -> None:
    """A defence must not undo what the owner does already."""
    given = dict(recipe)
    assert CharacterEmbeddings({"on": on}).on_recipe(given) == expected
    assert given == recipe


def test_the_papers_defences_combine_in_any_order() -> None:
    """All three together make one recipe, whichever comes first."""
    three: list[Defence] = [CharacterEmbeddings(), Dropout({"rate": 0.1}), EarlyStopping({"patience": 3, "epochs": 30})]
    made = []
    for order in itertools.permutations(three):
        recipe = NluTagger().options.model_dump(mode="json")
        for defence in order:
            recipe = defence.on_recipe(recipe)
        made.append(NluTagger(recipe).options)
    assert all(one == made[0] for one in made)
    assert (made[0].characters, made[0].dropout, made[0].patience, made[0].epochs) == (True, 0.1, 3, 30)
