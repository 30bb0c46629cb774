"""Objects of the user's made ready to be audited: a finished model, an encoder, a function that trains."""

from __future__ import annotations

import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from divulge.access import (
    Access,
    EmbeddedRowsAccess,
    EmbeddingOracleAccess,
    LabelAccess,
    LabelLikelihoodAccess,
    RankedTokensAccess,
)
from divulge.canonical import digest
from divulge.data.corpus import Corpus
from divulge.errors import AuditError, InputError, OwnCodeError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Hint, LeakedRow, RecordText, UserTexts
from divulge.targets.own.handed_access import Asked, HandedEncoder, HandedLabels, HandedProbabilities
from divulge.targets.own.rows import KeptRows, stacked

__all__ = ["Encoder", "Finished", "Handed", "Trainer", "fitted_access", "takes"]

FEW = 2  # texts that a finished model is tried on when it is read
LABEL_HINTS: tuple[type[Hint], ...] = (Gaps, RecordText)


class Handed(ABC):
    """An object made ready to be audited: what it grants, and whether it can be trained.

    `named` is what it is called in messages.
    """

    learns = False
    is_tagger = False
    labels_texts = True
    labels: tuple[str, ...] = ()  # of a finished model
    tags: tuple[str, ...] = ()

    def __init__(self, named: str) -> None:
        self.named = named

    @property
    @abstractmethod
    def levels(self) -> tuple[type[Access], ...]:
        """What it grants."""

    @property
    def hints(self) -> tuple[type[Hint], ...]:
        """The kinds of secrets it may hold."""
        return LABEL_HINTS

    def misfits(self, corpus: Corpus) -> list[str]:
        """Why it cannot be the model of this corpus, as far as that is seen without asking it."""
        del corpus
        return []

    @abstractmethod
    def train(self, corpus: Corpus) -> Artefact:
        """Trains it, or tries a finished one."""

    @abstractmethod
    def open(self, artefact: Artefact) -> Grant:
        """Grants its accesses."""


class Finished(Handed):
    """A finished model, as accesses."""

    def __init__(self, accesses: Sequence[Access], named: str) -> None:
        super().__init__(named)
        self._accesses, self._levels = tuple(accesses), Grant(accesses).levels
        labelled = [access for access in self._accesses if isinstance(access, LabelAccess)]
        self.labels = tuple(dict.fromkeys(label for access in labelled for label in access.labels))
        self.tags = tuple(dict.fromkeys(tag for access in labelled for tag in access.tag_names))
        self.labels_texts, self.is_tagger = bool(self.labels), bool(self.tags)

    @property
    def levels(self) -> tuple[type[Access], ...]:
        """The strongest level of each access."""
        return self._levels

    @property
    def hints(self) -> tuple[type[Hint], ...]:
        """Those that some attack at these levels is about."""
        found: list[type[Hint]] = []
        for level in self._levels:
            if issubclass(level, EmbeddedRowsAccess | EmbeddingOracleAccess):
                found.append(LeakedRow)
            else:
                found += [*LABEL_HINTS, *([UserTexts] if issubclass(level, RankedTokensAccess) else [])]
        return tuple(dict.fromkeys(found))

    def misfits(self, corpus: Corpus) -> list[str]:
        """That it knows none of the labels of the data: every figure about it would be void."""
        known = set(self.labels)
        if not known or not corpus.labels or known & set(corpus.labels):
            return []
        found = f"none of the {len(corpus.labels)} labels of the data is among the {len(known)} labels of {self.named}"
        return [f"{found}: both must spell them in the same way"]

    def train(self, corpus: Corpus) -> Artefact:
        """Tries the model on two texts; nothing is learnt."""
        for access in self._accesses:
            if isinstance(access, LabelAccess) and access.labels:
                Grant([access])[LabelAccess].label([text.tokens for text in corpus.texts[:FEW]])
        return Artefact()

    def open(self, artefact: Artefact) -> Grant:
        """Grants the accesses."""
        del artefact
        return Grant(self._accesses)


