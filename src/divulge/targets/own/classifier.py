"""A text classifier of your own: a function that trains one, or a finished one as any callable or class."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt
from pydantic import model_validator

from divulge.access import Access, LabelAccess, LabelLikelihoodAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Record, RecordText
from divulge.targets.base import Target
from divulge.targets.own.callables import CallableRecipe, Named, Names, can_be_made
from divulge.targets.own.loading import loaded
from divulge.targets.own.predicting import METHODS, LabelsOnly, Predictions, labels_known, strange_names

__all__ = ["OwnClassifier", "OwnClassifierAccess"]

INTERFACE = ("classes_", "predict_proba")
FOR_PREDICT = ("labels", "answers", "path", "arguments", "batch", "keep_answers")
FEW = 2  # texts that a finished model is tried on when it is read: enough to see the shape of a batch


class OwnClassifier(Target):
    """Calls `train(texts, labels)`, a function of yours that returns a fitted model as scikit-learn has them.

    The model has `classes_` and `predict_proba(texts)`; a pipeline whose first step takes raw text is one. Nothing of
    it is kept but what it was trained on: each process trains it again, so the function must give the same model for
    the same texts (set its random_state). Its file and those beside it are part of the key: edited, it is trained anew.

    Or calls `predict(texts)`, which asks a finished model, for probabilities (texts, labels) or for names of labels;
    a class, an object or a function that makes one is asked by `predict_proba` or `predict`.
    """

    name = "own-classifier"
    summary = "a text classifier of your own: recipe.train, or recipe.predict of a finished one, = 'module:name'"
    grants = (LabelLikelihoodAccess,)
    hints = (Gaps, RecordText)
    trial: ClassVar[Mapping[str, Any]] = {"train": "divulge.testing.counting:train"}

    class Options(CallableRecipe):
        """The function that trains, or what predicts with which labels; `answers` tells what it shows.

        Without `labels` those of the model count (`classes_`).
        """

        train: Named | None = None
        predict: Named | None = None
        labels: Names = ()
        answers: Literal["probabilities", "labels"] = "probabilities"

        @model_validator(mode="after")
        def _one_of_both(self) -> OwnClassifier.Options:
            if (self.train is None) == (self.predict is None):
                raise ValueError("give either train (a function that trains a model) or predict (a finished one)")
            unused = [name for name in FOR_PREDICT if getattr(self, name) != _default(name)]
            if self.train is not None and unused:
                raise ValueError(f"{', '.join(unused)}: for predict alone, and train is given")
            return self

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        self.learns = self.options.train is not None
        if not self.learns:
            can_be_made(self.options, "predict", METHODS[self.options.answers])
        elif not callable(loaded(self.options.train, "train")):
            module, _, name = self.options.train.partition(":")
            raise InputError(f"recipe.train {self.options.train!r}: module {module!r} has no function {name!r}")

    @property
    def granted(self) -> tuple[type[Access], ...]:
        """Labels alone, where that is all it shows."""
        return (LabelAccess,) if self.options.answers == "labels" else self.grants

    @property
    def known_labels(self) -> tuple[str, ...]:
        """Those of the recipe, where that tells them."""
        return tuple(self.options.labels)

    def misfits(self, corpus: Corpus) -> list[str]:
        """Labels that are not those of the data."""
        return strange_names("labels", self.options.labels, corpus.labels)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Keeps the training texts, once the function was seen to make a model of them; or tries a finished one."""
        del rng
        if self.options.predict is not None:
            return self._tried(corpus)
        known = [text for text in corpus.split("train") if text.label is not None]
        texts, labels = tuple(" ".join(text.tokens) for text in known), tuple(text.label or "" for text in known)
        _fitted(self.options.train, self.options.source, texts, labels)
        return Artefact(values={"texts": list(texts), "labels": list(labels)})

    def open(self, artefact: Artefact) -> Grant:
        """Grants what the model shows; one that is trained here is trained again from what was kept."""
        if self.options.predict is not None:
            return Grant([self._finished()])
        kept = tuple(artefact.values["texts"]), tuple(artefact.values["labels"])
        return Grant([OwnClassifierAccess(_fitted(self.options.train, self.options.source, *kept))])

    def _tried(self, corpus: Corpus) -> Artefact:
        access = self._finished()
        labels_known(access.labels, corpus)
        access.label([text.tokens for text in corpus.texts[:FEW]])
        return Artefact(values={"labels": list(access.labels)})

    def _finished(self) -> LabelAccess:
        return Predictions(self.options) if self.options.answers == "probabilities" else LabelsOnly(self.options)


class OwnClassifierAccess(LabelLikelihoodAccess):
    """Asks the model's `predict_proba`."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def labels(self) -> tuple[str, ...]:
        """The model's classes."""
        return tuple(str(label) for label in self._model.classes_)

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        found: npt.ArrayLike = self._model.predict_proba([" ".join(text) for text in texts]) if texts else []
        return np.asarray(found, dtype=np.float64).reshape(len(texts), len(self.labels))


def _default(name: str) -> Any:
    return OwnClassifier.Options.model_fields[name].get_default(call_default_factory=True)


@lru_cache(maxsize=4)
def _fitted(named: str, source: str, texts: tuple[str, ...], labels: tuple[str, ...]) -> Any:
    """Trains once per process and set of texts."""
    del source  # another file, another model
    function = loaded(named, "train")
    try:
        inspect.signature(function).bind(texts, labels)
    except TypeError as error:
        raise InputError(f"{named} must take two arguments, texts and labels: {error}") from None
    model = function(list(texts), list(labels))
    missing = [name for name in INTERFACE if not hasattr(model, name)]
    if model is None:
        raise InputError(f"{named} returned nothing; it must return the fitted model")
    if missing:
        raise InputError(
            f"{named} must return a fitted model with {' and '.join(INTERFACE)}. "
            f"Got {type(model).__name__} without {' and '.join(missing)}"
        )
    return model
