"""Ranks, best tokens and likelihoods from one thing: what a network scores at each position of a passage."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from divulge.access import TokenLikelihoodAccess
from divulge.records import FloatArray, Passage

if TYPE_CHECKING:
    import torch

__all__ = ["Answer", "ScoredTokensAccess"]

Answer = Callable[["torch.Tensor", "torch.Tensor"], "torch.Tensor"]


class ScoredTokensAccess(TokenLikelihoodAccess):
    """Answers every question from `_answers`, which never needs the scores of more than a few positions at once."""

    @abstractmethod
    def _answers(self, passages: Sequence[Passage], answer: Answer) -> list[npt.NDArray[Any]]:
        """For each passage what `answer` makes of the scores (N, tokens) and the true token (N,) at its positions."""

    def _ranks(self, passages: Sequence[Passage]) -> list[npt.NDArray[np.int64]]:
        from divulge.targets.networks.next_tokens import ranks

        return [row.astype(np.int64) for row in self._answers(passages, ranks)]

    def _best(self, passages: Sequence[Passage]) -> list[tuple[str, ...]]:
        from divulge.targets.networks.next_tokens import best_tokens

        names = self.vocabulary
        return [tuple(names[int(number)] for number in row) for row in self._answers(passages, best_tokens)]

    def _log_likelihoods(self, passages: Sequence[Passage]) -> list[FloatArray]:
        from divulge.targets.networks.next_tokens import log_likelihoods

        return [row.astype(np.float64) for row in self._answers(passages, log_likelihoods)]
