"""Deletion as a change of the recipe."""

from __future__ import annotations

import pytest

from divulge.auditing.fitting import target_problems
from divulge.auditing.naming import target_named
from divulge.defences.unlearning import Unlearning
from divulge.errors import InputError
from divulge.spec import SecretsSpec
from divulge.targets.text_classifier import TextClassifier


@pytest.mark.parametrize("method", ["retrain", "continue", "relabel", "ascend"])
def test_the_recipe_says_how_texts_are_deleted(method: str) -> None:
    """Whatever else it says stays; a classifier takes it."""
    given = TextClassifier({"epochs": 3}).options.model_dump(mode="json")
    changed = Unlearning({"method": method, "epochs": 2}).on_recipe(given)
    assert changed == {**given, "unlearn": {"method": method, "epochs": 2, "learning_rate": None}}
    unlearn = TextClassifier(changed).options.unlearn
    assert (unlearn.method, unlearn.epochs, unlearn.learning_rate) == (method, 2, None)


def test_no_method_changes_nothing() -> None:
    """The recipe comes back as it is."""
    given = {"epochs": 3, "unlearn": None}
    assert Unlearning({"method": None}).on_recipe(given) == given


def test_a_target_that_cannot_forget_is_refused() -> None:
    """With the names of both."""
    secrets = SecretsSpec(pattern="pin {digit}", label="pin")
    (said,) = target_problems(secrets, target_named("nlu-tagger"), [Unlearning()])
    assert "defence 'unlearning' sets unlearn, which the recipe of target 'nlu-tagger' does not have" in said


def test_unknown_methods_are_refused() -> None:
    """With those that there are."""
    with pytest.raises(InputError, match="retrain"):
        Unlearning({"method": "burn"})
