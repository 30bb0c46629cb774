"""What a target is: something that can be trained on a corpus, kept, and asked."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from divulge.access import Access
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact, Hint

__all__ = ["Target"]


class Target(Part):
    """A model under audit. Its `Options` are its recipe: pure data, so that the key sees every change."""

    grants: ClassVar[tuple[type[Access], ...]]
    hints: ClassVar[tuple[type[Hint], ...]]
    is_tagger: ClassVar[bool] = False  # gives tags to words: LabelAccess.tags has an answer
    # A recipe that trains in seconds on a small corpus: enough to try the target, not to audit it.
    trial: ClassVar[Mapping[str, Any]] = {}

    @property
    def reads(self) -> int | None:
        """How many tokens of a text it takes in at most; what is behind a row is judged by these. None: all."""
        return None

    @abstractmethod
    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Trains on the corpus (or reads an existing model) and returns all that is needed to open it again."""

    @abstractmethod
    def open(self, artefact: Artefact) -> Grant:
        """Grants the accesses of a trained model."""
