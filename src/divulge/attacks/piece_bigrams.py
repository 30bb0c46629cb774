"""Which piece follows which in public texts, smoothed: what makes a guess read like a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.attacks.public_sentences import Floats, Numbers

__all__ = ["Bigrams"]

BACK_OFF = 2.0  # how many occurrences the plain frequency of a piece is worth
UNSEEN = 0.02  # occurrences granted to every piece of the vocabulary


class Bigrams:
    """Counts of neighbours; the edge of a text counts as a piece, but not where a text was cut."""

    def __init__(self, texts: Sequence[Numbers], vocabulary: int, longest: int) -> None:
        edge = vocabulary
        before: list[int] = []
        after: list[int] = []
        for text in texts:
            whole = (edge, *text, edge) if len(text) < longest else (edge, *text)
            before += whole[:-1]
            after += whole[1:]
        self._edge = edge
        self._pairs = np.array([before, after], dtype=np.int64)

    def among(self, pieces: npt.NDArray[np.int64]) -> Floats:
        """Log probabilities (pieces + 2, pieces + 2) that one is followed by the other.

        Behind the given pieces come the edge and, with a log probability of zero, what follows where a text was cut.
        """
        shown = np.append(pieces, self._edge)
        found = np.zeros((len(shown) + 1, len(shown) + 1), dtype=np.float32)
        counts = self._counts[shown][:, shown].toarray() + BACK_OFF * self._plain[shown]
        found[:-1, :-1] = np.log(counts / (self._context[shown] + BACK_OFF)[:, None])
        return found

    @cached_property
    def _counts(self) -> Any:
        from scipy import sparse

        size = self._edge + 1
        return sparse.csr_matrix((np.ones(self._pairs.shape[1]), self._pairs), shape=(size, size))

    @cached_property
    def _plain(self) -> npt.NDArray[np.float64]:
        often = np.bincount(self._pairs[1], minlength=self._edge + 1) + UNSEEN
        return np.asarray(often / often.sum(), dtype=np.float64)

    @cached_property
    def _context(self) -> npt.NDArray[np.int64]:
        return np.bincount(self._pairs[0], minlength=self._edge + 1)
