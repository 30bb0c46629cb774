"""What the scores of a next-token model say about the true token: rank, best, log-likelihood.

Each takes the scores (N, tokens) and the numbers of the true tokens (N,) at N positions, and gives N answers.
"""

from __future__ import annotations

import torch

__all__ = ["best_tokens", "log_likelihoods", "ranks"]


def ranks(logits: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """How many tokens score higher; ties go by number, so that one question has one answer."""
    mine = logits.gather(1, true[:, None])
    earlier = torch.arange(logits.shape[1])[None] < true[:, None]
    return ((logits > mine) | ((logits == mine) & earlier)).sum(dim=1)


def best_tokens(logits: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """The number of the token that scores highest, whichever is true."""
    del true
    return torch.from_numpy(logits.numpy().argmax(axis=1))  # numpy's takes the first of a tie


def log_likelihoods(logits: torch.Tensor, true: torch.Tensor) -> torch.Tensor:
    """The natural log-likelihood of the true token, in double precision."""
    every = logits.double()
    return every.gather(1, true[:, None])[:, 0] - every.logsumexp(dim=1)
