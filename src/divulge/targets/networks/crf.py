"""A linear-chain conditional random field over tags.

Transitions are an `nn.Embedding`. With `by_example` it is looked up anew for every example: so a trainer that needs
gradients example by example (DP-SGD with Opacus) gets them without a rule of its own for this layer. Without, one
look-up serves the whole batch, which is several times faster.
"""

from __future__ import annotations

import torch
from torch import nn

__all__ = ["LinearChainCrf"]


class LinearChainCrf(nn.Module):
    """Scores a tag sequence by its emissions and the steps between tags, start and end included."""

    def __init__(self, tags: int) -> None:
        super().__init__()
        self.tags = tags
        self.by_example = False
        # Row: the tag before, or the start; column: the tag after, or the end.
        self.steps = nn.Embedding(tags + 1, tags + 1)
        nn.init.uniform_(self.steps.weight, -0.1, 0.1)

    def negative_log_likelihood(
        self, emissions: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor
    ) -> torch.Tensor:
        """-log p(tags | emissions) of each example; emissions (B, T, tags), tags (B, T), lengths (B,) >= 1 -> (B,)."""
        steps = self._steps(len(emissions))
        return self._log_partition(emissions, lengths, steps) - self._score(emissions, tags, lengths, steps)

    def best(self, emissions: torch.Tensor, lengths: torch.Tensor) -> list[list[int]]:
        """The most likely tags of each example (Viterbi)."""
        steps = self._steps(len(emissions))
        inner, start, end = steps[:, :-1, :-1], steps[:, -1, :-1], steps[:, :-1, -1].expand(len(emissions), -1)
        score = start + emissions[:, 0]  # (B, tags)
        scores, origins = [score], []
        for place in range(1, emissions.shape[1]):
            score, origin = (score[:, :, None] + inner).max(dim=1)
            score = score + emissions[:, place]
            scores.append(score)
            origins.append(origin)
        found = []
        for row, length in enumerate(lengths.tolist()):
            tag = int((scores[length - 1][row] + end[row]).argmax())
            path = [tag]
            for origin in reversed(origins[: length - 1]):
                tag = int(origin[row, tag])
                path.append(tag)
            found.append(path[::-1])
        return found

    def marginals(self, emissions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
        """How likely each tag is at each place, whatever the others are; (B, T, tags), 0 on padding.

        A marginal is the slope of the log partition function along its emission.
        """
        with torch.enable_grad():
            leaf = emissions.detach().requires_grad_()
            total = self._log_partition(leaf, lengths, self._steps(len(leaf))).sum()
            (found,) = torch.autograd.grad(total, leaf)
        return found

    def _steps(self, examples: int) -> torch.Tensor:
        """The step scores: a copy for each example where that is asked for, else one; (B or 1, tags + 1, tags + 1)."""
        rows = torch.arange(self.tags + 1, device=self.steps.weight.device)
        found: torch.Tensor = self.steps(rows.expand(examples if self.by_example and self.training else 1, -1))
        return found

    def _score(
        self, emissions: torch.Tensor, tags: torch.Tensor, lengths: torch.Tensor, steps: torch.Tensor
    ) -> torch.Tensor:
        """The score of one tag sequence per example; (B,)."""
        rows = torch.arange(len(emissions), device=emissions.device)
        real = _real(emissions, lengths)
        own = rows if len(steps) > 1 else torch.zeros_like(rows)
        emitted = emissions.gather(2, tags[:, :, None])[:, :, 0].masked_fill(~real, 0.0).sum(dim=1)
        stepped = steps[own[:, None], tags[:, :-1], tags[:, 1:]].masked_fill(~real[:, 1:], 0.0).sum(dim=1)
        last = tags[rows, lengths - 1]
        return emitted + stepped + steps[own, self.tags, tags[:, 0]] + steps[own, last, self.tags]

    def _log_partition(self, emissions: torch.Tensor, lengths: torch.Tensor, steps: torch.Tensor) -> torch.Tensor:
        """The log of the sum over all tag sequences, by the forward recursion; (B,)."""
        start, end = steps[:, -1, :-1], steps[:, :-1, -1]
        factors = steps[:, :-1, :-1].exp()
        real = _real(emissions, lengths)
        score = start + emissions[:, 0]  # (B, tags)
        for place in range(1, emissions.shape[1]):
            # log sum_i exp(score_i + step_ij) as one product of matrices; the largest score is taken out first.
            top = score.max(dim=1, keepdim=True).values.detach()
            shares = (score - top).exp()
            summed = shares @ factors[0] if len(factors) == 1 else (shares[:, None] @ factors)[:, 0]
            ahead = summed.log() + top + emissions[:, place]
            score = torch.where(real[:, place, None], ahead, score)
        return torch.logsumexp(score + end, dim=1)


def _real(emissions: torch.Tensor, lengths: torch.Tensor) -> torch.Tensor:
    """What is no padding; (B, T)."""
    return torch.arange(emissions.shape[1], device=emissions.device)[None] < lengths[:, None]
