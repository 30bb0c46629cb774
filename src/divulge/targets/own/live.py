"""An object handed over in this process: no other process can open it, and no hash stands for it.

`divulge.audit` wraps the object, holds it under a token while it runs, and names the token in the spec.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, ClassVar

import numpy as np

from divulge.access import Access, LabelLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Record, RecordText
from divulge.targets.base import Target
from divulge.targets.own.handed import Handed, Trainer
from divulge.targets.own.loading import loaded

__all__ = ["KIND", "LiveModel", "held"]

KIND = "live"
TRIAL = "trial"  # the token of a small classifier, to try the target

_held: dict[str, Handed] = {}


class LiveModel(Target):
    """An object that `divulge.audit` was handed. It is there while that call runs, in that process alone."""

    name = "live"
    summary = "an object handed to divulge.audit() in Python; an audit file cannot name one"
    grants = (LabelLikelihoodAccess,)  # of most objects; what one really grants, and may hold, it tells itself
    hints = (Gaps, RecordText)
    trial: ClassVar[Mapping[str, Any]] = {"token": TRIAL}

    class Options(Record):
        """The token that the object is held by (or the name that its owner vouches for), and what it is."""

        token: str
        object: str = ""

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        super().__init__(options)
        found = _held.get(self.options.token)
        if self.options.token == TRIAL:
            found = Trainer(loaded("divulge.testing.counting:train", "token"), TRIAL)
        if found is None:
            raise InputError(
                "target 'live' is an object of the Python process that handed it to divulge.audit(), and is not here: "
                "hand it over again"
            )
        self._handed, self.learns = found, found.learns
        # Class variables of other targets; here they are the object's.
        vars(self).update(hints=found.hints, is_tagger=found.is_tagger, labels_texts=found.labels_texts)

    @property
    def granted(self) -> tuple[type[Access], ...]:
        """What the object grants."""
        return self._handed.levels

    @property
    def known_labels(self) -> tuple[str, ...]:
        """Those of a finished object."""
        return self._handed.labels

    @property
    def known_tags(self) -> tuple[str, ...]:
        """Those of a finished object."""
        return self._handed.tags

    def misfits(self, corpus: Corpus) -> list[str]:
        """What the object tells."""
        return self._handed.misfits(corpus)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains the object, or tries it."""
        del rng
        return self._handed.train(corpus)

    def open(self, artefact: Artefact) -> Grant:
        """Grants what the object shows."""
        return self._handed.open(artefact)


@contextmanager
def held(token: str, handed: Handed) -> Iterator[None]:
    """Lets a spec name the object by the token for a while."""
    before = _held.get(token)
    _held[token] = handed
    try:
        yield
    finally:
        if before is None:
            del _held[token]
        else:
            _held[token] = before
