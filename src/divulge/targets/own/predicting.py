"""The access to a finished classifier of the user's own: probabilities, or the names of labels alone."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from divulge.access import LabelAccess, LabelLikelihoodAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import ExecutionError, InputError
from divulge.records import FloatArray
from divulge.targets.own.callables import OwnCallable
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.spelled import array_of, bytes_of, one_each, probability_rows

if TYPE_CHECKING:
    from divulge.targets.own.classifier import OwnClassifier

__all__ = ["METHODS", "LabelsOnly", "Predictions", "labels_known", "strange_names"]


METHODS = {"probabilities": ("predict_proba",), "labels": ("predict",)}


class Predictions(LabelLikelihoodAccess):
    """Asks for the probabilities of all labels."""

    def __init__(self, recipe: OwnClassifier.Options) -> None:
        self._asked = OwnCallable(
            recipe, "predict", METHODS["probabilities"], read=self._rows, pack=bytes_of, unpack=array_of
        )
        self._labels = model_labels(recipe, self._asked.model, self._asked.named)

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of the recipe, or the model's classes."""
        return self._labels

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        found = self._asked.ask([" ".join(text) for text in texts])
        return np.array(found, dtype=np.float64).reshape(len(texts), len(self._labels))

    def _rows(self, answer: Any, texts: Sequence[str], named: str) -> list[npt.NDArray[Any]]:
        return list(probability_rows(answer, (len(texts), len(self._labels)), "labels (recipe.labels)", named))


class LabelsOnly(LabelAccess):
    """Asks for the name of the label."""

    def __init__(self, recipe: OwnClassifier.Options) -> None:
        self._asked = OwnCallable(
            recipe, "predict", METHODS["labels"], read=self._names, pack=str.encode, unpack=bytes.decode
        )
        self._labels = model_labels(recipe, self._asked.model, self._asked.named)

    @property
    def labels(self) -> tuple[str, ...]:
        """Those of the recipe, or the model's classes."""
        return self._labels

    def _label(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        place = {label: number for number, label in enumerate(self._labels)}
        found = self._asked.ask([" ".join(text) for text in texts])
        return np.array([place[label] for label in found], dtype=np.int64)

    def _names(self, answer: Any, texts: Sequence[str], named: str) -> list[str]:
        names = [str(one) for one in one_each(answer, len(texts), named)]
        for name, text in zip(names, texts, strict=True):
            if name not in self._labels:
                raise ExecutionError(
                    f"{named} must answer with one of its {len(self._labels)} labels (recipe.labels). "
                    f"It gave another at example {example_id(text)}; recipe.answers tells what it gives"
                )
        return names


def model_labels(recipe: OwnClassifier.Options, model: Any, named: str) -> tuple[str, ...]:
    """The labels of the recipe, which must be the model's own where it tells them; else the model's own."""
    own = tuple(str(label) for label in getattr(model, "classes_", ()))
    if not own and not recipe.labels:
        raise InputError(f"{named} has no classes_: tell its labels in the order of its answers, recipe.labels = [...]")
    if own and recipe.labels and own != recipe.labels:
        raise InputError(
            f"recipe.labels must be the {len(own)} classes_ of {named}, in that order, or be left out. "
            f"Got {len(recipe.labels)}, {len(set(own) & set(recipe.labels))} of them among those"
        )
    return recipe.labels or own


def strange_names(what: str, known: Sequence[str], of_data: Collection[str]) -> list[str]:
    """The problem that a model knows none of the labels, or tags, of the data: every figure about it would be void."""
    if not known or not of_data or set(known) & set(of_data):
        return []
    said = f"none of the {len(of_data)} {what} of the data is among the {len(known)} {what} of the model. "
    return [f"{said}recipe.{what} must spell them as the data does"]


def labels_known(labels: Sequence[str], corpus: Corpus) -> None:
    """Refuses a model that knows none of the labels of the data."""
    problems = strange_names("labels", labels, corpus.labels)
    if problems:
        raise InputError(problems)
