"""A text classifier of your own: any function that trains one, with scikit-learn's interface."""

from __future__ import annotations

import hashlib
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field, model_validator

from divulge.access import LabelLikelihoodAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Gaps, Record
from divulge.targets.base import Target

__all__ = ["OwnClassifier", "OwnClassifierAccess"]

INTERFACE = ("classes_", "predict_proba")


class OwnClassifier(Target):
    """Calls `train(texts, labels)`, a function of yours that returns a fitted model as scikit-learn has them.

    The model has `classes_` and `predict_proba(texts)`; a pipeline whose first step takes raw text is one. Nothing of
    it is kept but what it was trained on: each process trains it again, so the function must give the same model for
    the same texts (set its random_state). Its file and those beside it are part of the key: edited, it is trained anew.
    """

    name = "own-classifier"
    summary = "a text classifier of your own, by the function that trains it: recipe.train = 'module:function'"
    grants = (LabelLikelihoodAccess,)
    hints = (Gaps,)
    trial: ClassVar[Mapping[str, Any]] = {"train": "divulge.testing.counting:train"}

    class Options(Record):
        """The function, and the hash of its file, which fills itself in."""

        train: Annotated[str, Field(pattern=r"^[\w.]+:\w+$")]
        source: str = ""

        @model_validator(mode="before")
        @classmethod
        def _with_source(cls, values: Any) -> Any:
            named = values.get("train") if isinstance(values, dict) else None
            return {**values, "source": _source(named)} if isinstance(named, str) and ":" in named else values

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Keeps the training texts, once the function has been seen to make a model of them."""
        del rng
        known = [text for text in corpus.split("train") if text.label is not None]
        texts, labels = tuple(" ".join(text.tokens) for text in known), tuple(text.label or "" for text in known)
        _fitted(self.options.train, self.options.source, texts, labels)
        return Artefact(values={"texts": list(texts), "labels": list(labels)})

    def open(self, artefact: Artefact) -> Grant:
        """Grants the likelihoods of the model, trained again from what was kept."""
        kept = tuple(artefact.values["texts"]), tuple(artefact.values["labels"])
        return Grant([OwnClassifierAccess(_fitted(self.options.train, self.options.source, *kept))])


class OwnClassifierAccess(LabelLikelihoodAccess):
    """Asks the model's `predict_proba`."""

    def __init__(self, model: Any) -> None:
        self._model = model

    @property
    def labels(self) -> tuple[str, ...]:
        """The model's classes."""
        return tuple(str(label) for label in self._model.classes_)

    def _likelihoods(self, texts: Sequence[TokenTuple]) -> FloatArray:
        found = self._model.predict_proba([" ".join(text) for text in texts]) if texts else []
        return np.asarray(found, dtype=np.float64).reshape(len(texts), len(self.labels))


@lru_cache(maxsize=4)
def _fitted(named: str, source: str, texts: tuple[str, ...], labels: tuple[str, ...]) -> Any:
    """Trains once per process and set of texts."""
    del source  # another file, another model
    function = _function(named)
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


def _function(named: str) -> Callable[..., Any]:
    module_name, _, name = named.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), name, None)
    except ModuleNotFoundError as error:
        own = error.name == module_name
        advice = "Put it beside the audit file" if own else f"{module_name} imports it: install it, or mend the name"
        raise InputError(f"recipe.train {named!r} cannot be loaded: {error}. {advice}") from error
    except SyntaxError as error:
        place = f"{Path(error.filename or module_name).name}, line {error.lineno}"
        raise InputError(f"recipe.train {named!r} cannot be loaded: {error.msg} ({place})") from error
    except Exception as error:  # somebody's own code may fail in any way when it is run
        raise InputError(f"recipe.train {named!r} cannot be loaded: {type(error).__name__}: {error}") from error
    if not callable(found):
        raise InputError(f"recipe.train {named!r}: module {module_name!r} has no function {name!r}")
    return found  # type: ignore[no-any-return]


def _source(named: str) -> str:
    """The hash of the file that the function is written in and, for own code, of all files beside it."""
    file = getattr(importlib.import_module(_function(named).__module__), "__file__", None)
    if not file:
        return ""
    path = Path(file)
    installed = {"site-packages", "dist-packages"} & set(path.parts) or named.startswith("divulge.")
    files = [path] if installed else sorted(path.parent.glob("*.py"))
    whole = hashlib.sha256()
    for one in files:
        whole.update(one.name.encode() + b"\0" + one.read_bytes())
    return whole.hexdigest()[:16]
