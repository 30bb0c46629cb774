"""Shows incomplete rows: a random part of each is zero."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from divulge.access import Access, EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.canonical import digest
from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.defences.changed_vectors import changed_vectors
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Record
from divulge.seeds import generator

__all__ = ["Masking"]


class Masking(Defence):
    """Sets a random share of a row's token vectors, or of its dimensions, to zero.

    Paper: gu2023, section 10.3 and figure 4 (incomplete embeddings, masking rate 0.1 to 0.9).
    Needs: EmbeddedRowsAccess or EmbeddingOracleAccess.
    Idea: A token whose vector is not handed out cannot be read off it, only guessed from the others. Which places are
        zero is drawn from (seed, the owner's secret key, question), so that asking again uncovers nothing. The paper
        does not say what is masked; "more unknown tokens" at higher rates is read as whole token vectors here, and
        `what` = "dimensions" is the other reading: the same dimensions of all vectors of a row. Of a pooled row, which
        is one vector, dimensions are masked either way. Where the share is no whole number, it is rounded up or down
        at random, so that it holds on average also for short texts.
    Cost: whatever uses the vectors that are gone; measured through the mask.
    """

    name = "masking"
    summary = "set a random share of each row's token vectors, or dimensions, to zero"
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    keeps_secret = True
    blurs_rows = True
    harmless: ClassVar[Mapping[str, Any]] = {"share": 0.0}

    class Options(Record):
        """Which share, of what, and the seed of the draw; a share of 1 would leave nothing to look at."""

        share: Annotated[float, Field(ge=0, lt=1)] = 0.5
        what: Literal["vectors", "dimensions"] = "vectors"
        seed: int = 0

    def fit(self, corpus: Corpus, access: Grant, rng: np.random.Generator) -> Artefact:
        """Draws the key that masks are made from."""
        del corpus, access
        return Artefact(values={"key": int(rng.integers(2**62))})

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps rows and oracle; share 0 changes nothing."""
        if self.options.share == 0:
            return access
        key = int(artefact.values["key"])
        return changed_vectors(access, lambda row, question: self._masked(row, question, key))

    def _masked(self, row: FloatArray, question: object, key: int) -> FloatArray:
        rng = generator(self.options.seed, self.name, key, digest(question))
        axis = 0 if row.ndim == 1 or self.options.what == "vectors" else 1
        places = row.shape[axis]
        count = int(np.floor(self.options.share * places + rng.random()))
        masked = row.copy()
        # An index of the first axis, or of the second behind a full slice of the first.
        masked[(slice(None),) * axis + (rng.permutation(places)[:count],)] = 0.0
        return masked
