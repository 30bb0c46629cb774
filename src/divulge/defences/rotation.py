"""Turns vectors by a secret rotation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from divulge.access import Access, EmbeddedRowsAccess, EmbeddingOracleAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.errors import InputError
from divulge.grants import ForwardOracle, ForwardRows, Grant
from divulge.records import Artefact, FloatArray, Record

__all__ = ["Rotation"]


class Rotation(Defence):
    """Multiplies every vector by one orthogonal matrix that only the owner knows.

    Paper: none of the four.
    Needs: EmbeddedRowsAccess; the owner's rows tell the width.
    Idea: Distances and angles stay, so search works as before, but a decoder trained on the plain encoder reads
        nonsense. Whoever may still ask the encoder through the same rotation learns it from a few questions.
    Cost: none in utility; that is why the adaptive attacker must be reported beside the static one.
    """

    name = "rotation"
    summary = "turn all vectors by a secret orthogonal matrix"
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    keeps_secret = True
    harmless: ClassVar[Mapping[str, Any]] = {"share": 0.0}

    class Options(Record):
        """The share of dimensions that take part; 0 changes nothing."""

        share: Annotated[float, Field(ge=0, le=1)] = 1.0

    def fit(self, corpus: Corpus, access: Grant, rng: np.random.Generator) -> Artefact:
        """Draws the rotation: uniform among orthogonal matrices of the rows' width."""
        del corpus
        if EmbeddedRowsAccess not in access:
            raise InputError(f"{self.name} needs leaked rows to turn")
        (row,) = access[EmbeddedRowsAccess].rows([0])
        width = row.shape[-1]
        # One dimension alone cannot turn: any share but none takes two along.
        turned = min(width, max(2, round(width * self.options.share))) if self.options.share else 0
        matrix = np.eye(width)
        if turned:
            orthogonal, triangle = np.linalg.qr(rng.normal(size=(turned, turned)))
            # The signs of R's diagonal make Q uniform (Haar).
            matrix[:turned, :turned] = orthogonal * np.sign(np.diag(triangle))
        return Artefact(arrays={"matrix": matrix})

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps rows and oracle."""
        if self.options.share == 0:
            return access
        if isinstance(access, EmbeddedRowsAccess):
            return _TurnedRows(access, artefact.arrays["matrix"])
        if isinstance(access, EmbeddingOracleAccess):
            return _TurnedOracle(access, artefact.arrays["matrix"])
        return access


class _TurnedRows(ForwardRows):
    def __init__(self, inner: EmbeddedRowsAccess, matrix: FloatArray) -> None:
        super().__init__(inner)
        self._matrix = matrix

    def _rows(self, numbers: Sequence[int]) -> list[FloatArray]:
        return [np.asarray(row) @ self._matrix for row in self.inner._rows(numbers)]


class _TurnedOracle(ForwardOracle):
    def __init__(self, inner: EmbeddingOracleAccess, matrix: FloatArray) -> None:
        super().__init__(inner)
        self._matrix = matrix

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return [np.asarray(row) @ self._matrix for row in self.inner._embed(texts)]
