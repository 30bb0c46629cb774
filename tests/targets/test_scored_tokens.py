"""Three answers from the scores of one pass."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pytest
import torch

from divulge.records import Passage
from divulge.targets.scored_tokens import Answer, ScoredTokensAccess

SCORES = torch.tensor([[0.0, math.log(3), 0.0], [math.log(2), 0.0, 0.0]], dtype=torch.float64)


class Fixed(ScoredTokensAccess):
    """The same scores for every passage of two words of a, b and c."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        return ("a", "b", "c")

    def _answers(self, passages: Sequence[Passage], answer: Answer) -> list[Any]:
        true = [torch.tensor([self.vocabulary.index(word) for word in passage.tokens]) for passage in passages]
        return [answer(SCORES, numbers).numpy() for numbers in true]


def test_ranks_best_tokens_and_likelihoods_are_those_of_the_scores() -> None:
    """Odds 1 : 3 : 1 and 2 : 1 : 1; of "b c" the first word is best, the second has a better one before it."""
    access, asked = Fixed(), [Passage(tokens=("b", "c")), Passage(tokens=("a", "a"))]
    assert access.best(asked) == [("b", "a"), ("b", "a")]
    first, second = access.ranks(asked)
    assert (first[0], second[1]) == (0, 0)
    assert first[1] >= 1
    assert second[0] >= 1
    likely = access.log_likelihoods(asked)
    assert likely[0].tolist() == pytest.approx([math.log(3 / 5), math.log(1 / 4)])
    assert likely[1].tolist() == pytest.approx([math.log(1 / 5), math.log(2 / 4)])
