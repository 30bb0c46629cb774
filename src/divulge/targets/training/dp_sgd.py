"""Training with differential privacy: DP-SGD, with Opacus for clipping, noise and accounting."""

from __future__ import annotations

import copy
import math
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from divulge.errors import ExecutionError, InputError
from divulge.targets.networks.example_lstm import ExampleLstm, example_names, plain_names
from divulge.targets.networks.tagger import TaggerNetwork
from divulge.targets.tagged_texts import TaggedTexts
from divulge.targets.training.recipe import PrivateRecipe, private_problems
from divulge.targets.training.sgd import Examples

__all__ = ["epsilon_of", "fit_privately", "train_privately"]

TOGETHER = 128  # texts that are read at once: the memory needed does not grow with the batch
LOOSE = 50.0  # beyond it the finer accountant takes minutes, and the guarantee means nothing anyway
UNIT = "one training text"


def fit_privately(
    model: TaggerNetwork, training: TaggedTexts, recipe: PrivateRecipe, rng: np.random.Generator
) -> dict[str, Any]:
    """Trains the model in place with DP-SGD and tells how it went, its epsilon included.

    Every step draws its texts at random, each with probability batch_size / texts (Poisson); each text's gradient is
    cut to the length `example_clip`, and Gaussian noise of `noise` times that is added to their sum. The recipe's own
    `clip` plays no part. Epsilon is that of adding or removing one training text: a text that is there R times, as
    planted canaries are, is a group of R, whose epsilon is R times as large, and whose delta grows with e to that.

    Sampling and noise are drawn from the generator, so that an audit can be repeated. Who knows the seed can take the
    noise off again: a model to be deployed needs noise that nobody can. The history's losses are the owner's to see;
    the guarantee is about the trained weights. Which words, labels and tags there are is taken from the texts as it is,
    and is not covered.
    """
    _must_be_private(model, recipe)
    _opacus()
    with _quiet():
        private = _private_copy(model)
    told = train_privately(private, training, recipe, rng)
    _take_back(model, private)
    return told


def train_privately(
    private: nn.Module,
    training: Examples,
    recipe: PrivateRecipe,
    rng: np.random.Generator,
    *,
    together: int | None = None,
    strict: bool = True,
    check: Callable[[Any], None] | None = None,
) -> dict[str, Any]:
    """Trains, in place, a network whose layers Opacus can take gradients of text by text, and tells how it went.

    At most `together` texts are read at once. `check` tries the hooks before anything is trained; not `strict`, layers
    may have buffers, which must then hold nothing that was learnt from texts.
    """
    assert recipe.noise is not None
    make_hooks, make_optimiser = _opacus()
    texts = len(training.lengths)
    rate = min(1.0, recipe.batch_size / texts)
    per_epoch = math.ceil(texts / recipe.batch_size)
    with _quiet():
        hooks = make_hooks(private.train(), loss_reduction="sum", max_grad_norm=recipe.example_clip, strict=strict)
        if check is not None:
            check(hooks)
        weights = [weight for weight in private.parameters() if weight.requires_grad]
        optimiser = make_optimiser(
            torch.optim.AdamW(weights, lr=recipe.learning_rate, weight_decay=recipe.weight_decay),
            noise_multiplier=recipe.noise,
            max_grad_norm=recipe.example_clip,
            expected_batch_size=rate * texts,
            generator=torch.Generator().manual_seed(int(rng.integers(2**63))),
        )
        losses = []
        for _ in range(recipe.epochs):
            draws = (rng.random(texts) < rate for _ in range(per_epoch))
            losses.append(_epoch(private, training, hooks, optimiser, draws, together=together or TOGETHER))
        hooks.cleanup()
    private.eval()
    steps = per_epoch * recipe.epochs
    epsilon = epsilon_of(recipe.noise, rate, steps, recipe.delta)
    privacy: dict[str, Any] = {"epsilon": epsilon, "delta": recipe.delta, "noise": recipe.noise, "sample_rate": rate}
    privacy |= {"example_clip": recipe.example_clip, "steps": steps, "texts": texts, "unit": UNIT}
    return {"train_loss": losses, "valid_loss": [], "kept_epoch": recipe.epochs, "privacy": privacy}


def epsilon_of(noise: float, rate: float, steps: int, delta: float) -> float:
    """The epsilon that Opacus's accountants grant to so many noisy steps: PRV where it is quick, else RDP (looser)."""
    from opacus.accountants import PRVAccountant, RDPAccountant

    coarse, fine = RDPAccountant(), PRVAccountant()
    coarse.history = fine.history = [(noise, rate, steps)]
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Optimal order is the", UserWarning)  # a bound from the last order holds too
        found = float(coarse.get_epsilon(delta))
    return found if found > LOOSE or rate == 1 else min(found, float(fine.get_epsilon(delta)))


