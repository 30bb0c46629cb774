"""What a generator's recipe allows, and what does not go together."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from divulge.targets.training.generator_recipe import Federated, GeneratorRecipe, federated_problems
from divulge.targets.training.recipe import TrainingRecipe


def test_a_generator_is_trained_with_adam_unless_said_otherwise() -> None:
    """The default is what every other recipe does; song2019's shadows of table 2 are spelt in two settings."""
    assert (GeneratorRecipe().optimizer, GeneratorRecipe().momentum) == ("adam", 0.0)
    other = GeneratorRecipe(optimizer="sgd", momentum=0.9, learning_rate=0.01)
    assert (other.optimizer, other.momentum, other.learning_rate) == ("sgd", 0.9, 0.01)


@pytest.mark.parametrize("given", [{"momentum": 0.9}, {"momentum": 0.9, "optimizer": "adam"}])
def test_momentum_is_for_gradient_descent(given: dict[str, Any]) -> None:
    """Adam has its own; the setting would do nothing."""
    with pytest.raises(ValidationError, match="set optimizer = 'sgd', or momentum = 0. Got 0.9 and 'adam'"):
        GeneratorRecipe(**given)


@pytest.mark.parametrize("given", [{"momentum": 1.0}, {"momentum": -0.1}, {"optimizer": "lion"}])
def test_steps_that_mean_nothing_are_refused(given: dict[str, Any]) -> None:
    """A momentum of 1 never ends, and there are two optimisers."""
    with pytest.raises(ValidationError):
        GeneratorRecipe(**{"optimizer": "sgd", **given})


def test_federated_training_is_the_published_one() -> None:
    """Song2019, section 6."""
    found = Federated()
    assert (found.rounds, found.user_rate, found.user_clip, found.delta) == (300, 0.04, 10.0, 1e-4)
    assert found.is_private
    assert not Federated(user_noise=0.0).is_private


@pytest.mark.parametrize(
    "given", [{"user_rate": 0.0}, {"user_rate": 1.1}, {"user_clip": 0.0}, {"user_noise": -1.0}, {"delta": 1.0}]
)
def test_privacy_that_means_nothing_is_refused(given: dict[str, float]) -> None:
    """Nobody is ever drawn, or drawn more than once; an update of no length; less than no noise; any model at all."""
    with pytest.raises(ValidationError, match=next(iter(given))):
        Federated(**given)  # type: ignore[arg-type]


def test_what_epsilon_does_not_cover_is_refused() -> None:
    """Validation texts that decide, and words of the users; without noise there is no epsilon to break."""
    plain, stopping = TrainingRecipe(), TrainingRecipe(patience=2)
    best = TrainingRecipe(restore_best=True)
    noisy, open_ = Federated(), Federated(user_noise=0.0)
    assert federated_problems(stopping, None, public_words=False) == []
    assert federated_problems(plain, noisy, public_words=True) == []
    assert federated_problems(plain, open_, public_words=False) == []
    for recipe in (stopping, best):
        (said,) = federated_problems(recipe, noisy, public_words=True)
        assert "patience = null and restore_best = false" in said
        assert len(federated_problems(recipe, noisy, public_words=False)) == 2
    (said,) = federated_problems(plain, noisy, public_words=False)
    assert "`words` of public text" in said
