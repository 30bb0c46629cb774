"""The trivial attack of parikh2022: descend the loss over the input vectors themselves, then take the nearest words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from divulge.attacks.relaxation import Candidates, Relaxation

if TYPE_CHECKING:
    import torch

__all__ = ["NearestEmbedding"]


class NearestEmbedding(Relaxation):
    """Optimises the input vectors of the holes, then reads off the candidate nearest to each.

    Paper: parikh2022, section 3.1, the attack it calls trivial; "comparable to the random selection" there.
    Needs: GradientAccess; gaps with candidates; no background.
    Idea: Adam follows the loss's gradient in the input vectors; no word need have the vector it arrives at, and the
        nearest by Euclidean distance is guessed.
    Cost: steps x restarts examples per secret, and one more per restart for its discrete loss; `masks` times that.
    Differs from the paper: "randomly initialized" is normal here, with the mean and standard deviation of the
        candidates' vectors in each dimension; steps and learning rate, which are not said, are those of soft-token. The
        nearest of the candidates is taken, not of the whole vocabulary, which would more often be none of them.
    """

    name = "nearest-embedding"
    summary = "gradient descent on the input vectors themselves, then the nearest candidates"

    def _start(self, candidates: Candidates, rng: np.random.Generator) -> torch.Tensor:
        """Vectors drawn like the candidates'; (hints, restarts, holes, d)."""
        import torch

        hints, holes, _, dimensions = candidates.table.shape
        real = (~candidates.blocked)[..., None].double()  # (hints, holes, width, 1)
        count = real.sum(dim=2)
        table = candidates.table.double()
        mean = (table * real).sum(dim=2) / count  # (hints, holes, d)
        deviation = (((table - mean[:, :, None]) ** 2 * real).sum(dim=2) / count).sqrt()
        size = (self.options.restarts, holes, dimensions)
        drawn = torch.from_numpy(np.stack([rng.normal(size=size) for _ in range(hints)]))
        return mean[:, None] + deviation[:, None] * drawn

    def _soft(self, free: torch.Tensor, candidates: Candidates, step: int) -> torch.Tensor:
        import torch

        del step
        # What does not move is the same in every candidate, so the first one's will do.
        return torch.where(candidates.moving, free, candidates.table[:, None, :, 0])

    def _picked(self, free: torch.Tensor, candidates: Candidates) -> torch.Tensor:
        import torch

        own, every = (part[..., candidates.moving] for part in (free.transpose(1, 2), candidates.table))
        distance = torch.cdist(own, every).transpose(1, 2)  # (hints, restarts, holes, width)
        return distance.masked_fill(candidates.blocked[:, None], float("inf")).argmin(dim=-1)
