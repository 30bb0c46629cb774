"""Training of classifiers of texts: plain or private, the best weights kept, planted texts deleted where asked."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.data.corpus import Corpus
from divulge.data.few_labels import NAME_THEM, few_labels
from divulge.errors import InputError
from divulge.records import Text
from divulge.targets.training.batches import ordered_batches, shuffled_batches
from divulge.targets.training.recipe import ClassifierRecipe

if TYPE_CHECKING:
    import torch

    from divulge.targets.training.sgd import Cut

__all__ = ["LabelledTexts", "ToLearn", "fit_classifier", "label_problems", "remaining", "wrong_share"]


class LabelledTexts(ABC):
    """Labelled texts as examples to train on: a target says how they are read."""

    pads = True  # False: texts of one length only are read together

    def __init__(self, texts: Sequence[Text], lengths: Sequence[int], labels: Sequence[str]) -> None:
        places = {label: place for place, label in enumerate(labels)}
        self.wanted = np.array([places[text.label or ""] for text in texts], dtype=np.int64)
        self.lengths: npt.NDArray[np.int64] = np.array(lengths, dtype=np.int64)

    def losses(self, model: Any, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The cross-entropy of each text's label; (B,)."""
        import torch

        wanted = torch.from_numpy(self.wanted[numbers])
        return torch.nn.functional.cross_entropy(self.logits(model, numbers), wanted, reduction="none")

    @abstractmethod
    def logits(self, model: Any, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """What the model puts out for each of these texts; (B, labels)."""


class ToLearn(NamedTuple):
    """Texts to learn and to choose by, labels in the order of the outputs, and what makes examples of texts."""

    training: Sequence[Text]
    valid: Sequence[Text]
    labels: Sequence[str]
    make: Callable[[Sequence[Text]], LabelledTexts]


def remaining(corpus: Corpus, recipe: ClassifierRecipe) -> Corpus:
    """The texts that a model is trained on: all, or, where it is to be retrained after a deletion, those not planted.

    Raises:
        InputError: None remain to train on.
    """
    if recipe.unlearn is None:
        return corpus
    kept = tuple(text for text in corpus if not text.planted)
    if not any(text.split == "train" for text in kept):
        raise InputError(f"{corpus.name}: all training texts are planted, so that none remains once they are deleted")
    return replace(corpus, texts=kept) if recipe.unlearn.method == "retrain" else corpus


def label_problems(corpus: Corpus, recipe: ClassifierRecipe, *, skips: bool) -> list[str]:
    """Why no classifier can be trained on these texts; `skips` tells whether texts without a label are left out."""
    try:
        training = remaining(corpus, recipe).split("train")
    except InputError as error:
        return list(error.problems)
    unlabelled = sum(text.label is None for text in training)
    if len(training.labels) < 2:
        return [f"{corpus.name}: a classifier learns from texts of at least 2 labels, and {few_labels(training)}"]
    if unlabelled and not skips:
        said = f"{corpus.name}: a classifier learns from labels, and {unlabelled} of {len(training)} training texts"
        return [f"{said} have none: {NAME_THEM}, or leave those texts out"]
    return []


def fit_classifier(
    model: torch.nn.Module,
    learnt: ToLearn,
    recipe: ClassifierRecipe,
    rng: np.random.Generator,
    *,
    cut: Cut = shuffled_batches,
    fused: bool = False,
) -> dict[str, Any]:
    """Trains the model in place and tells how it went; where the recipe asks to unlearn, planted texts are deleted."""
    training = learnt.make(learnt.training)
    if recipe.noise is not None:
        from divulge.targets.training.dp_classifier import fit_classifier_privately

        return fit_classifier_privately(model, training, recipe, rng)
    from divulge.targets.training.sgd import fit

    held = learnt.make(learnt.valid) if learnt.valid else None
    error = None
    if recipe.best_by == "accuracy" and held is not None:
        error = _share_of(model, held, recipe.batch_size)
    told = fit(model, training, held, recipe, rng, cut=cut, error=error, fused=fused)
    if recipe.unlearn is None or not any(text.planted for text in learnt.training):
        return told
    from divulge.targets.training.unlearning import forget

    return {**told, "unlearning": forget(model, learnt, recipe, rng, cut=cut, fused=fused)}


def wrong_share(model: Any, examples: LabelledTexts, size: int) -> float:
    """The share of texts whose likeliest label is another than theirs, without dropout."""
    import torch

    model.eval()
    wrong = 0
    with torch.no_grad():
        for numbers in ordered_batches(examples.lengths, size):
            wrong += int((examples.logits(model, numbers).argmax(dim=1).numpy() != examples.wanted[numbers]).sum())
    return wrong / len(examples.lengths)


def _share_of(model: Any, examples: LabelledTexts, size: int) -> Callable[[], float]:
    return lambda: wrong_share(model, examples, size)
