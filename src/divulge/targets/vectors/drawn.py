"""Vectors drawn at random by the word's own name, so that every word has one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.seeds import generator
from divulge.targets.vectors.base import Kept, VectorArray, WordVectors

__all__ = ["DrawnVectors", "random_vectors"]


def random_vectors(words: Sequence[str], width: int, seed: int) -> VectorArray:
    """A vector for each word, the same wherever and whenever the word is asked for; (words, width)."""
    rows = [generator(seed, "word vector", word).standard_normal(width, dtype=np.float32) for word in words]
    return np.stack(rows) if rows else np.empty((0, width), dtype=np.float32)


class DrawnVectors(WordVectors):
    """Standard normal numbers for every word: no word has a vector of its own."""

    def __init__(self, width: int, seed: int) -> None:
        self.width = width
        self.seed = seed

    def of(self, words: Sequence[str]) -> VectorArray:
        """Draws them."""
        return random_vectors(words, self.width, self.seed)

    def lacking(self, words: Sequence[str]) -> list[str]:
        """All of them."""
        return list(words)

    def kept(self) -> Kept:
        """The width and the seed."""
        return {"kind": "random", "width": self.width, "seed": self.seed}, {}
