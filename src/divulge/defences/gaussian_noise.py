"""Adds Gaussian noise to vectors."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from divulge.access import Access, EmbeddedRowsAccess, EmbeddingOracleAccess, TokenTuple
from divulge.canonical import digest
from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.grants import ForwardOracle, ForwardRows, Grant
from divulge.handshake import OwnerSample
from divulge.records import Artefact, Check, FloatArray, Record
from divulge.seeds import generator

__all__ = ["GaussianNoise"]


class GaussianNoise(Defence):
    """Blurs leaked rows and the encoder's answers with noise in proportion to each vector's own scale.

    Paper: none of the four as such; gu2023 compares masking and mapping.
    Needs: EmbeddedRowsAccess or EmbeddingOracleAccess.
    Idea: Noise of standard deviation `strength` times the root mean square of the row's entries. It is drawn from
        (seed, the owner's secret key, question): the same question gets the same answer, so asking again does not
        average it away, unless `fresh` says that the deployed encoder draws anew each time. Whoever knew the key
        could take the noise off again.
    Cost: retrieval and anything else that uses the vectors; measured through the noise.
    """

    name = "gaussian-noise"
    summary = "add Gaussian noise of relative size `strength` to vectors"
    levels = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    keeps_secret = True
    blurs_rows = True
    harmless: ClassVar[Mapping[str, Any]] = {"strength": 0.0}

    class Options(Record):
        """Relative size of the noise, its seed, and whether every query draws anew."""

        strength: Annotated[float, Field(ge=0)] = 0.5
        seed: int = 0
        fresh: bool = False

    def fit(self, corpus: Corpus, access: Grant, rng: np.random.Generator) -> Artefact:
        """Draws the key that the noise is made from."""
        del corpus, access
        return Artefact(values={"key": int(rng.integers(2**62))})

    def on_access(self, access: Access, artefact: Artefact) -> Access:
        """Wraps rows and oracle; strength 0 changes nothing."""
        if self.options.strength == 0:
            return access
        if isinstance(access, EmbeddedRowsAccess):
            return _NoisyRows(access, _Noise(self.options, artefact))
        if isinstance(access, EmbeddingOracleAccess):
            return _NoisyOracle(access, _Noise(self.options, artefact))
        return access


class _Noise:
    def __init__(self, options: GaussianNoise.Options, artefact: Artefact) -> None:
        self._options, self._key = options, int(artefact.values["key"])
        self._asked = itertools.count()

    @property
    def fresh(self) -> bool:
        return self._options.fresh

    def added(self, row: FloatArray, question: object) -> FloatArray:
        turn = next(self._asked) if self.fresh else 0
        rng = generator(self._options.seed, "gaussian-noise", self._key, digest(question), turn)
        scale = self._options.strength * float(np.sqrt(np.mean(np.square(row)))) if row.size else 0.0
        return row + rng.normal(scale=scale, size=row.shape) if scale else row


class _NoisyRows(ForwardRows):
    def __init__(self, inner: EmbeddedRowsAccess, noise: _Noise) -> None:
        super().__init__(inner)
        self._noise = noise

    def _rows(self, numbers: Sequence[int]) -> list[FloatArray]:
        clear = self.inner._rows(numbers)
        return [self._noise.added(np.asarray(row), int(n)) for row, n in zip(clear, numbers, strict=True)]


class _NoisyOracle(ForwardOracle):
    def __init__(self, inner: EmbeddingOracleAccess, noise: _Noise) -> None:
        super().__init__(inner)
        self._noise = noise

    def handshake(self, sample: OwnerSample) -> list[Check]:
        # Noise that is fresh on purpose is no fault: what must answer alike is the encoder behind it.
        return self.inner.handshake(sample) if self._noise.fresh else super().handshake(sample)

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        clear = self.inner._embed(texts)
        return [self._noise.added(np.asarray(row), list(text)) for row, text in zip(clear, texts, strict=True)]
