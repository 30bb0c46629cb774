"""A fake sentence encoder: each position's vector is that of its word, blurred by its neighbours, or of no word."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

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
POOLED_WIDTH = 128  # one vector for all words of a text: it takes more room to tell them apart
BLUR = 0.3  # how much of its neighbours a position's vector holds


class FakeEncoder(Target):
    """Rows of the texts it was handed, pooled or not. Silent: they depend on positions only, so no word is in them."""

    name = "fake-encoder"
    summary = "a stand-in sentence encoder whose rows name every word or none; for trials and tests"
    grants = (EmbeddedRowsAccess, EmbeddingOracleAccess)
    hints = (LeakedRow,)

    class Options(Record):
        """Whether it leaks, how many tokens it reads, and whether it pools them."""

        leaks: bool = True
        tokens: Annotated[int, Field(ge=1)] = 15
        pooling: Literal["none", "mean"] = "none"

    @property
    def pools(self) -> bool | None:
        """As the recipe says."""
        return bool(self.options.pooling != "none")

    @property
    def reads(self) -> int | None:
        """The first words of a text."""
        return int(self.options.tokens)

    def train(self, corpus: Corpus, rng: np.random.Generator) -> Artefact:
        """Embeds every text of the corpus: those are the leaked rows."""
        del rng
        values = {name: getattr(self.options, name) for name in ("leaks", "tokens", "pooling")}
        rows = _oracle(values).embed([text.tokens for text in corpus])
        if self.options.pooling == "mean":
            return Artefact(values=values, arrays={"rows": np.stack(rows) if rows else np.empty((0, POOLED_WIDTH))})
        lengths = np.array([len(row) for row in rows], dtype=np.int64)
        stacked = np.concatenate(rows) if rows else np.empty((0, WIDTH))
        return Artefact(values=values, arrays={"rows": stacked, "lengths": lengths})

    def open(self, artefact: Artefact) -> Grant:
        """Grants the rows and, separately, the encoder."""
        held, lengths = np.asarray(artefact.arrays["rows"]), artefact.arrays.get("lengths")
        rows = list(held) if lengths is None else np.split(held, np.cumsum(lengths)[:-1])
        return Grant([FakeRowsAccess(rows), _oracle(artefact.values)])


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

    def __init__(self, *, leaks: bool, most: int, pooled: bool = False) -> None:
        self._leaks, self._most, self._pooled = leaks, most, pooled

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        embed = _pooled if self._pooled else _embed
        return [embed(text, leaks=self._leaks, most=self._most) for text in texts]


def _oracle(values: Mapping[str, Any]) -> FakeOracleAccess:
    """The encoder of these options."""
    pooled = values["pooling"] == "mean"
    return FakeOracleAccess(leaks=bool(values["leaks"]), most=int(values["tokens"]), pooled=pooled)


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


def _pooled(tokens: TokenTuple, *, leaks: bool, most: int) -> FloatArray:
    """(d,): the mean of the words' vectors, each a little changed by its position, so that order shows too."""
    shown = tokens[:most]
    if not shown:
        return np.zeros(POOLED_WIDTH)
    positions = np.stack([name_vector(f"position {place}", POOLED_WIDTH) for place in range(len(shown))])
    if not leaks:
        return np.asarray(positions.mean(axis=0))
    words = np.stack([name_vector(f"word {token}", POOLED_WIDTH) for token in shown])
    return np.asarray((words * (1 + BLUR * positions) + BLUR * positions).mean(axis=0))
