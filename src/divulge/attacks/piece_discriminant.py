"""A linear decision about the token behind each vector of a text: closed form, contextual, of reduced rank.

A contextual vector is its token's mean plus what the neighbours add plus noise. What neighbours add is predicted from
their vectors by least squares and taken away; the rest is whitened by the noise's covariance, cut to the directions in
which tokens differ most, and compared with every token's mean (Fisher's discriminant of reduced rank).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.attacks.products import products
from divulge.records import FloatArray

__all__ = ["PieceDiscriminant", "Places", "Shortlist", "around", "best_of", "fit_discriminant"]

Single = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]

CHUNK = 512  # texts at once in fitting: bounds the memory
BROUGHT = 64  # texts at once that are brought to the plane, in memory that is used again
DECIDED = 512  # positions at once in deciding,
TILE = 1024  # and tokens: what is scored together stays in the cache while the best are looked for
PRIOR = 0.2  # weight of how common a token is: private text may be of another kind, and scores are overconfident
FEW = 4  # so many of the largest are found one after the other, which is faster than parting them off
RIDGE = 1e-3  # of the regression on neighbours, as a share of their mean variance


class Shortlist(NamedTuple):
    """The best tokens at each position, best first; (positions, count) each."""

    places: Places
    scores: Single


@dataclass(frozen=True)
class PieceDiscriminant:
    """How vectors are brought to the plane of the decision, and where each token lies on it.

    `own` (d, r) acts on a position's vector, `nearby` (2 d, r) on those around it; `centre` (r,) is taken away.
    `piece_points` (pieces, r) and `prior` (pieces,), the log of how common a token is, are in the order of `pieces`.
    """

    pieces: tuple[str, ...]
    own: FloatArray
    nearby: FloatArray
    centre: FloatArray
    piece_points: Single
    prior: Single

    @property
    def width(self) -> int:
        """That of the vectors it was fitted on."""
        return int(self.own.shape[0])

    def points(self, rows: Sequence[FloatArray]) -> FloatArray:
        """All positions of all texts, one after the other, on the plane; (positions, r)."""
        parts = (around(rows[start : start + BROUGHT]) for start in range(0, len(rows), BROUGHT))
        found = [vectors @ self.own - near @ self.nearby - self.centre for vectors, near in parts]
        return np.concatenate(found) if found else np.empty((0, len(self.centre)))

    def shortlist(self, points: FloatArray, count: int) -> Shortlist:
        """The `count` most likely tokens at each point: log prior minus half the squared distance."""
        count = min(count, len(self.pieces))
        places = np.empty((len(points), count), dtype=np.int64)
        scores = np.empty((len(points), count), dtype=np.float32)
        plus = self.prior - self._half_norms
        for start in range(0, len(points), DECIDED):
            part = slice(start, start + DECIDED)
            places[part], scores[part] = self._best(points[part].astype(np.float32), plus, count)
        return Shortlist(places, scores)

    def likeness(self, points: FloatArray, plus: Single) -> Single:
        """How well each token fits each point: minus half the squared distance, but for the point's own norm, which
        shifts all alike, and `plus` what is told of each token; (positions, pieces).
        """
        return products(points.astype(np.float32), self.piece_points, plus - self._half_norms)

    def _best(self, points: Single, plus: Single, count: int) -> tuple[Places, Single]:
        """The best of all tokens, some thousand of which are scored at once."""
        found: list[tuple[Places, Single]] = []
        for start in range(0, len(self.pieces), TILE):
            tile = slice(start, start + TILE)
            every = products(points, self.piece_points[tile], plus[tile])
            places, scores = best_of(every, min(count, every.shape[1]))
            found.append((places + start, scores))
        places, scores = (np.concatenate(ones, axis=1) for ones in zip(*found, strict=True))
        # Equal scores stay in the order of the pieces, as the tiles are.
        order = np.argsort(-scores, axis=1, kind="stable")[:, :count]
        return np.take_along_axis(places, order, axis=1), np.take_along_axis(scores, order, axis=1)

    @cached_property
    def _half_norms(self) -> Single:
        return np.asarray(0.5 * np.sum(self.piece_points**2, axis=1))

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """What is kept: points of tokens in half precision, 30,000 of rank 128 in 8 MB, unless it cannot hold them."""
        largest = float(np.abs(self.piece_points).max(initial=0.0))
        precision = np.float16 if largest < float(np.finfo(np.float16).max) else np.float32  # vectors without any noise
        return {
            "own": self.own.astype(np.float32),
            "nearby": self.nearby.astype(np.float32),
            "centre": self.centre.astype(np.float32),
            "piece_points": self.piece_points.astype(precision),
            "prior": self.prior,
        }

    @classmethod
    def from_arrays(cls, pieces: Sequence[str], arrays: Mapping[str, npt.NDArray[Any]]) -> PieceDiscriminant:
        """Reads what `arrays` gave."""
        return cls(
            pieces=tuple(pieces),
            own=np.asarray(arrays["own"], dtype=np.float64),
            nearby=np.asarray(arrays["nearby"], dtype=np.float64),
            centre=np.asarray(arrays["centre"], dtype=np.float64),
            piece_points=np.asarray(arrays["piece_points"], dtype=np.float32),
            prior=np.asarray(arrays["prior"], dtype=np.float32),
        )


def around(rows: Sequence[npt.NDArray[Any]]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Each position's vector (positions, d), and the one before beside the one behind it (positions, 2 d).

    Zeros stand where a text begins or ends.
    """
    vectors = np.concatenate(rows)
    lengths = np.array([len(row) for row in rows if len(row)], dtype=np.int64)
    starts = np.cumsum(lengths) - lengths
    before, behind = np.zeros_like(vectors), np.zeros_like(vectors)
    before[1:], behind[:-1] = vectors[:-1], vectors[1:]
    before[starts], behind[starts + lengths - 1] = 0, 0
    return vectors, np.concatenate([before, behind], axis=1)


