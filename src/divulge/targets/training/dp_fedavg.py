"""Training with differential privacy of whole users: federated averaging, its updates cut and noised (DP-FedAvg)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from torch.nn.utils import parameters_to_vector, vector_to_parameters

from divulge.errors import ExecutionError, InputError
from divulge.targets.training.batches import shuffled_batches
from divulge.targets.training.generator_recipe import Federated
from divulge.targets.training.sgd import Examples

__all__ = ["fit_federated"]

UNIT = "one user with all texts"


def fit_federated(
    model: torch.nn.Module, users: Sequence[Examples], recipe: Federated, rng: np.random.Generator
) -> dict[str, Any]:
    """Trains the model in place, each user's texts apart, and tells how it went, the epsilon of a user included.

    The algorithm of McMahan et al. 2018, all users of one weight. Epsilon is that of adding or removing one user with
    all texts, where users are drawn anew each round, each by a coin of their own (Poisson). So that nobody moves the
    sum by more than the clip, a user's update must depend on that user's texts and the weights alone: each of `users`
    is on its own, in its own units. For the same reason the sum is divided by the number of users that is expected,
    not by the number drawn. How many users there are is taken as known.

    Drawing and noise come from the generator, so that an audit can be repeated. Who knows the seed can take the noise
    off again: a model to be deployed needs noise that nobody can. The losses told, one a round (None where nobody was
    drawn), are the owner's to see; the guarantee is about the trained weights.
    """
    if recipe.is_private:
        _must_have_accountant()
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    local = parameters_to_vector(weights).detach().clone()
    vector_to_parameters(local, weights)  # from here on the weights are views of it: no copying by layer
    centre, noise = local.clone(), torch.Generator().manual_seed(int(rng.integers(2**63)))
    losses: list[float | None] = []
    model.train()
    for _ in range(recipe.rounds):
        total, costs = torch.zeros_like(centre), []
        drawn = rng.random(len(users)) < recipe.user_rate
        for own in (users[number] for number in np.flatnonzero(drawn).tolist()):
            local.copy_(centre)
            costs.append(_train_locally(model, own, recipe, rng, local=local, centre=centre))
            total += local - centre
        if recipe.is_private:
            spread = recipe.user_noise * recipe.user_clip
            total += spread * torch.randn(total.shape, generator=noise, dtype=total.dtype)
        centre += recipe.server_rate / (recipe.user_rate * len(users)) * total
        losses.append(float(np.mean(costs)) if costs else None)
    local.copy_(centre)
    model.eval()
    told = {"train_loss": losses, "valid_loss": [], "kept_epoch": recipe.rounds}
    return {**told, "privacy": _privacy(recipe, users)} if recipe.is_private else told


def _train_locally(
    model: torch.nn.Module,
    own: Examples,
    recipe: Federated,
    rng: np.random.Generator,
    *,
    local: torch.Tensor,
    centre: torch.Tensor,
) -> float:
    """One user's steps from the common weights, never farther from them than the clip; the mean loss on the way."""
    optimiser = torch.optim.SGD(model.parameters(), lr=recipe.local_rate)
    total, seen = 0.0, 0
    read = rng.permutation(len(own.lengths))[: recipe.local_texts]
    for _ in range(recipe.local_epochs):
        for places in shuffled_batches(own.lengths[read], recipe.local_batch, rng):
            numbers = read[places]
            loss = own.losses(model, numbers).mean()
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
            moved = local - centre
            length = float(torch.linalg.vector_norm(moved))
            if not np.isfinite(length):  # as is the loss before it, if that is where it comes from
                raise ExecutionError(
                    "federated training diverged: a user's update is no number. Lower federated.local_rate or "
                    "federated.server_rate"
                )
            if length > recipe.user_clip:
                torch.add(centre, moved, alpha=recipe.user_clip / length, out=local)
            total += loss.item() * len(numbers)
            seen += len(numbers)
    return total / seen


def _privacy(recipe: Federated, users: Sequence[Examples]) -> dict[str, Any]:
    from divulge.targets.training.dp_sgd import epsilon_of

    epsilon = epsilon_of(recipe.user_noise, recipe.user_rate, recipe.rounds, recipe.delta)
    told: dict[str, Any] = {"epsilon": epsilon, "delta": recipe.delta, "noise": recipe.user_noise}
    told |= {"sample_rate": recipe.user_rate, "user_clip": recipe.user_clip, "steps": recipe.rounds}
    return told | {"texts": sum(len(own.lengths) for own in users), "users": len(users), "unit": UNIT}


def _must_have_accountant() -> None:
    """Before anything is trained: an hour later is late to say that epsilon cannot be told."""
    try:
        import opacus.accountants  # noqa: F401
    except ModuleNotFoundError:
        raise InputError(
            "federated.user_noise (DP-FedAvg) needs the library opacus: pip install 'divulge[dp]'"
        ) from None
