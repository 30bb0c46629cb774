"""Small encoders in numpy for the attacks on rows: contextual, from left to right, or turned by a secret map."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.access import EmbeddingOracleAccess, TokenTuple

WIDTH = 8
PIECES = ("ant", "bee", "cat", "dog", "eel", "fox", "gnu", "hen")


class ToyOracle(EmbeddingOracleAccess):
    """A token's vector, its neighbours' mixed in, through a curve; `causal`: only what was read before."""

    def __init__(self, *, causal: bool = False, turn: np.ndarray | None = None, blur: float = 0.5) -> None:
        rng = np.random.default_rng(5)
        self.vectors = {piece: rng.normal(size=WIDTH) for piece in PIECES}
        self.causal, self.turn, self.blur = causal, turn, blur
        self.mix = rng.normal(size=(WIDTH, WIDTH)) / np.sqrt(WIDTH)

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return PIECES

    def _embed(self, texts: Sequence[TokenTuple]) -> list[np.ndarray]:
        return [self._one(text) for text in texts]

    def _one(self, text: TokenTuple) -> np.ndarray:
        if not text:
            return np.empty((0, WIDTH))
        plain = np.stack([self.vectors[piece] for piece in text])
        padded = np.concatenate([np.zeros((1, WIDTH)), plain, np.zeros((1, WIDTH))])
        near = padded[:-2] if self.causal else padded[:-2] + padded[2:]
        found = plain + self.blur * np.tanh(near @ self.mix + plain)
        return found if self.turn is None else found @ self.turn


def texts_of(count: int, length: int, seed: int) -> list[TokenTuple]:
    """Random texts."""
    rng = np.random.default_rng(seed)
    return [tuple(PIECES[place] for place in rng.integers(len(PIECES), size=length)) for _ in range(count)]
