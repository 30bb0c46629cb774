"""Whether the encoder that may be asked is the adversary's own, and the way back to its own vectors if it is not.

An owner's secret rotation, a cut of dimensions or heavy noise change what the granted encoder answers. Public texts,
embedded through it once more, show how its vectors map to those the adversary learnt from.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.access import EmbeddingOracleAccess
from divulge.attacks.public_sentences import PublicSentences
from divulge.records import FloatArray

__all__ = ["WayBack", "way_back"]

SAMPLE = 8  # texts that show whether there is a difference
SAME = 0.05  # the relative distance below which there is none
RIDGES = (1e-8, 1e-4, 1e-2, 1.0)  # relative to the mean square of the vectors
HELD_OUT = 5  # every so many texts one, to choose the ridge by


@dataclass(frozen=True)
class WayBack:
    """A linear map from the granted encoder's vectors to the adversary's own."""

    matrix: FloatArray  # (width, d)
    offset: FloatArray  # (d,)

    def __call__(self, vectors: npt.NDArray[Any]) -> FloatArray:
        """Vectors (n, width) as the adversary's own encoder would have made them."""
        return np.asarray(vectors @ self.matrix + self.offset)


def way_back(public: PublicSentences, oracle: EmbeddingOracleAccess, most: int) -> WayBack | None:
    """Asks for a few public texts again and, if they come out otherwise, for up to `most`; None: nothing to map.

    Asks no more than half of what may still be asked.
    """
    allowed = len(public.texts) if oracle.remaining is None else oracle.remaining // 2
    if allowed < SAMPLE or most < SAMPLE:
        return None
    order = np.argsort(np.arange(len(public.texts)) * 0.6180339887498949 % 1)  # spread over the corpus, no draw needed
    probed = order[:SAMPLE]
    seen, own = _embedded(public, oracle, probed), public.vectors[probed].astype(np.float64)
    if seen is None:
        return None
    if seen.shape == own.shape:
        apart = np.linalg.norm(seen - own, axis=1) / np.maximum(np.linalg.norm(own, axis=1), 1e-12)
        if float(np.median(apart)) < SAME:
            return None
    more = order[SAMPLE : min(most, allowed)]
    again = _embedded(public, oracle, more) if len(more) >= HELD_OUT else None
    if again is None:
        return None
    seen = np.vstack([seen, again])
    return _fitted(seen, public.vectors[order[: len(seen)]].astype(np.float64))


def _embedded(
    public: PublicSentences, oracle: EmbeddingOracleAccess, chosen: npt.NDArray[np.int64]
) -> FloatArray | None:
    """(texts, width); None where answers are not one vector each."""
    found = oracle.embed([public.spelled(public.texts[number]) for number in chosen.tolist()])
    return np.stack(found) if all(vector.ndim == 1 for vector in found) else None


def _fitted(seen: FloatArray, own: FloatArray) -> WayBack:
    """The map by ridge regression, its strength chosen on texts held out."""
    out = np.arange(len(seen)) % HELD_OUT == 0

    def error(ridge: float) -> float:
        fit = _ridge(seen[~out], own[~out], ridge)
        return float(np.sum((fit(seen[out]) - own[out]) ** 2))

    return _ridge(seen, own, min(RIDGES, key=error))


def _ridge(seen: FloatArray, own: FloatArray, ridge: float) -> WayBack:
    middle, centre = seen.mean(axis=0), own.mean(axis=0)
    inputs = seen - middle
    squares = inputs.T @ inputs
    level = float(np.trace(squares)) / len(squares) + 1e-12
    matrix = np.linalg.solve(squares + ridge * level * np.eye(len(squares)), inputs.T @ (own - centre))
    return WayBack(matrix, centre - middle @ matrix)