def fit_discriminant(
    rows: Sequence[Single],
    labels: Sequence[Places],
    pieces: Sequence[str],
    common: FloatArray,
    *,
    shrinkage: float,
    rank: int,
) -> PieceDiscriminant:
    """Fits the decision to texts whose tokens are known.

    A vector of nothing but zeros was masked, and shows nothing of its token: it is learnt from as a neighbour only.

    Args:
        rows: The vectors of each text, (tokens, d).
        labels: The place in `pieces` of each of its tokens.
        pieces: The tokens to decide between; one that no text shows lies at the middle of all.
        common: How often each occurs in real text: the prior.
        shrinkage: Of the noise's covariance towards a multiple of the unit matrix.
        rank: How many directions are kept.
    """
    shown = _shown(rows, labels)
    chunks = [(rows[i : i + CHUNK], np.concatenate(shown[i : i + CHUNK])) for i in range(0, len(rows), CHUNK)]
    every = np.concatenate(shown)
    counts = np.bincount(every[every >= 0], minlength=len(pieces)).astype(np.float64)
    plain = _means(((np.concatenate(part), names) for part, names in chunks), counts)
    nearby = _regression(chunks, plain, counts)  # (2 d, d)
    means = _means(((_freed(part, nearby), names) for part, names in chunks), counts)
    freed = (_freed(part, nearby)[names >= 0].astype(np.float64) for part, names in chunks)
    products = sum(vectors.T @ vectors for vectors in freed)
    spread = products - (means * counts[:, None]).T @ means  # what is left around the means, summed; (d, d)
    seen = counts > 0
    noise = spread / max(1.0, counts.sum() - seen.sum())
    middle = means[seen].mean(axis=0)
    shrunk = _shrunk(means, counts, middle, noise) - middle
    to_plane = _plane(shrunk[seen], noise, shrinkage, rank)  # (d, r)
    return PieceDiscriminant(
        pieces=tuple(pieces),
        own=to_plane,
        nearby=nearby @ to_plane,
        centre=middle @ to_plane,
        piece_points=(shrunk @ to_plane).astype(np.float32),
        prior=(PRIOR * np.log((common + 1) / (common + 1).sum())).astype(np.float32),
    )