def _opacus() -> tuple[Any, Any]:
    """Its hooks and its optimiser."""
    try:
        from opacus.grad_sample.grad_sample_module_fast_gradient_clipping import GradSampleHooksFastGradientClipping
        from opacus.optimizers import DPOptimizerFastGradientClipping
    except ModuleNotFoundError:
        raise InputError("noise (DP-SGD) needs the library opacus: pip install 'divulge[dp]'") from None
    return GradSampleHooksFastGradientClipping, DPOptimizerFastGradientClipping


class StepTable(nn.Embedding):
    """The CRF's steps where every example looks up all rows in order: what flows back is the gradient itself."""


def _must_be_private(model: TaggerNetwork, recipe: PrivateRecipe) -> None:
    tuned, characters = model.embedding.weight.requires_grad, model.characters is not None
    problems = private_problems(recipe, tune_vectors=tuned, characters=characters)
    if problems:
        raise InputError(problems)


def _private_copy(model: TaggerNetwork) -> TaggerNetwork:
    """The same network in layers that Opacus can take gradients of example by example."""
    private = copy.deepcopy(model)
    own = model.lstm
    lstm = ExampleLstm(own.input_size, own.hidden_size, own.num_layers, own.dropout)
    lstm.load_state_dict(example_names(own.state_dict()))
    steps = StepTable(*model.crf.steps.weight.shape)
    steps.load_state_dict(model.crf.steps.state_dict())
    private.lstm, private.crf.steps = lstm, steps  # type: ignore[assignment]
    private.crf.by_example = True
    del private.spellings  # Opacus refuses layers with buffers, and nobody reads characters here
    _register()
    return private.to(model.intent.weight.dtype)


def _take_back(model: TaggerNetwork, private: TaggerNetwork) -> None:
    """Puts what was learnt into the network that was given."""
    trained = private.state_dict()
    lstm = {name.removeprefix("lstm."): value for name, value in trained.items() if name.startswith("lstm.")}
    rest = {name: value for name, value in trained.items() if not name.startswith("lstm.")}
    model.load_state_dict({**rest, **{f"lstm.{name}": value for name, value in plain_names(lstm).items()}})
    model.eval()


def _epoch(
    model: nn.Module,
    training: Examples,
    hooks: Any,
    optimiser: Any,
    draws: Iterator[npt.NDArray[np.bool_]],
    *,
    together: int,
) -> float:
    """One step for each draw of texts; the mean loss of the texts drawn, or nan if there were none."""
    total, seen = 0.0, 0
    for drawn in draws:
        numbers = np.flatnonzero(drawn)
        numbers = numbers[np.argsort(training.lengths[numbers], kind="stable")]  # little padding
        pieces = _parts(training, numbers, together)
        optimiser.zero_grad()
        summed = [torch.zeros_like(weight) for weight in optimiser.params]  # nothing but noise if nobody was drawn
        for piece in pieces:
            total += _add_clipped(training.losses(model, piece), hooks, optimiser.params, summed)
        for weight, gradient in zip(optimiser.params, summed, strict=True):
            weight.grad = gradient
        optimiser.step()
        seen += len(numbers)
    return total / seen if seen else math.nan


def _parts(training: Examples, numbers: npt.NDArray[np.int64], most: int) -> list[npt.NDArray[np.int64]]:
    """What is read at once: hooks need all of it in one pass, so texts that cannot be padded go by their lengths."""
    if getattr(training, "pads", True):
        return [numbers[start : start + most] for start in range(0, len(numbers), most)]
    lengths = training.lengths[numbers]
    same = [numbers[lengths == length] for length in np.unique(lengths)]
    return [group[start : start + most] for group in same for start in range(0, len(group), most)]


def _add_clipped(losses: torch.Tensor, hooks: Any, weights: list[nn.Parameter], summed: list[torch.Tensor]) -> float:
    """Adds every text's gradient, cut to the length allowed; returns the sum of the losses.

    The first pass finds how long each text's gradient is, the second takes the gradient of losses weighted by that.
    """
    found = losses.detach().sum()
    if not torch.isfinite(found):
        raise ExecutionError(f"training diverged: the loss is {found.item()}. Lower the recipe's learning_rate")
    torch.autograd.grad(losses.sum(), weights, retain_graph=True)
    shares = hooks.get_clipping_coef().detach()
    hooks.disable_hooks()
    for place, gradient in enumerate(torch.autograd.grad((shares * losses).sum(), weights)):
        summed[place] += gradient
    hooks.enable_hooks()
    return float(found)


def _register() -> None:
    """Tells Opacus how long the gradients of the CRF's steps are; its own rule for embeddings is far slower."""
    from opacus.grad_sample import register_norm_sampler

    def lengths(layer: StepTable, inputs: Any, slopes: torch.Tensor) -> dict[torch.Tensor, torch.Tensor]:
        del inputs
        return {layer.weight: slopes.flatten(1).norm(dim=1)}

    register_norm_sampler(StepTable)(lengths)


@contextmanager
def _quiet() -> Iterator[None]:
    """Opacus's hooks see inputs that need no gradient (word vectors are fixed), which torch warns about."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Full backward hook is firing", UserWarning)
        yield
