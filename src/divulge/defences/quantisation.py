"""Shows vectors with few bits a number."""

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

__all__ = ["Quantisation"]

CODES = 127  # int8 from -127 to 127: zero stays zero
FITTED_ON = 2000  # rows that scales of dimensions are learnt from


class Quantisation(Defence):
    """Rounds every number to one of 255 (int8) or two (binary) levels, as vector stores do to save room.

    Paper: none of the four.
    Needs: EmbeddedRowsAccess or EmbeddingOracleAccess; scales of dimensions are learnt from the owner's rows.
    Idea: What comes out is the code times its scale, floats of the same width. int8: the greatest absolute value has
        code 127, the rest is in proportion and rounded. binary: the sign times the mean absolute value. The scale
        is each vector's own or, with `scale` = "dimension", one for each dimension over the owner's rows, which is no
        secret; what lies beyond the greatest of those is cut off there.
    Cost: little in search, which is why stores use it; little protection too is to be expected.
    """

    name = "quantisation"
    summary = "round vectors to int8 or to their signs"
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    blurs_rows = True  # a difference in the last digit of two answers may grow to a whole step
    harmless: ClassVar[Mapping[str, Any]] = {"to": "none"}

    class Options(Record):
        """To what, and of what the scale is."""

        to: Literal["none", "int8", "binary"] = "int8"
        scale: Literal["vector", "dimension"] = "vector"

    def fit(self, corpus: Corpus, access: Grant, rng: np.random.Generator) -> Artefact:
        """Learns the scale of each dimension, where it is asked for."""
        del corpus, rng
        if self.options.to == "none" or self.options.scale == "vector":
            return Artefact()
        rows = owners_rows(self.name, access, FITTED_ON)
        vectors = np.abs(np.concatenate([np.atleast_2d(row) for row in rows])) if rows else np.empty((0, 0))
        if not vectors.size:
            raise InputError(f"{self.name} learns the scale of each dimension from leaked rows, and there are none")
        return Artefact(arrays={"scale": self._scale(vectors, 0)})

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps rows and oracle; `to` = "none" changes nothing."""
        if self.options.to == "none":
            return access
        scale = artefact.arrays.get("scale")
        return changed_vectors(access, lambda row, _: self._coarse(row, scale), steps=True)

    def _scale(self, sizes: FloatArray, axis: int) -> FloatArray:
        """What one step stands for, from absolute values."""
        binary = self.options.to == "binary"
        return np.asarray(sizes.mean(axis=axis) if binary else sizes.max(axis=axis) / CODES, dtype=np.float64)

    def _coarse(self, row: FloatArray, scale: FloatArray | None) -> FloatArray:
        if not row.size:
            return row
        step = self._scale(np.abs(row), -1)[..., None] if scale is None else scale
        if self.options.to == "binary":
            return np.asarray(np.where(row < 0, -step, step))
        codes = np.round(np.divide(row, step, out=np.zeros_like(row), where=step > 0))
        return np.asarray(np.clip(codes, -CODES, CODES) * step)
