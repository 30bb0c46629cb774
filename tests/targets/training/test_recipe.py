"""What a recipe may say."""

import pytest
from pydantic import ValidationError

from divulge.targets.training.recipe import TrainingRecipe


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