def _shown(rows: Sequence[Single], labels: Sequence[Places]) -> list[Places]:
    """The labels, -1 where a vector is all zeros; as they are where every vector is."""
    found = [np.where(row.any(axis=1), names, -1) for row, names in zip(rows, labels, strict=True)]
    return found if any((names >= 0).any() for names in found) else list(labels)


def best_of(every: Single, count: int) -> tuple[Places, Single]:
    """The places of the `count` largest numbers of each row, largest first, and the numbers; `every` is used up."""
    if count <= FEW:
        picked = [_largest(every) for _ in range(count)]
        return np.stack([place for place, _ in picked], axis=1), np.stack([score for _, score in picked], axis=1)
    places = np.argpartition(-every, count - 1, axis=1)[:, :count]
    places.sort(axis=1)  # equal scores then stand in the order of the pieces
    scores = np.take_along_axis(every, places, axis=1)
    order = np.argsort(-scores, axis=1, kind="stable")
    return np.take_along_axis(places, order, axis=1), np.take_along_axis(scores, order, axis=1)


def _largest(every: Single) -> tuple[Places, Single]:
    """Each row's largest number, which is struck out, and its place; (rows,) each."""
    rows = np.arange(len(every))
    places = np.argmax(every, axis=1)
    scores = every[rows, places]
    every[rows, places] = -np.inf
    return places, scores


def _freed(rows: Sequence[Single], nearby: FloatArray) -> Single:
    """Vectors without what their neighbours predict."""
    vectors, near = around(rows)
    return np.asarray(vectors - near @ nearby.astype(np.float32), dtype=np.float32)


def _means(labelled: Iterator[tuple[Single, Places]], counts: FloatArray) -> FloatArray:
    """The mean vector of each token; zeros for one never seen; (pieces, d)."""
    sums: FloatArray | None = None
    for vectors, names in labelled:
        if sums is None:
            sums = np.zeros((len(counts), vectors.shape[1]))
        np.add.at(sums, names[names >= 0], vectors[names >= 0])
    assert sums is not None
    return np.asarray(sums / np.maximum(counts, 1)[:, None])


def _regression(chunks: Sequence[tuple[Sequence[Single], Places]], means: FloatArray, counts: FloatArray) -> FloatArray:
    """Least squares of what is not the token's mean on the vectors around; (2 d, d)."""
    gram: FloatArray | float = 0.0
    cross: FloatArray | float = 0.0
    for part, names in chunks:
        vectors, near = around(part)
        # What is seen once is its own mean, and shows nothing of its neighbours.
        again = (names >= 0) & (counts[names] > 1)
        near = near[again]
        gram = gram + (near.T @ near).astype(np.float64)
        cross = cross + (near.T @ (vectors[again] - means[names[again]].astype(np.float32))).astype(np.float64)
    assert isinstance(gram, np.ndarray)
    level = RIDGE * float(np.trace(gram)) / len(gram) + 1e-9
    return np.asarray(np.linalg.solve(gram + level * np.eye(len(gram)), cross))


def _shrunk(means: FloatArray, counts: FloatArray, middle: FloatArray, noise: FloatArray) -> FloatArray:
    """Means drawn to the middle, the more the fewer sightings: weight n / (n + noise between sightings / tokens)."""
    seen = counts > 0
    within = float(np.trace(noise))
    apart = float(np.mean(np.sum((means[seen] - middle) ** 2, axis=1))) - within * float(np.mean(1 / counts[seen]))
    strength = within / max(apart, 1e-9 + 0.1 * within)
    return np.asarray((means * counts[:, None] + strength * middle) / (counts + strength)[:, None])


def _plane(means: FloatArray, noise: FloatArray, shrinkage: float, rank: int) -> FloatArray:
    """Whitens the noise, then keeps the directions in which means differ most; (d, r)."""
    level = float(np.trace(noise)) / len(noise) + 1e-9
    values, directions = np.linalg.eigh((1 - shrinkage) * noise + shrinkage * level * np.eye(len(noise)))
    white = directions / np.sqrt(np.maximum(values, 1e-12))
    apart = means @ white
    _, axes = np.linalg.eigh(apart.T @ apart)
    return np.asarray(white @ axes[:, ::-1][:, :rank])
