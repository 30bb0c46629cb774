"""How useful the vectors still are: does a damaged sentence find its own row?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.metrics.intervals import wilson
from divulge.pieces import word_places
from divulge.probes.base import Probe
from divulge.records import FloatArray, Measurement, Record

__all__ = ["RowRetrieval"]


class RowRetrieval(Probe):
    """recall_at_10: a sentence with one word missing is embedded; is its own row among the ten nearest?

    Rows and sentences are compared as honest users would: through the defence both, by angle, unpooled ones by their
    mean. Where tokens are pieces of words, all pieces of the word are missing. More than one word may be, side by
    side (the last and the first are neighbours): among few rows one alone hardly makes a difference.
    """

    name = "row-retrieval"
    summary = "share of sentences, one word missing, whose own row is among the ten nearest"
    requires = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    revision = 3

    class Options(Record):
        """How many rows to search among, how many sentences to try, and how many words each lacks."""

        rows: Annotated[int, Field(ge=11)] = 1000
        queries: Annotated[int, Field(ge=1)] = 200
        missing: Annotated[int, Field(ge=1)] = 1

    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures recall_at_10 through the granted rows and encoder."""
        rows, oracle = access[EmbeddedRowsAccess], access[EmbeddingOracleAccess]
        count = min(rows.count, self.options.rows, len(corpus))
        words = {number: word_places(corpus.texts[number].tokens) for number in range(count)}
        long_enough = [number for number, places in words.items() if len(places) > self.options.missing]
        if count < 11 or not long_enough:
            return [Measurement(metric="recall_at_10", value=None, n=0, arm="utility")]
        held = np.stack([_pooled(row) for row in rows.rows(range(count))])  # (rows, d)
        tried = rng.permutation(long_enough)[: self.options.queries].tolist()
        damaged = []
        for number in tried:
            first, parts = int(rng.integers(len(words[number]))), words[number]
            missing = {place for step in range(self.options.missing) for place in parts[(first + step) % len(parts)]}
            tokens = corpus.texts[number].tokens
            kept = tuple(token for place, token in enumerate(tokens) if place not in missing)
            damaged.append(kept + corpus.texts[number].rest)
        asked = np.stack([_pooled(row) for row in oracle.embed(damaged)])
        if asked.shape[1] != held.shape[1]:
            raise InputError(
                f"{self.name}: rows have {held.shape[1]} numbers, and the encoder's vectors {asked.shape[1]}. "
                "Rows and encoder must belong together"
            )
        nearest = np.argsort(-(asked @ held.T), axis=1, kind="stable")[:, :10]
        hits = int(sum(number in near for number, near in zip(tried, nearest, strict=True)))
        low, high = wilson(hits, len(tried)) or (None, None)
        value = hits / len(tried)
        return [Measurement(metric="recall_at_10", value=value, low=low, high=high, n=len(tried), arm="utility")]


def _pooled(row: FloatArray) -> FloatArray:
    """The mean over tokens, at length 1; (d,)."""
    vector = row.sum(axis=0) / max(len(row), 1) if row.ndim == 2 else row
    return np.asarray(vector / (np.linalg.norm(vector) + 1e-12))
