"""Which pieces a text holds, told from its pooled vector: one logistic regression for each piece, all at once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from divulge.attacks.public_sentences import Floats, Numbers
from divulge.records import FloatArray

__all__ = ["PiecePresence", "fit_presence"]

BATCH = 128
WARM_UP = 0.2  # of all steps
FIRST, SECOND = 0.9, 0.999  # how slowly Adam forgets a gradient and its square
SLIGHT = 1e-3  # keeps dimensions that hardly change from being blown up


@dataclass(frozen=True)
class PiecePresence:
    """Weights (d + 1, pieces) on standardised vectors; the last row holds the offsets."""

    weights: Floats
    middle: Floats
    scale: Floats

    def logits(self, vectors: FloatArray) -> FloatArray:
        """The log odds (vectors, pieces) that a text with this vector holds a piece."""
        return np.asarray(_standardised(vectors, self.middle, self.scale) @ self.weights, dtype=np.float64)


def fit_presence(
    texts: Sequence[Numbers],
    vectors: FloatArray,
    pieces: int,
    rng: np.random.Generator,
    *,
    epochs: int,
    rate: float = 0.01,
) -> PiecePresence:
    """Fits by Adam on batches, the rate rising and then falling to nothing; pieces from `pieces` on are left out."""
    middle, scale = vectors.mean(axis=0).astype(np.float32), (vectors.std(axis=0) + SLIGHT).astype(np.float32)
    inputs = _standardised(vectors, middle, scale)
    held = [np.array(sorted({piece for piece in text if piece < pieces}), dtype=np.int64) for text in texts]
    often = np.bincount(np.concatenate(held), minlength=pieces) / len(texts)
    weights = np.zeros((inputs.shape[1], pieces), dtype=np.float32)
    weights[-1] = np.log(often + 1e-4)
    mean, square = np.zeros_like(weights), np.zeros_like(weights)
    steps, step = epochs * -(-len(texts) // BATCH), 0
    for _ in range(epochs):
        order = rng.permutation(len(texts))
        for start in range(0, len(order), BATCH):
            batch = order[start : start + BATCH]
            chances = 1 / (1 + np.exp(-(inputs[batch] @ weights)))
            for row, number in enumerate(batch.tolist()):
                chances[row, held[number]] -= 1  # now the gradient of the loss by the logits
            gradient = inputs[batch].T @ chances / np.float32(len(batch))
            step += 1
            mean += np.float32(1 - FIRST) * (gradient - mean)
            square += np.float32(1 - SECOND) * (gradient * gradient - square)
            now = rate * min(1.0, step / (WARM_UP * steps)) * (1 - step / steps)
            size = np.sqrt(square / np.float32(1 - SECOND**step)) + np.float32(1e-8)
            weights -= np.float32(now / (1 - FIRST**step)) * mean / size
    return PiecePresence(weights, middle, scale)


def _standardised(vectors: FloatArray, middle: Floats, scale: Floats) -> Floats:
    shown = (vectors - middle) / scale
    return np.hstack([shown, np.ones((len(shown), 1))]).astype(np.float32)
