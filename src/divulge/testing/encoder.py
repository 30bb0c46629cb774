"""A fake sentence encoder: each position's vector is that of its word, blurred by its neighbours, or of no word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import numpy as np
from pydantic import Field

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.records import Artefact, FloatArray, LeakedRow, Record
from divulge.targets.base import Target
from divulge.testing.vectors import name_vector

__all__ = ["FakeEncoder", "FakeOracleAccess", "FakeRowsAccess"]

WIDTH = 32
BLUR = 0.3  # how much of its neighbours a position's vector holds


class FakeEncoder(Target):
    """Unpooled rows of the texts it was handed. Silent: rows depend on positions only, so no word is in them."""

    name = "fake-encoder"
    summary = "a stand-in sentence encoder whose rows name every word or none; for trials and tests"
    grants = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    hints = (LeakedRow,)

    class Options(Record):
        """Whether it leaks, and how many tokens it reads."""

        leaks: bool = True
        tokens: Annotated[int, Field(ge=1)] = 15

    @property
    def reads(self) -> int | None:
        """The first words of a text."""
        return int(self.options.tokens)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Embeds every text of the corpus: those are the leaked rows."""
        del rng
        rows = [_embed(text.tokens, leaks=self.options.leaks, most=self.options.tokens) for text in corpus]
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        stacked = np.concatenate(rows) if rows else np.empty((0, WIDTH))
        values = {"leaks": self.options.leaks, "tokens": self.options.tokens}
        return Artefact(values=values, arrays={"rows": stacked, "lengths": lengths})

    def open(self, artefact: Artefact) -> Grant:
        """Grants the rows and, separately, the encoder."""
        ends = np.cumsum(artefact.arrays["lengths"])
        rows = np.split(np.asarray(artefact.arrays["rows"]), ends[:-1])
        oracle = FakeOracleAccess(leaks=bool(artefact.values["leaks"]), most=int(artefact.values["tokens"]))
        return Grant([FakeRowsAccess(rows), oracle])


class FakeRowsAccess(EmbeddedRowsAccess):
    """Rows held in memory."""

    def __init__(self, rows: Sequence[FloatArray]) -> None:
        self._held = rows

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._held)

    def _rows(self, numbers: Sequence[int]) -> list[FloatArray]:
        return [self._held[number] for number in numbers]


class FakeOracleAccess(EmbeddingOracleAccess):
    """The encoder that made the rows."""

    def __init__(self, *, leaks: bool, most: int) -> None:
        self._leaks, self._most = leaks, most

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        return [_embed(text, leaks=self._leaks, most=self._most) for text in texts]


def _embed(tokens: TokenTuple, *, leaks: bool, most: int) -> FloatArray:
    """(tokens, d): a word's own vector, its position's, and a blur of its neighbours'."""
    shown = tokens[:most]
    if not shown:
        return np.empty((0, WIDTH))
    positions = np.stack([name_vector(f"position {place}", WIDTH) for place in range(len(shown))])
    if not leaks:
        return positions
    words = np.stack([name_vector(f"word {token}", WIDTH) for token in shown])
    blurred = (np.roll(words, 1, axis=0) + np.roll(words, -1, axis=0)) / 2
    return np.asarray(words + BLUR * blurred + BLUR * positions)
