"""A defence for tests: permutes the dimensions of every vector, by a map that is public or kept secret."""

from __future__ import annotations

import numpy as np

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.defences.base import Defence
from divulge.grants import ForwardOracle, ForwardRows
from divulge.records import Artefact


class PublicMapping(Defence):
    """A permutation that whoever knows the defence knows too."""

    name = "public-mapping"
    summary = "permute dimensions by a known permutation"
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    blurs_rows = True

    def fit(self, corpus, access, rng):  # type: ignore[no-untyped-def]
        (row,) = access[EmbeddedRowsAccess].rows([0])
        return Artefact(arrays={"order": rng.permutation(row.shape[-1])})

    def on_access(self, access, artefact):  # type: ignore[no-untyped-def]
        order = np.asarray(artefact.arrays["order"])
        if isinstance(access, EmbeddedRowsAccess):
            return _Rows(access, order)
        return _Oracle(access, order) if isinstance(access, EmbeddingOracleAccess) else access


class SecretMapping(PublicMapping):
    """The same, but the permutation is the owner's secret."""

    name = "secret-mapping"
    keeps_secret = True


class _Rows(ForwardRows):
    def __init__(self, inner, order):  # type: ignore[no-untyped-def]
        super().__init__(inner)
        self.order = order

    def _rows(self, numbers):  # type: ignore[no-untyped-def]
        return [np.asarray(row)[..., self.order] for row in self.inner._rows(numbers)]


class _Oracle(ForwardOracle):
    def __init__(self, inner, order):  # type: ignore[no-untyped-def]
        super().__init__(inner)
        self.order = order

    def _embed(self, texts):  # type: ignore[no-untyped-def]
        return [np.asarray(row)[..., self.order] for row in self.inner._embed(texts)]
