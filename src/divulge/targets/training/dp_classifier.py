"""DP-SGD for classifiers of texts: networks as they are, whose gradients are tried text by text before they count."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from divulge.errors import InputError
from divulge.targets.training.dp_sgd import train_privately
from divulge.targets.training.labelled import LabelledTexts
from divulge.targets.training.recipe import PrivateRecipe

__all__ = ["fit_classifier_privately"]

TOGETHER = 16  # texts that are read at once: a pretrained network keeps much for each
CLOSE = 1e-3  # of two ways to find how long a gradient is


def fit_classifier_privately(
    model: nn.Module, training: LabelledTexts, recipe: PrivateRecipe, rng: np.random.Generator
) -> dict[str, Any]:
    """Trains a classifier in place with DP-SGD and tells how it went, its epsilon included; see `dp_sgd`.

    Only weights that need gradients are trained; of those, ones that no loss depends on stay as they are.

    Raises:
        InputError: Gradients of single texts cannot be had of this network.
    """
    counted = _Counted(training)
    idle = _idle(model, counted)
    for weight in idle:
        weight.requires_grad_(False)  # noqa: FBT003 - torch's signature
    try:
        with _by_text(model, counted):
            return train_privately(
                model,
                counted,
                recipe,
                rng,
                together=TOGETHER,
                strict=False,
                check=lambda hooks: counted.check(hooks, model),
            )
    finally:
        for weight in idle:
            weight.requires_grad_(True)  # noqa: FBT003 - torch's signature


class _Counted:
    """Examples that know how many of them are being read."""

    def __init__(self, inner: LabelledTexts) -> None:
        self.inner, self.count = inner, 0
        self.lengths, self.pads = inner.lengths, inner.pads

    def losses(self, model: nn.Module, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The loss of each of these examples."""
        self.count = len(numbers)
        return self.inner.losses(model, numbers)

    def some(self) -> npt.NDArray[np.int64]:
        """Two examples that can be read together, where there are two."""
        order = np.argsort(self.lengths, kind="stable")[::-1]
        if self.pads:
            return np.unique(order[[0, -1]])
        return np.asarray(order[self.lengths[order] == self.lengths[order[0]]][:2], dtype=np.int64)

    def check(self, hooks: Any, model: nn.Module) -> None:
        """Refuses a network whose hooks do not find how long the gradient of each text is: nothing would be private."""
        weights = [weight for weight in model.parameters() if weight.requires_grad]
        try:
            losses = self.losses(model, self.some())
            torch.autograd.grad(losses.sum(), weights, retain_graph=True)
            found = hooks.get_norm_sample().detach()
        except (AttributeError, IndexError, NotImplementedError, RuntimeError, TypeError, ValueError) as error:
            raise InputError(f"{REFUSAL} ({type(error).__name__}). {TRY}") from error
        hooks.disable_hooks()
        alone = [torch.autograd.grad(loss, weights, retain_graph=True) for loss in losses]
        hooks.enable_hooks()
        lengths = torch.stack([torch.stack([slope.norm() for slope in slopes]).norm() for slopes in alone])
        if found.shape != lengths.shape or not torch.allclose(found, lengths, rtol=CLOSE, atol=1e-7):
            raise InputError(f"{REFUSAL}. {TRY}")


REFUSAL = "noise (DP-SGD): gradients of single texts cannot be taken through all trained layers of this model"
TRY = "Train fewer of them (trained = 'last' or 'head')"


def _idle(model: nn.Module, training: _Counted) -> list[nn.Parameter]:
    """The weights that no loss depends on, as a pooler that a head does not read."""
    weights = [weight for weight in model.parameters() if weight.requires_grad]
    if not len(training.lengths):
        raise InputError("noise (DP-SGD): there are no texts to train on")
    losses = training.losses(model.train(), training.some())
    slopes = torch.autograd.grad(losses.sum(), weights, allow_unused=True)
    return [weight for weight, slope in zip(weights, slopes, strict=True) if slope is None]


@contextmanager
def _by_text(model: nn.Module, training: _Counted) -> Iterator[None]:
    """Has tables of vectors looked up once for each text: those of places are looked up once for all."""

    def each(module: nn.Module, given: tuple[torch.Tensor, ...]) -> tuple[torch.Tensor, ...]:
        del module
        numbers, *rest = given
        if numbers.ndim > 1 and numbers.shape[0] == 1 and training.count > 1:
            numbers = numbers.expand(training.count, *numbers.shape[1:])
        return (numbers.contiguous(), *rest)  # as Opacus reads them

    tables = [module for module in model.modules() if isinstance(module, nn.Embedding)]
    handles = [table.register_forward_pre_hook(each) for table in tables]
    try:
        yield
    finally:
        for handle in handles:
            handle.remove()
