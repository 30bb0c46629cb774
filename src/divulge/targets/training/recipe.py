"""What every trained target's recipe says about its training: pure data, in the key of the model."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from divulge.records import Record

__all__ = ["TrainingRecipe"]


class TrainingRecipe(Record):
    """How long, in which steps, and when to stop. A target's own options inherit from it."""

    epochs: Annotated[int, Field(ge=1)] = 20
    batch_size: Annotated[int, Field(ge=1)] = 32
    learning_rate: Annotated[float, Field(gt=0)] = 1e-3
    weight_decay: Annotated[float, Field(ge=0)] = 0.0
    clip: Annotated[float, Field(gt=0)] | None = 5.0  # of the gradient's length
    patience: Annotated[int, Field(ge=1)] | None = None  # epochs without a lower validation loss; None: never stop
    restore_best: bool = False  # keep the weights of the lowest validation loss, not the last
