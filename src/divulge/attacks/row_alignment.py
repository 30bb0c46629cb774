"""Undoes a linear change that an owner keeps secret, such as a rotation: a few texts embedded both ways show it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from divulge.access import EmbeddingOracleAccess, TokenTuple
from divulge.records import FloatArray

__all__ = ["Alignment", "find_alignment"]

FIRST_TEXTS = 2  # texts that show whether anything is changed at all
ALIKE = 1e-3  # relative difference below which vectors count as the same
HELD_OUT = 4  # every fourth text tells whether the map holds
RIDGE = 1e-9


@dataclass(frozen=True)
class Alignment:
    """A linear map from the vectors that leaked to those the adversary learnt on."""

    matrix: FloatArray  # (leaked d, own d)
    offset: FloatArray  # (own d,)

    def applied(self, rows: Sequence[FloatArray]) -> list[FloatArray]:
        """Rows as the adversary's own encoder would have made them."""
        return [np.asarray(row @ self.matrix + self.offset) for row in rows]


def find_alignment(
    oracle: EmbeddingOracleAccess,
    texts: Sequence[TokenTuple],
    own: Sequence[FloatArray],
    read: Callable[[Sequence[FloatArray]], Sequence[TokenTuple]],
) -> Alignment | None:
    """Asks the encoder for texts whose vectors the adversary's own encoder gave, and fits the map between both.

    None where both encoders agree on the first texts, where the map tells no more of texts held out than the vectors
    do as they are, or where less than twice their number may still be asked: rows must be read too. To tell more is to
    come nearer *and* to be `read` clearly better: with noise in the vectors least squares draws all towards their mean,
    which is nearer and says less.
    """
    left = np.inf if oracle.remaining is None else oracle.remaining
    if len(texts) <= FIRST_TEXTS or left < 2 * FIRST_TEXTS:
        return None
    shown = oracle.embed(texts[:FIRST_TEXTS])
    if _difference(shown, own[:FIRST_TEXTS]) <= ALIKE or left < 2 * len(texts):
        return None
    shown = [*shown, *oracle.embed(texts[FIRST_TEXTS:])]
    theirs, ours, known = _paired(shown, own, texts)
    if not theirs or any(vectors.ndim != 2 for vectors in theirs):
        return None
    kept = [place for place in range(len(theirs)) if place % HELD_OUT]
    tested = range(0, len(theirs), HELD_OUT)
    tried = _fitted([theirs[place] for place in kept], [ours[place] for place in kept])
    plain, wanted = [theirs[place] for place in tested], [ours[place] for place in tested]
    mapped = tried.applied(plain)
    if _difference(mapped, wanted) >= _difference(plain, wanted):
        return None
    if plain[0].shape[1] == wanted[0].shape[1]:  # else they cannot be read as they are
        held_out = [known[place] for place in tested]
        if not _clearly_more(_right(read(mapped), held_out), _right(read(plain), held_out)):
            return None
    return _fitted(theirs, ours)


def _paired(
    theirs: Sequence[FloatArray], ours: Sequence[FloatArray], texts: Sequence[TokenTuple]
) -> tuple[list[FloatArray], list[FloatArray], list[TokenTuple]]:
    """All cut to the positions that either encoder shows, texts without any left out."""
    lengths = [min(len(a), len(b)) for a, b in zip(theirs, ours, strict=True)]
    both = [(a[:n], b[:n], text[:n]) for a, b, text, n in zip(theirs, ours, texts, lengths, strict=True) if n]
    return [a for a, _, _ in both], [b for _, b, _ in both], [text for _, _, text in both]


def _right(read: Sequence[TokenTuple], texts: Sequence[TokenTuple]) -> npt.NDArray[np.bool_]:
    """Which tokens of the texts were read as they are."""
    pairs = [pair for one, text in zip(read, texts, strict=True) for pair in zip_longest(one, text)]
    return np.array([a == b for a, b in pairs], dtype=bool)


def _clearly_more(mine: npt.NDArray[np.bool_], others: npt.NDArray[np.bool_]) -> bool:
    """Whether more is right than by others, by two standard errors of what only one of both has right."""
    gained, lost = int(np.sum(mine & ~others)), int(np.sum(others & ~mine))
    return bool(gained - lost > 2 * np.sqrt(gained + lost))


def _difference(theirs: Sequence[FloatArray], ours: Sequence[FloatArray]) -> float:
    """The distance of both as a share of our vectors' norm; infinite where they have not the same shape."""
    if any(a.shape != b.shape for a, b in zip(theirs, ours, strict=True)):
        return np.inf
    apart = sum(float(np.sum((a - b) ** 2)) for a, b in zip(theirs, ours, strict=True))
    return float(np.sqrt(apart / max(sum(float(np.sum(b**2)) for b in ours), 1e-30)))


def _fitted(theirs: Sequence[FloatArray], ours: Sequence[FloatArray]) -> Alignment:
    """Least squares with an offset."""
    x, y = np.concatenate(theirs).astype(np.float64), np.concatenate(ours).astype(np.float64)
    x_mean, y_mean = x.mean(axis=0), y.mean(axis=0)
    gram = (x - x_mean).T @ (x - x_mean)
    level = RIDGE * float(np.trace(gram)) / len(gram) + 1e-12
    matrix = np.linalg.solve(gram + level * np.eye(len(gram)), (x - x_mean).T @ (y - y_mean))
    return Alignment(np.asarray(matrix), np.asarray(y_mean - x_mean @ matrix))
