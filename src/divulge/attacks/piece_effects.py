"""What each piece adds to a pooled vector, in a linear approximation, over the whole vocabulary.

The vector of a text of n pieces is about (the sum of its pieces' effects + a constant) / (n + s) + another constant,
where s is the number of special pieces around a text, which are part of the mean. A piece's effect is a linear map of
the vector that it has as a text of its own, so that pieces which no public text holds have one too, plus what its
occurrences show beyond that.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.attacks.public_sentences import Floats, Numbers
from divulge.records import FloatArray

__all__ = ["ChosenEffects", "PieceEffects", "fit_effects"]

MAP_RIDGE = 1e-3  # of the map from single pieces, relative to the mean square of its inputs
OWN_RIDGE = 0.02  # of what a piece's occurrences add to that
MOST_OWN = 6000  # pieces whose occurrences are looked at; the equations grow with their square
SHRINKAGE = 0.1  # of the covariance of errors towards its mean variance
SLIGHT = 1e-9  # keeps equations solvable where vectors do not depend on pieces at all


@dataclass(frozen=True)
class PieceEffects:
    """Effects (pieces, d) and constants (d,), in coordinates where the approximation's errors are spherical."""

    effects: Floats
    around: Floats
    constant: Floats
    whitening: Floats  # (d, d): a vector times this is in those coordinates
    special: int

    @cached_property
    def squares(self) -> Floats:
        """The squared length of each effect."""
        return np.asarray(np.einsum("pd,pd->p", self.effects, self.effects))

    def chosen(self, pieces: npt.NDArray[np.int64]) -> ChosenEffects:
        """Those of some pieces."""
        return ChosenEffects(self.effects[pieces], self.special)


@dataclass(frozen=True)
class ChosenEffects:
    """The effects of some pieces, and how much nearer (in squared distance) edits with them bring a vector.

    `missing` is what the vector is short of its target, `rest` the vector without the constant: the mean of effects.
    """

    effects: Floats
    special: int

    def replaced(self, held: npt.NDArray[np.int64], missing: Floats) -> Floats:
        """Each of the held pieces by each piece; (held, pieces)."""
        size, toward = len(held) + self.special, self.effects @ missing
        apart = self._squares + self._squares[held, None] - 2 * self._products[held]
        return np.asarray(2 / size * (toward - toward[held, None]) - apart / size**2)

    def inserted(self, length: int, missing: Floats, rest: Floats) -> Floats:
        """Each piece, wherever; (pieces,)."""
        size = length + self.special + 1
        apart = self._squares - 2 * (self.effects @ rest) + rest @ rest
        return np.asarray(2 / size * (self.effects @ missing - missing @ rest) - apart / size**2)

    def deleted(self, held: npt.NDArray[np.int64], missing: Floats, rest: Floats) -> Floats:
        """Each of the held pieces; (held,)."""
        size, own = max(1, len(held) + self.special - 1), self.effects[held]
        apart = self._squares[held] - 2 * (own @ rest) + rest @ rest
        return np.asarray(2 / size * (missing @ rest - own @ missing) - apart / size**2)

    @cached_property
    def _products(self) -> Floats:
        return self.effects @ self.effects.T

    @cached_property
    def _squares(self) -> Floats:
        return np.diag(self._products)


def fit_effects(texts: Sequence[Numbers], vectors: FloatArray, alone: FloatArray, real: int) -> PieceEffects:
    """Fits by least squares on texts and their vectors; errors are judged on the first `real` texts.

    `alone` (pieces, d) holds the vector of each piece as a text of its own.
    """
    centred = alone - alone.mean(axis=0)
    tried = [(special, *_mapped(texts, special, centred, vectors)) for special in (0, 1, 2)]
    special, mapped, left = min(tried, key=lambda one: float(np.sum(one[2] ** 2)))
    effects, bags = centred @ mapped[:-2], _bags(texts, len(alone), special)
    occurrences = np.asarray((bags > 0).sum(axis=0)).ravel()
    often = np.sort(np.argsort(-occurrences, kind="stable")[: min(MOST_OWN, int((occurrences >= 2).sum()))])
    own = bags[:, often]
    added = np.linalg.solve((own.T @ own).toarray() + OWN_RIDGE * np.eye(len(often)), own.T @ left)
    effects[often] += added
    whitening = _whitening((left - own @ added)[:real])
    return PieceEffects(
        effects=(effects @ whitening).astype(np.float32),
        around=(mapped[-2] @ whitening).astype(np.float32),
        constant=(mapped[-1] @ whitening).astype(np.float32),
        whitening=whitening.astype(np.float32),
        special=special,
    )


def _bags(texts: Sequence[Numbers], pieces: int, special: int) -> Any:
    """How much of each text a piece is; (texts, pieces), sparse."""
    from scipy import sparse

    lengths = _lengths(texts)
    where = (np.repeat(np.arange(len(texts)), lengths), np.array([p for text in texts for p in text], dtype=np.int64))
    return sparse.csr_matrix((np.repeat(1.0 / (lengths + special), lengths), where), shape=(len(texts), pieces))


def _mapped(
    texts: Sequence[Numbers], special: int, centred: FloatArray, vectors: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The linear map (d + 2, d) from single pieces' vectors, and what it leaves of the vectors."""
    width, shares = centred.shape[1], 1.0 / (_lengths(texts) + special)
    inputs = np.hstack([_bags(texts, len(centred), special) @ centred, shares[:, None], np.ones((len(shares), 1))])
    squares = inputs.T @ inputs
    level = float(np.trace(squares[:width, :width])) / width
    ridge = MAP_RIDGE * level * np.append(np.ones(width), [1e-6, 1e-6]) + SLIGHT
    mapped = np.linalg.solve(squares + np.diag(ridge), inputs.T @ vectors)
    return mapped, vectors - inputs @ mapped


def _lengths(texts: Sequence[Numbers]) -> npt.NDArray[np.int64]:
    return np.array([len(text) for text in texts], dtype=np.int64)


def _whitening(errors: FloatArray) -> FloatArray:
    """The matrix that makes errors spherical, shrunk: some dimensions of real encoders never change."""
    covariance = errors.T @ errors / len(errors)
    level = float(np.trace(covariance)) / len(covariance) + SLIGHT
    values, vectors = np.linalg.eigh((1 - SHRINKAGE) * covariance + SHRINKAGE * level * np.eye(len(covariance)))
    return np.asarray(vectors / np.sqrt(values))
