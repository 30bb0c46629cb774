"""Names tokens whose vectors are hidden, all zeros, from the vectors that are shown around them.

Every vector of a text tells a little of the tokens beside it. How much is learnt by least squares, from what is shown
around a position to the token that is there: the fitted numbers are shares, and then probabilities of tokens.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.attacks.products import products
from divulge.records import FloatArray

__all__ = ["HiddenPieces", "hidden_places"]

Single = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]

# Ridge, rank and floor were chosen on public sentences of Skytrax.
CHUNK = 128  # texts at once in fitting: bounds the memory
VIEWS = 3  # of every text: as it is, then with further vectors hidden at random, so that gaps of all sizes are seen
MOST_TEXTS = 4000  # learnt from; more takes longer and tells little
WIDEST = 512  # vectors of more dimensions are brought to so many first: what is solved grows with their square
RIDGE = 0.03  # as a share of the features' mean square
RANK = 256
FLOOR = 1e-3  # of a probability: below, least squares cannot tell
UNKNOWN = 2 * float(np.log(FLOOR))  # of tokens that no text shows


def hidden_places(row: npt.NDArray[Any]) -> Places:
    """The positions of a row whose vectors are all zeros."""
    return np.flatnonzero(~row.any(axis=1))


@dataclass(frozen=True)
class HiddenPieces:
    """What is around a position (features, r), brought to the probability of each token `known` (r, known).

    `narrowed` (d, w) acts on wide vectors before; None leaves them as they are.
    """

    narrowed: Single | None
    around: Single
    to_pieces: Single
    known: Places
    longest: int  # tokens of a row: behind so many a text may go on

    @classmethod
    def learnt(
        cls, rows: Sequence[Single], labels: Sequence[Places], longest: int, rng: np.random.Generator
    ) -> HiddenPieces:
        """From the rows of texts whose tokens are known, hidden ones included."""
        narrowed = _narrowed(rows[:MOST_TEXTS])
        shown = [_brought(row, narrowed) for row in rows[:MOST_TEXTS]]
        texts = list(zip(shown, labels[:MOST_TEXTS], strict=True))
        known = np.unique(np.concatenate([names for _, names in texts]))
        gram: FloatArray | float = 0.0
        cross: FloatArray | float = 0.0
        for start in range(0, len(texts), CHUNK):
            viewed = [(view, names) for row, names in texts[start : start + CHUNK] for view in _views(row, rng)]
            seen = np.concatenate([_seen_around(view, longest) for view, _ in viewed]).astype(np.float32)
            named = np.searchsorted(known, np.concatenate([names for _, names in viewed]))
            gram = gram + products(seen.T, seen.T).astype(np.float64)
            cross = cross + _summed(seen, named, len(known))
        assert isinstance(gram, np.ndarray)
        assert isinstance(cross, np.ndarray)
        around, to_pieces = _reduced(gram, cross)
        return cls(narrowed, around, to_pieces, known, longest)

    def scores(self, row: FloatArray, size: int) -> Single:
        """The log-probability of every token of a vocabulary of so many, at the hidden places; (hidden, size)."""
        places = hidden_places(row)
        seen = _seen_around(_brought(row, self.narrowed), self.longest)[places]
        shares = seen.astype(np.float32) @ self.around @ self.to_pieces
        found = np.full((len(places), size), UNKNOWN, dtype=np.float32)
        found[:, self.known] = np.log(np.maximum(shares, FLOOR))
        return found

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """What is kept."""
        found: dict[str, npt.NDArray[Any]] = {
            "hidden_around": self.around,
            "hidden_to_pieces": self.to_pieces,
            "hidden_known": self.known,
        }
        return found if self.narrowed is None else {**found, "hidden_narrowed": self.narrowed}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], longest: int) -> HiddenPieces | None:
        """Reads what `arrays` gave; None where nothing was learnt."""
        if "hidden_known" not in arrays:
            return None
        return cls(
            narrowed=arrays.get("hidden_narrowed"),
            around=arrays["hidden_around"],
            to_pieces=arrays["hidden_to_pieces"],
            known=arrays["hidden_known"],
            longest=longest,
        )


def _narrowed(rows: Sequence[Single]) -> Single | None:
    """The directions in which wide vectors vary most; (d, w)."""
    width = rows[0].shape[1]
    if width <= WIDEST:
        return None
    spread = np.zeros((width, width))
    for row in rows:
        spread += row.T @ row
    return np.asarray(np.linalg.eigh(spread)[1][:, ::-1][:, :WIDEST], dtype=np.float32)


def _brought(row: npt.NDArray[Any], narrowed: Single | None) -> npt.NDArray[Any]:
    """A row in fewer dimensions; what is all zeros stays so."""
    return row if narrowed is None else row @ narrowed


def _views(row: Single, rng: np.random.Generator) -> Iterator[Single]:
    yield row
    for _ in range(VIEWS - 1):
        yield np.where(rng.random(len(row)) < rng.random(), 0.0, row.T).T.astype(np.float32)


def _seen_around(row: npt.NDArray[Any], longest: int) -> FloatArray:
    """What is shown around each position, its own vector left out; (tokens, 5 d + 5).

    The vectors on both sides, those behind a hidden one, the mean of all others, and where in the text it is.
    """
    tokens, width = row.shape
    shown = row.any(axis=1)
    edge = np.zeros((2, width))
    padded, open_ = np.concatenate([edge, row, edge]), np.concatenate([[True, True], shown, [True, True]])
    middle = np.arange(tokens) + 2
    sides = [padded[middle - 1], padded[middle + 1]]
    farther = [np.where(open_[middle + step], 0.0, padded[middle + 2 * step].T).T for step in (-1, 1)]
    others = (shown.sum() - shown)[:, None]
    mean = (row.sum(axis=0) - row) / np.maximum(others, 1)
    up_to = np.cumsum(shown)
    place = np.arange(tokens)
    ends = (place == tokens - 1) & (tokens < longest)
    told = np.stack([place == 0, ends, up_to == shown, up_to == shown.sum(), place / longest], axis=1)
    return np.concatenate([*sides, *farther, mean, told], axis=1)


def _summed(seen: Single, named: Places, size: int) -> FloatArray:
    """The features of all positions of each token, added up; (features, size)."""
    from scipy import sparse

    ones = np.ones(len(named), dtype=np.float32)
    which = sparse.csr_matrix((ones, (named, np.arange(len(named)))), shape=(size, len(named)))
    return np.asarray((which @ seen).T, dtype=np.float64)


def _reduced(gram: FloatArray, cross: FloatArray) -> tuple[Single, Single]:
    """Least squares with a ridge, of reduced rank: (features, r) and (r, pieces)."""
    lower = np.linalg.cholesky(gram + RIDGE * np.trace(gram) / len(gram) * np.eye(len(gram)))
    explained = np.linalg.solve(lower, cross)
    _, directions = np.linalg.eigh(explained @ explained.T)
    kept = directions[:, ::-1][:, :RANK]
    around = np.linalg.solve(lower.T, kept)
    return around.astype(np.float32), (kept.T @ explained).astype(np.float32)
