"""What every trained target's recipe says about its training: pure data, in the key of the model."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from divulge.records import Record

__all__ = ["PrivateRecipe", "TrainingRecipe", "private_problems"]


class TrainingRecipe(Record):
    """How long, in which steps, and when to stop. A target's own options inherit from it."""

    epochs: Annotated[int, Field(ge=1)] = 20
    batch_size: Annotated[int, Field(ge=1)] = 32
    learning_rate: Annotated[float, Field(gt=0)] = 1e-3
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    clip: Annotated[float, Field(gt=0)] | None = 5.0  # of the gradient's length
    patience: Annotated[int, Field(ge=1)] | None = None  # epochs without a lower validation loss; None: never stop
    restore_best: bool = False  # keep the weights of the lowest validation loss, not the last


class PrivateRecipe(TrainingRecipe):
    """Of a target that can also be trained with differential privacy (DP-SGD), which a noise turns on.

    The noise is a multiple of `example_clip`, the most that one text's gradient may be long. The epsilon of the whole
    training follows from noise, batch size, epochs and the number of texts, at `delta`.
    """

    noise: Annotated[float, Field(gt=0)] | None = None
    example_clip: Annotated[float, Field(gt=0)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=1)] = 1e-5


def private_problems(
    recipe: PrivateRecipe, *, tune_vectors: bool, characters: bool, vectors: str = "random"
) -> list[str]:
    """What of a tagger's recipe does not go with DP-SGD, each with what to do."""
    if recipe.noise is None:
        return []
    problems = []
    if tune_vectors:
        problems.append("noise (DP-SGD) trains no word vectors: set tune_vectors = false")
    if vectors == "fasttext":
        problems.append(
            "noise (DP-SGD) does not cover word vectors that are trained on the same texts: set vectors to other than "
            "'fasttext'"
        )
    if characters:
        problems.append("noise (DP-SGD) trains no character CNN: set characters = false")
    if recipe.patience is not None or recipe.restore_best:
        problems.append(
            "noise (DP-SGD) trains for a fixed number of epochs, since epsilon does not cover what validation texts "
            "decide: set patience = null and restore_best = false"
        )
    return problems
