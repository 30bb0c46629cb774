"""Perceptrons of the adversary: fully connected layers with rectifiers between them, trained by Adam.

Training needs torch; what was learnt are plain arrays, and so is reading it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from divulge.errors import ExecutionError
from divulge.seeds import settled

__all__ = [
    "HIDDEN",
    "Recipe",
    "Weights",
    "fit_classes",
    "fit_vectors",
    "outputs",
    "probabilities",
]

HIDDEN = (250, 100)  # of the classifiers of gu2023, section 9.3
Weights = dict[str, npt.NDArray[Any]]
Loss = Callable[[torch.Tensor, torch.Tensor], torch.Tensor]


@dataclass(frozen=True)
class Recipe:
    """How long and how fast to train."""

    epochs: int
    batch_size: int
    learning_rate: float


def fit_classes(
    inputs: npt.NDArray[Any],
    classes: npt.NDArray[np.int64],
    widths: Sequence[int],
    recipe: Recipe,
    rng: np.random.Generator,
) -> Weights:
    """Learns to name the class of each input, (n, d); `widths` are those of the layers, the last one is the classes."""
    wanted = torch.from_numpy(np.asarray(classes, dtype=np.int64))
    return _fit(inputs, wanted, widths, recipe, rng, loss=torch.nn.functional.cross_entropy)


def fit_vectors(
    inputs: npt.NDArray[Any],
    wanted: npt.NDArray[Any],
    widths: Sequence[int],
    recipe: Recipe,
    rng: np.random.Generator,
) -> Weights:
    """Learns to map each input, (n, d), to its wanted vector, (n, last width), by squared error."""
    vectors = torch.from_numpy(np.asarray(wanted, dtype=np.float32))
    return _fit(inputs, vectors, widths, recipe, rng, loss=_squared_error)


def outputs(weights: Mapping[str, npt.NDArray[Any]], inputs: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """What the last layer says of each input; (n, last width)."""
    found = np.asarray(inputs, dtype=np.float32)
    layers = len(weights) // 2
    for layer in range(layers):
        found = found @ weights[f"weight {layer}"].T + weights[f"offset {layer}"]
        if layer < layers - 1:
            found = np.maximum(found, 0)
    return np.asarray(found, dtype=np.float32)


def probabilities(weights: Mapping[str, npt.NDArray[Any]], inputs: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """How probable each class is for each input; (n, classes), rows sum to 1."""
    scores = outputs(weights, inputs).astype(np.float64)
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True), dtype=np.float64)


def _fit(
    inputs: npt.NDArray[Any],
    wanted: torch.Tensor,
    widths: Sequence[int],
    recipe: Recipe,
    rng: np.random.Generator,
    *,
    loss: Loss,
) -> Weights:
    rows = torch.from_numpy(np.asarray(inputs, dtype=np.float32))
    with settled(rng):
        layers = [torch.nn.Linear(a, b) for a, b in zip((rows.shape[1], *widths), widths, strict=False)]
        parts = [part for layer in layers for part in (layer, torch.nn.ReLU())][:-1]
        model = torch.nn.Sequential(*parts)
        optimiser = torch.optim.Adam(model.parameters(), lr=recipe.learning_rate)
        for _ in range(recipe.epochs):
            for numbers in torch.split(torch.randperm(len(rows)), recipe.batch_size):
                found = loss(model(rows[numbers]), wanted[numbers])
                optimiser.zero_grad()
                found.backward()  # type: ignore[no-untyped-call]
                optimiser.step()
            if not torch.isfinite(found):
                raise ExecutionError("training diverged: the loss is not finite. Lower the attack's learning_rate")
    weights: Weights = {}
    for number, layer in enumerate(layers):
        weights[f"weight {number}"] = layer.weight.detach().numpy().copy()
        weights[f"offset {number}"] = layer.bias.detach().numpy().copy()
    return weights


def _squared_error(found: torch.Tensor, wanted: torch.Tensor) -> torch.Tensor:
    return ((found - wanted) ** 2).sum(dim=1).mean()
