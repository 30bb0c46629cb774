"""Shows one vector a text in place of one a token."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

import numpy as np

from divulge.access import Access, EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.defences.changed_vectors import changed_vectors, owners_rows
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Record

__all__ = ["PooledRows"]


class PooledRows(Defence):
    """Hands out the mean, or the greatest value in each dimension, of a row's token vectors: (d,), not (tokens, d).

    Paper: gu2023, section 10.3 ("the pooled version of the sequential embeddings"; which pooling is not said).
    Needs: EmbeddedRowsAccess or EmbeddingOracleAccess, with unpooled rows.
    Idea: The order of tokens and the vector of each are gone; what is left is the text as a whole. Rows and encoder
        pool alike, over the tokens that the row holds. Attacks on unpooled rows cannot be run any more; those on pooled
        rows can, by whoever practises on pooled rows too.
    Cost: every task on tokens; search for whole texts goes on.
    """

    name = "pooled-rows"
    summary = "hand out one vector a text, the mean or maximum over its tokens"
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    pools_rows = True
    harmless: ClassVar[Mapping[str, Any]] = {"how": "none"}

    class Options(Record):
        """How to pool; none changes nothing."""

        how: Literal["none", "mean", "max"] = "mean"

    def fit(self, corpus: Corpus, access: Grant, rng: np.random.Generator) -> Artefact:
        """Makes sure that there is something to pool.

        Raises:
            InputError: The rows are pooled already: a defence that does nothing must not be reported as one.
        """
        del corpus, rng
        if self.options.how != "none" and EmbeddedRowsAccess in access:
            rows = owners_rows(self.name, access, 1)
            if rows and rows[0].ndim == 1:
                raise InputError(f"{self.name}: the rows are pooled already, shape {rows[0].shape}. Leave it out")
        return Artefact()

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps rows and oracle; `how` = "none" changes nothing."""
        del artefact
        return access if self.options.how == "none" else changed_vectors(access, lambda row, _: self._pooled(row))

    def _pooled(self, row: FloatArray) -> FloatArray:
        """(d,); zeros where a text has no tokens."""
        if row.ndim == 1:
            return row
        if not len(row):
            return np.zeros(row.shape[1])
        return np.asarray(row.mean(axis=0) if self.options.how == "mean" else row.max(axis=0), dtype=np.float64)
