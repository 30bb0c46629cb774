"""Ranks, best tokens and log-likelihoods, by hand."""

import math

import pytest
import torch

from divulge.targets.networks.next_tokens import best_tokens, log_likelihoods, ranks

SCORES = torch.tensor([[0.0, 2.0, 2.0, 1.0], [5.0, 5.0, 5.0, 5.0]], dtype=torch.float64)


def test_ties_go_by_number() -> None:
    """Of two that score highest the first has rank 0, the second 1; among equals the number is the rank."""
    assert ranks(SCORES, torch.tensor([1, 0])).tolist() == [0, 0]
    assert ranks(SCORES, torch.tensor([2, 3])).tolist() == [1, 3]
    assert ranks(SCORES, torch.tensor([0, 1])).tolist() == [3, 1]
    assert best_tokens(SCORES, torch.tensor([3, 3])).tolist() == [1, 0]


def test_likelihoods_are_shares_of_the_exponentials() -> None:
    """One of four equals has 1/4; in the first row e^1 / (1 + 2 e^2 + e)."""
    found = log_likelihoods(SCORES, torch.tensor([3, 2]))
    assert found[1].item() == pytest.approx(math.log(1 / 4))
    assert found[0].item() == pytest.approx(1 - math.log(1 + 2 * math.e**2 + math.e))
