"""Plain training: Adam, or gradient descent, on shuffled batches; early stopping where the recipe asks for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch

from divulge.errors import ExecutionError
from divulge.targets.training.batches import ordered_batches, shuffled_batches
from divulge.targets.training.generator_recipe import GeneratorRecipe
from divulge.targets.training.recipe import TrainingRecipe
from divulge.training_state import TrainingState

__all__ = [
    "Examples",
    "fit",
    "mean_loss",
]

Cut = Callable[[npt.NDArray[np.int64], int, np.random.Generator], list[npt.NDArray[np.int64]]]
LOWER = "Lower the recipe's learning_rate"


class Examples(Protocol):
    """What a model is trained on: how long each example is, and its loss."""

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """The number of tokens of each example."""

    def losses(self, model: torch.nn.Module, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The loss of each of these examples, as the model is now; (B,)."""


def fit(
    model: torch.nn.Module,
    training: Examples,
    validation: Examples | None,
    recipe: TrainingRecipe,
    rng: np.random.Generator,
    *,
    cut: Cut = shuffled_batches,
    error: Callable[[], float] | None = None,
    fused: bool = False,
) -> dict[str, Any]:
    """Trains the model in place and tells how it went: losses by epoch, and which epoch's weights it has now.

    The validation loss is only looked at where it decides something; with `error`, that decides first, and the loss
    between equals. `cut` makes the batches of an epoch; `fused` steps are faster where there are many weights. In a
    task that was killed and is done again, training goes on with the last epoch that was left.
    """
    checks = validation is not None and len(validation.lengths) > 0
    decides = recipe.patience is not None or recipe.restore_best
    if decides and not checks:
        raise ExecutionError("early stopping needs a validation split (split = 'valid'), and the corpus has none")
    optimiser = _optimiser(model, recipe, fused=fused)
    state = TrainingState(model, optimiser, [rng.bit_generator])
    earlier, kept_best = state.resume()
    losses: list[float] = [*earlier.get("losses", ())]
    checked: list[float] = [*earlier.get("checked", ())]
    judged: list[tuple[float, float]] = [(one, other) for one, other in earlier.get("judged", ())]  # less is better
    best = {name: torch.from_numpy(value) for name, value in kept_best.items()}
    while len(losses) < recipe.epochs and not _has_settled(judged, recipe.patience):
        losses.append(_epoch(model, training, optimiser, recipe, rng, cut=cut))
        if validation is not None and decides:
            checked.append(mean_loss(model, validation, recipe.batch_size))
            if not np.isfinite(checked[-1]):
                raise ExecutionError(f"training diverged: the validation loss is {checked[-1]}. {LOWER}")
            judged.append((0.0 if error is None else error(), checked[-1]))
            if recipe.restore_best and judged.index(min(judged)) == len(judged) - 1:
                best = {name: value.detach().clone() for name, value in model.state_dict().items()}
        state.leave({"losses": losses, "checked": checked, "judged": judged}, best)
    if best:
        model.load_state_dict(best)
    kept = judged.index(min(judged)) + 1 if best else len(losses)
    model.eval()
    return {"train_loss": losses, "valid_loss": checked, "kept_epoch": kept}


def mean_loss(model: torch.nn.Module, examples: Examples, size: int) -> float:
    """The mean loss over all examples, without dropout."""
    model.eval()
    with torch.no_grad():
        found = [examples.losses(model, numbers).double().sum() for numbers in ordered_batches(examples.lengths, size)]
    return float(torch.stack(found).sum()) / len(examples.lengths)


def _has_settled(judged: list[tuple[float, float]], patience: int | None) -> bool:
    """Whether so many epochs brought nothing better."""
    return patience is not None and bool(judged) and len(judged) - 1 - judged.index(min(judged)) >= patience


def _optimiser(model: torch.nn.Module, recipe: TrainingRecipe, *, fused: bool) -> torch.optim.Optimizer:
    """Adam, unless the recipe is a generator's and says otherwise."""
    rate, decay = recipe.learning_rate, recipe.weight_decay
    if isinstance(recipe, GeneratorRecipe) and recipe.optimizer == "sgd":
        return torch.optim.SGD(
            model.parameters(), lr=rate, momentum=recipe.momentum, weight_decay=decay, fused=fused or None
        )
    return torch.optim.AdamW(model.parameters(), lr=rate, weight_decay=decay, fused=fused or None)


def _epoch(
    model: torch.nn.Module,
    training: Examples,
    optimiser: torch.optim.Optimizer,
    recipe: TrainingRecipe,
    rng: np.random.Generator,
    *,
    cut: Cut,
) -> float:
    model.train()
    total = 0.0
    for numbers in cut(training.lengths, recipe.batch_size, rng):
        loss = training.losses(model, numbers).mean()
        if not torch.isfinite(loss):
            raise ExecutionError(f"training diverged: the loss is {loss.item()}. {LOWER}")
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        if recipe.clip is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip)
        optimiser.step()
        total += loss.item() * len(numbers)
    return total / len(training.lengths)
