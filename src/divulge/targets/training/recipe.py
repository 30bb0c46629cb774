"""What every trained target's recipe says about its training: pure data, in the key of the model."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from divulge.records import Record

__all__ = ["ClassifierRecipe", "PrivateRecipe", "TrainingRecipe", "Unlearning", "private_problems"]


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


class Unlearning(Record):
    """What is done when the planted texts are to be deleted again.

    "retrain" trains without them from the start, the only deletion that is one. The others train on all texts and then
    go on, at `learning_rate` (None: the recipe's own): "continue" with the texts that remain, "relabel" with those and
    the deleted ones under other labels drawn at random, "ascend" with a step towards each batch that remains and away
    from one of the deleted, as long as those are likelier than chance.
    """

    method: Literal["retrain", "continue", "relabel", "ascend"] = "continue"
    epochs: Annotated[int, Field(ge=1)] = 1
    learning_rate: Annotated[float, Field(gt=0)] | None = None


class ClassifierRecipe(PrivateRecipe):
    """Of a classifier of texts: also by what the best weights are chosen, and whether planted texts are deleted."""

    best_by: Literal["loss", "accuracy"] = "loss"  # of the validation texts; of equal accuracy, the lower loss
    unlearn: Unlearning | None = None

    @field_validator("unlearn", mode="before")
    @classmethod
    def _read(cls, value: Any) -> Any:
        """A table; what a validator has looked at before is no JSON any more, and would be refused."""
        return Unlearning.model_validate(value) if isinstance(value, dict) else value

    @model_validator(mode="after")
    def _is_private_throughout(self) -> Self:
        problems = private_problems(self)
        if self.noise is not None and self.unlearn is not None and self.unlearn.method != "retrain":
            problems.append(
                f"noise (DP-SGD) does not cover what is trained afterwards: set unlearn.method to 'retrain', not "
                f"{self.unlearn.method!r}, or noise = null"
            )
        if problems:
            raise ValueError("; ".join(problems))
        return self


def private_problems(
    recipe: PrivateRecipe, *, tune_vectors: bool = False, characters: bool = False, vectors: str = "random"
) -> list[str]:
    """What of a recipe does not go with DP-SGD, each with what to do."""
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
