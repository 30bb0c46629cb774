"""What a recipe may say."""

import pytest
from pydantic import ValidationError

from divulge.targets.training.recipe import (
    ClassifierRecipe,
    PrivateRecipe,
    TrainingRecipe,
    Unlearning,
    private_problems,
)


def test_by_default_training_runs_to_its_end_on_the_last_weights() -> None:
    """Early stopping is a defence: nobody gets it unasked."""
    recipe = TrainingRecipe()
    assert recipe.patience is None
    assert not recipe.restore_best


@pytest.mark.parametrize("field", ["epochs", "batch_size", "learning_rate", "clip", "patience"])
def test_what_must_be_above_zero_is(field: str) -> None:
    """Zero epochs, steps or patience are slips."""
    with pytest.raises(ValidationError):
        TrainingRecipe.model_validate({field: 0})


def test_what_does_not_go_with_privacy_is_told_with_what_to_do() -> None:
    """Nothing without noise; with it, one problem for each thing that is on."""
    both = {"tune_vectors": True, "characters": True}
    assert private_problems(PrivateRecipe(patience=3), **both) == []
    private = PrivateRecipe(noise=1.0)
    assert private_problems(private, tune_vectors=False, characters=False) == []
    said = private_problems(PrivateRecipe(noise=1.0, restore_best=True), **both)
    assert [line.rpartition("set ")[2] for line in said] == [
        "tune_vectors = false",
        "characters = false",
        "patience = null and restore_best = false",
    ]


@pytest.mark.parametrize(("field", "value"), [("noise", 0), ("example_clip", 0), ("delta", 0), ("delta", 1)])
def test_privacy_has_noise_a_clip_and_a_delta_that_mean_something(field: str, value: float) -> None:
    """No noise at all is None, not 0."""
    with pytest.raises(ValidationError):
        PrivateRecipe.model_validate({field: value})


def test_vectors_trained_on_the_same_texts_are_not_private() -> None:
    """The accountant knows nothing of them."""
    recipe = PrivateRecipe(noise=1.0)
    (said,) = private_problems(recipe, tune_vectors=False, characters=False, vectors="fasttext")
    assert "does not cover word vectors" in said
    assert private_problems(recipe, tune_vectors=False, characters=False, vectors="glove") == []


def test_a_deletion_is_read_from_a_table() -> None:
    """With its defaults, and strictly."""
    assert ClassifierRecipe.model_validate({"unlearn": {"method": "ascend"}}).unlearn == Unlearning(method="ascend")
    assert ClassifierRecipe().unlearn is None
    with pytest.raises(ValidationError, match="epochs"):
        ClassifierRecipe.model_validate({"unlearn": {"epochs": 0}})
    with pytest.raises(ValidationError, match="methud"):
        ClassifierRecipe.model_validate({"unlearn": {"methud": "ascend"}})


def test_noise_goes_with_no_early_stopping_and_no_training_afterwards() -> None:
    """Of a classifier as of a tagger; leaving texts out from the start is covered."""
    with pytest.raises(ValidationError, match="trains for a fixed number of epochs"):
        ClassifierRecipe(noise=1.0, restore_best=True)
    with pytest.raises(ValidationError, match=r"set unlearn.method to 'retrain', not 'continue'"):
        ClassifierRecipe(noise=1.0, unlearn=Unlearning())
    assert ClassifierRecipe(noise=1.0, unlearn=Unlearning(method="retrain")).noise == 1.0
    assert ClassifierRecipe(restore_best=True, unlearn=Unlearning()).restore_best
