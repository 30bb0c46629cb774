"""Shows part of what the dimensions of vectors hold."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from divulge.access import Access, EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.defences.changed_vectors import changed_vectors, owners_rows
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, Record

__all__ = ["DimensionCut"]

FITTED_ON = 5000  # rows that principal components are learnt from


class DimensionCut(Defence):
    """Keeps the first dimensions of every vector, or its part along the rows' main directions.

    Paper: none of the four.
    Needs: EmbeddedRowsAccess or EmbeddingOracleAccess; for `by` = "variance" the owner's rows.
    Idea: Fewer numbers hold less. Vectors keep their width, so that whatever reads them still can: by "order" the
        dimensions behind the first `kept` share are zero (as in encoders trained to be cut); by "variance" vectors are
        projected onto the kept share of principal components of the owner's rows, and back. Neither is a secret: what
        is cut can be seen in the rows.
    Cost: search and anything else that uses the vectors; by variance less than by order.
    """

    name = "dimension-cut"
    summary = "keep only the first dimensions of vectors, or their main components"
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    harmless: ClassVar[Mapping[str, Any]] = {"kept": 1.0}

    class Options(Record):
        """The share that is kept, at least one dimension, and of what."""

        kept: Annotated[float, Field(gt=0, le=1)] = 0.5
        by: Literal["order", "variance"] = "order"

    def fit(self, corpus: Corpus, access: Grant, rng: np.random.Generator) -> Artefact:
        """Learns the main directions, where they are asked for."""
        del corpus, rng
        if self.options.by == "order" or self.options.kept == 1:
            return Artefact()
        rows = owners_rows(self.name, access, FITTED_ON)
        vectors = np.concatenate([np.atleast_2d(row) for row in rows]) if rows else np.empty((0, 0))
        if len(vectors) < 2:
            raise InputError(f"{self.name} by variance learns from leaked vectors: two at least. Got {len(vectors)}")
        centre = vectors.mean(axis=0)
        spread = (vectors - centre).T @ (vectors - centre)
        directions = np.linalg.eigh(spread).eigenvectors[:, ::-1]  # the greatest variance first
        return Artefact(arrays={"centre": centre, "directions": directions[:, : self._count(len(centre))].copy()})

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps rows and oracle; kept = 1 changes nothing."""
        if self.options.kept == 1:
            return access
        if self.options.by == "order":
            return changed_vectors(access, lambda row, _: self._first(row))
        centre, directions = artefact.arrays["centre"], artefact.arrays["directions"]
        return changed_vectors(access, lambda row, _: centre + (row - centre) @ directions @ directions.T)

    def _count(self, width: int) -> int:
        return max(1, round(float(self.options.kept) * width))

    def _first(self, row: FloatArray) -> FloatArray:
        shown = row.copy()
        shown[..., self._count(row.shape[-1]) :] = 0.0
        return shown
