"""What the tokens beside a position make likely there: bonuses on how common each token is, from public texts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["NOBODY", "PieceNeighbours"]

Single = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]

NOBODY = -1  # a neighbour that is not known
BACK_OFF = 2.0  # how many occurrences the plain frequency of a token is worth
UNSEEN = 0.02  # occurrences granted to every token of the vocabulary
WEIGHT = 0.5  # of what neighbours say: private text may be of another kind, and scores are overconfident


class PieceNeighbours:
    """Counts of neighbours in public texts, given as places in a vocabulary of `size` tokens.

    The edge of a text counts as the token `size`, but not behind a text of the greatest length, which may be cut.
    """

    def __init__(self, flat: Places, lengths: Places, size: int) -> None:
        self._flat, self._lengths, self.edge = flat, lengths, size

    @classmethod
    def of(cls, texts: Sequence[Sequence[int]], size: int) -> PieceNeighbours:
        """From texts as places of their tokens."""
        lengths = np.array([len(text) for text in texts], dtype=np.int64)
        return cls(np.array([place for text in texts for place in text], dtype=np.int64), lengths, size)

    def arrays(self) -> Mapping[str, npt.NDArray[Any]]:
        """What is kept: the texts themselves."""
        return {"neighbours": self._flat.astype(np.int32), "neighbours_lengths": self._lengths}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, npt.NDArray[Any]], size: int) -> PieceNeighbours:
        """Reads what `arrays` gave."""
        return cls(arrays["neighbours"].astype(np.int64), arrays["neighbours_lengths"], size)

    @cached_property
    def plain(self) -> Single:
        """The weighted log of how common each token is; (size,)."""
        return np.asarray(WEIGHT * np.log(self._shares[: self.edge]), dtype=np.float32)

    def add(self, scores: Single, before: Places, after: Places) -> None:
        """Adds to scores (positions, size) what the tokens before and behind each position say, beyond `plain`."""
        for row, first, last in zip(scores, before.tolist(), after.tolist(), strict=True):
            for table, known in ((self._followers, first), (self._forerunners, last)):
                if known != NOBODY:
                    part = slice(table.indptr[known], table.indptr[known + 1])
                    row[table.indices[part]] += table.data[part]

    def surprise(self, text: Places) -> float:
        """Minus the log-likelihood of a text by its pairs of neighbours; its end is not counted."""
        total, table = 0.0, self._followers
        for before, token in zip([self.edge, *text.tolist()], text.tolist(), strict=False):
            part = slice(table.indptr[before], table.indptr[before + 1])
            place = np.searchsorted(table.indices[part], token)
            found = place < part.stop - part.start and table.indices[part][place] == token
            bonus = float(table.data[part][place]) / WEIGHT if found else 0.0
            total -= float(np.log(self._shares[token] * BACK_OFF / (self._begun[before] + BACK_OFF))) + bonus
        return total

    @cached_property
    def _begun(self) -> npt.NDArray[np.int64]:
        """How often each token, or the edge, has a follower."""
        return np.bincount(self._pairs[0], minlength=self.edge + 1)

    @cached_property
    def _shares(self) -> npt.NDArray[np.float64]:
        often = np.bincount(self._flat, minlength=self.edge + 1) + UNSEEN
        return np.asarray(often / often.sum(), dtype=np.float64)

    @cached_property
    def _followers(self) -> Any:
        return self._bonuses(*self._pairs)

    @cached_property
    def _forerunners(self) -> Any:
        return self._bonuses(*self._pairs[::-1])

    @cached_property
    def _pairs(self) -> tuple[Places, Places]:
        """Every token and its follower, edges included."""
        longest = int(self._lengths.max(initial=0))
        before: list[Places] = []
        after: list[Places] = []
        edge = np.array([self.edge])
        for text in np.split(self._flat, np.cumsum(self._lengths)[:-1]):
            ends = edge if len(text) < longest else edge[:0]
            whole = np.concatenate([edge, text, ends])
            before.append(whole[:-1])
            after.append(whole[1:])
        return np.concatenate(before or [edge[:0]]), np.concatenate(after or [edge[:0]])

    def _bonuses(self, given: Places, seen: Places) -> Any:
        """The weighted log of (count + back-off x share) / (back-off x share), where there is a count; by `given`."""
        from scipy import sparse

        inside = seen < self.edge  # an edge is no token to decide for
        shape = (self.edge + 1, self.edge)
        counts = sparse.csr_matrix((np.ones(int(inside.sum())), (given[inside], seen[inside])), shape=shape)
        counts.sum_duplicates()
        counts.sort_indices()
        counts.data = (WEIGHT * np.log1p(counts.data / (BACK_OFF * self._shares[counts.indices]))).astype(np.float32)
        return counts