class Encoder(Handed):
    """A function that embeds, and the rows it makes of private texts."""

    learns = True  # other texts, other rows: the adversary embeds its own
    labels_texts = False

    def __init__(self, function: Asked, named: str) -> None:
        super().__init__(named)
        self._oracle = HandedEncoder(function, named)

    @property
    def levels(self) -> tuple[type[Access], ...]:
        """The rows and the encoder."""
        return (EmbeddedRowsAccess, EmbeddingOracleAccess)

    @property
    def hints(self) -> tuple[type[Hint], ...]:
        """The sentence behind a row."""
        return (LeakedRow,)

    def train(self, corpus: Corpus) -> Artefact:
        """Embeds every text; nothing is learnt."""
        oracle = Grant([self._oracle])[EmbeddingOracleAccess]
        return Artefact(arrays=stacked(oracle.embed([text.tokens for text in corpus])))

    def open(self, artefact: Artefact) -> Grant:
        """Grants the rows and the encoder."""
        return Grant([KeptRows(artefact), self._oracle])


class Trainer(Handed):
    """A function that trains a classifier: `train(texts, labels)` gives a fitted model as scikit-learn has them.

    A model stays in memory: what was asked of it is asked of the same one, even if the function is not repeatable.
    """

    learns = True

    def __init__(
        self, function: Callable[[list[str], list[str]], Any], named: str, *, probabilities: bool = True
    ) -> None:
        super().__init__(named)
        self._function, self._probabilities = function, probabilities
        self._models: dict[str, Access] = {}

    @property
    def levels(self) -> tuple[type[Access], ...]:
        """Probabilities of labels, or labels alone."""
        return (LabelLikelihoodAccess if self._probabilities else LabelAccess,)

    def misfits(self, corpus: Corpus) -> list[str]:
        """That there is nothing to learn."""
        found = len(corpus.split("train").labels)
        return (
            [] if found > 1 else [f"{self.named} learns from texts of at least 2 labels; the train split has {found}"]
        )

    def train(self, corpus: Corpus) -> Artefact:
        """Keeps the training texts, once the function has made a model of them."""
        known = [text for text in corpus.split("train") if text.label is not None]
        values = {"texts": [" ".join(text.tokens) for text in known], "labels": [text.label or "" for text in known]}
        artefact = Artefact(values=values)
        problems = self.misfits(corpus)
        if problems:
            raise InputError(problems)
        self.open(artefact)
        return artefact

    def open(self, artefact: Artefact) -> Grant:
        """Grants the model, which is trained again if this process has not trained it."""
        values: Mapping[str, Any] = artefact.values
        key = digest(values)
        if key not in self._models:
            self._models[key] = self._trained(list(values["texts"]), list(values["labels"]))
        return Grant([self._models[key]])

    def _trained(self, texts: list[str], labels: list[str]) -> Access:
        try:
            model = self._function(texts, labels)
        except AuditError:
            raise
        except Exception as error:  # its message may quote the data
            raise OwnCodeError(f"{self.named} raised {type(error).__name__} when it was trained") from error
        return fitted_access(model, self.named, probabilities=self._probabilities)


def fitted_access(model: Any, named: str, *, probabilities: bool = True) -> Access:
    """The access to a fitted model: its `predict_proba`, or its `predict` where it shows labels alone."""
    method = "predict_proba" if probabilities else "predict"
    lacking = [name for name in ("classes_", method) if not hasattr(model, name)]
    if lacking:
        raise InputError(
            f"{named} must give a fitted model with classes_ and {method}. Got {type(model).__name__} without "
            f"{' and '.join(lacking)}"
        )
    labels = tuple(str(label) for label in model.classes_)
    kind = HandedProbabilities if probabilities else HandedLabels
    return kind(getattr(model, method), labels, named)


def takes(function: Callable[..., Any], arguments: int) -> bool:
    """Whether so many positional arguments are what a function needs, no fewer."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(one.kind in positional and one.default is one.empty for one in parameters) == arguments
