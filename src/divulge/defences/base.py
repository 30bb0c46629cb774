"""The three places where a defence can act."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np

from divulge.access import Access
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.parts import Part
from divulge.records import Artefact

__all__ = ["Defence"]


class Defence(Part):
    """Changes what a target gives away: its corpus, its recipe, or the answers it grants.

    Utility is measured through the wrapped access, so an output defence is never free.
    """

    recipe_fields: ClassVar[tuple[str, ...]] = ()
    levels: ClassVar[tuple[type[Access], ...]] = ()
    changes_corpus: ClassVar[bool] = False
    # The options of zero strength, with which it changes nothing, anywhere: the other end of every trade-off.
    harmless: ClassVar[Mapping[str, Any] | None] = None
    # Options with which it is fitted in a moment: enough to try the defence, not to rely on it.
    trial: ClassVar[Mapping[str, Any]] = {}
    # Knowing a defence means knowing how it works (Kerckhoffs), not the owner's secret artefact: practice models
    # then fit one of their own.
    keeps_secret: ClassVar[bool] = False
    # Leaked rows need not match the encoder any more; the handshake must not count that as a broken adapter.
    blurs_rows: ClassVar[bool] = False
    # Leaves one vector a text: attacks and probes that read one a token have nothing to read.
    pools_rows: ClassVar[bool] = False

    def on_corpus(self, corpus: Corpus) -> Corpus:
        """Changes the training data."""
        return corpus

    def on_recipe(self, recipe: Mapping[str, Any]) -> Mapping[str, Any]:
        """Changes the training recipe; pure data."""
        return recipe

    def fit(self, corpus: Corpus, access: Grant, rng: np.random.Generator) -> Artefact:
        """Learns what `on_access` needs, from the owner's data and model."""
        del corpus, access, rng
        return Artefact()

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps one access; returns it unchanged where the defence does not apply."""
        del artefact
        return access

    @property
    def is_harmless(self) -> bool:
        """Whether the options are those that change nothing, other options aside."""
        chosen = self.options.model_dump()
        return self.harmless is not None and all(chosen.get(name) == value for name, value in self.harmless.items())

    @property
    def acts_on_access(self) -> bool:
        """Whether this defence has anything to fit and wrap."""
        return bool(self.levels)
