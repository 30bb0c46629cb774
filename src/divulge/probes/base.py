"""The owner's view: a probe reads target and corpus and knows who was in."""

from __future__ import annotations

from abc import abstractmethod
from typing import ClassVar

import numpy as np

from divulge.access import Access
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Measurement

__all__ = ["Probe"]


class Probe(Part):
    """Measures something of a target that no adversary could: utility, memorisation by the owner's own count."""

    requires: ClassVar[tuple[type[Access], ...]]
    of_taggers: ClassVar[bool] = False  # has nothing to say of a model that gives no tags to words
    of_labels: ClassVar[bool] = False  # has nothing to say of a model that gives no labels to texts
    of_tokens: ClassVar[bool] = False  # has nothing to say of rows that are pooled
    on_request: ClassVar[bool] = False  # looks into what was learnt, at a cost: only where an audit names it
    of_units: ClassVar[bool] = False  # has nothing to say of a model whose hidden units cannot be reached

    @abstractmethod
    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures through the wrapped access, as any honest user would see it."""
