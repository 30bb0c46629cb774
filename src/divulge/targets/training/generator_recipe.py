"""What a generator's recipe says about its training: by which steps, and whether its users are kept private."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from divulge.records import Record
from divulge.targets.training.recipe import TrainingRecipe

__all__ = ["Federated", "GeneratorRecipe", "federated_problems"]


class GeneratorRecipe(TrainingRecipe):
    """Of a generator: also whether it is trained with Adam or with plain gradient descent, and that one's momentum."""

    optimizer: Literal["adam", "sgd"] = "adam"
    momentum: Annotated[float, Field(ge=0, lt=1)] = 0.0

    @model_validator(mode="after")
    def _has_a_use_for_momentum(self) -> Self:
        if self.momentum and self.optimizer != "sgd":
            raise ValueError(
                f"momentum is for plain gradient descent: set optimizer = 'sgd', or momentum = 0. Got {self.momentum} "
                f"and {self.optimizer!r}"
            )
        return self


class Federated(Record):
    """Federated averaging with differential privacy of whole users (DP-FedAvg), instead of the recipe's own training.

    Each round draws every user with probability `user_rate`. A drawn user goes `local_epochs` times over the own
    texts, or over `local_texts` of them drawn for the round, `local_batch` at once, in plain steps of `local_rate`.
    What that changes is cut to the length `user_clip`; their sum gets Gaussian noise of `user_noise` times that, is
    divided by the number of users expected, and taken `server_rate` times. The epsilon of one user with all texts
    follows from rate, noise and rounds, at `delta`. Without noise (0) it is plain federated averaging, and nobody is
    private.

    Rounds, rate and clip as in song2019, section 6; it prints no noise: 1.12 has its epsilon, counted as then.
    """

    rounds: Annotated[int, Field(ge=1)] = 300
    user_rate: Annotated[float, Field(gt=0, le=1)] = 0.04
    user_clip: Annotated[float, Field(gt=0)] = 10.0
    user_noise: Annotated[float, Field(ge=0)] = 1.12
    local_epochs: Annotated[int, Field(ge=1)] = 1
    local_texts: Annotated[int, Field(ge=1)] | None = None
    local_rate: Annotated[float, Field(gt=0)] = 1.0
    local_batch: Annotated[int, Field(ge=1)] = 8
    server_rate: Annotated[float, Field(gt=0)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=1)] = 1e-4

    @property
    def is_private(self) -> bool:
        """Whether there is any noise."""
        return self.user_noise > 0


def federated_problems(recipe: TrainingRecipe, federated: Federated | None, *, public_words: bool) -> list[str]:
    """What of a recipe does not go with federated averaging, each with what to do."""
    if federated is None:
        return []
    problems = []
    if recipe.patience is not None or recipe.restore_best:
        problems.append(
            "federated training goes on for a fixed number of rounds, since epsilon does not cover what validation "
            "texts decide: set patience = null and restore_best = false"
        )
    if federated.is_private and not public_words:
        problems.append(
            "federated training with noise does not cover a vocabulary that is taken from the users' texts: give "
            "`words` of public text, or their place as `words_from`"
        )
    return problems
