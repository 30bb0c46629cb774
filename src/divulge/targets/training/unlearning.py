"""What owners do who were asked to delete texts and do not train anew: train on, in the hope that the model forgets."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import torch

from divulge.errors import ExecutionError
from divulge.records import Text
from divulge.targets.training.recipe import ClassifierRecipe
from divulge.targets.training.sgd import fit

if TYPE_CHECKING:
    from divulge.targets.training.labelled import LabelledTexts, ToLearn
    from divulge.targets.training.sgd import Cut

__all__ = ["forget", "with_other_labels"]

CLIP = 1.0  # of an ascending step where the recipe has none: nothing else would keep it in bounds


def forget(
    model: torch.nn.Module,
    learnt: ToLearn,
    recipe: ClassifierRecipe,
    rng: np.random.Generator,
    *,
    cut: Cut,
    fused: bool = False,
) -> dict[str, Any]:
    """Trains a model that knows all texts on, so as to forget the planted ones; tells what was done, and losses."""
    how = recipe.unlearn
    assert how is not None
    kept, deleted = ([text for text in learnt.training if text.planted == planted] for planted in (False, True))
    make, labels = learnt.make, learnt.labels
    changes = {"epochs": how.epochs, "learning_rate": how.learning_rate or recipe.learning_rate}
    again = recipe.model_copy(update={**changes, "patience": None, "restore_best": False})
    if how.method == "ascend":
        losses = _ascended(
            model, make(kept), make(deleted), again, rng, cut=cut, fused=fused, bound=math.log(len(labels))
        )
    else:
        moved = with_other_labels(deleted, labels, rng) if how.method == "relabel" else []
        losses = fit(model, make([*kept, *moved]), None, again, rng, cut=cut, fused=fused)["train_loss"]
    return {"method": how.method, "deleted": len(deleted), "train_loss": losses}


def with_other_labels(texts: Sequence[Text], labels: Sequence[str], rng: np.random.Generator) -> list[Text]:
    """Each text with a label drawn from all but its own."""
    places = {label: place for place, label in enumerate(labels)}
    moved = rng.integers(1, len(labels), size=len(texts))
    return [
        replace(text, label=labels[(places[text.label or ""] + int(by)) % len(labels)])
        for text, by in zip(texts, moved, strict=True)
    ]


def _ascended(
    model: torch.nn.Module,
    kept: LabelledTexts,
    deleted: LabelledTexts,
    recipe: ClassifierRecipe,
    rng: np.random.Generator,
    *,
    cut: Cut,
    fused: bool,
    bound: float,
) -> list[float]:
    """Steps that lower the loss of texts kept and raise that of texts deleted, but not beyond that of chance.

    Returns the mean loss of the texts kept, by epoch.
    """
    optimiser = torch.optim.AdamW(
        model.parameters(), lr=recipe.learning_rate, weight_decay=recipe.weight_decay, fused=fused or None
    )
    drawn, losses = _endless(len(deleted.lengths), recipe.batch_size, rng), []
    for _ in range(recipe.epochs):
        model.train()
        total = 0.0
        for numbers in cut(kept.lengths, recipe.batch_size, rng):
            towards = kept.losses(model, numbers).mean()
            # What is no likelier than chance has no slope any more, and is left alone.
            away = deleted.losses(model, next(drawn)).clamp(max=bound).mean()
            if not torch.isfinite(towards - away):
                raise ExecutionError("unlearning diverged: the loss is not finite. Lower unlearn.learning_rate")
            optimiser.zero_grad()
            (towards - away).backward()  # type: ignore[no-untyped-call]
            torch.nn.utils.clip_grad_norm_(model.parameters(), recipe.clip or CLIP)
            optimiser.step()
            total += towards.item() * len(numbers)
        losses.append(total / len(kept.lengths))
    model.eval()
    return losses


def _endless(count: int, size: int, rng: np.random.Generator) -> Iterator[npt.NDArray[np.int64]]:
    """Batches of so many examples in random order, and again in another."""
    while True:
        order = rng.permutation(count)
        yield from (order[start : start + size] for start in range(0, count, size))
