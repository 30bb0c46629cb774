"""The attack of parikh2022: descend the loss over a soft choice of tokens, then read off the hard one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import numpy as np
from pydantic import Field

from divulge.attacks.relaxation import Candidates, Relaxation

if TYPE_CHECKING:
    import torch

__all__ = ["SoftToken", "SoftTokenRestarted"]


class SoftToken(Relaxation):
    """Optimises a softmax over the candidates of each hole until the model's loss is least.

    Paper: parikh2022, section 3.1, equations 1-3, appendix B.
    Needs: GradientAccess; gaps with candidates; no background.
    Idea: Each hole has logits over its candidates; their softmax at a falling temperature mixes the candidates'
        vectors; Adam follows the loss's gradient back to the logits. After 250 steps the largest logit wins.
    Cost: steps x restarts examples per secret, and one more per restart to choose between them; `masks` times that.
    Differs from the paper: equation 1's sum is printed over positions; it must run over the candidates. How the
        logits start is not said: here they are normal with standard deviation `spread`. What characters a soft token
        has is not said: here they are mixed like the words (`characters: mixed`), or none (`unknown`).
    """

    name = "soft-token"
    summary = "gradient descent on a softmax over candidate tokens, one restart, as published"

    class Options(Relaxation.Options):
        """Those of the descent, and of the softmax."""

        temperature: Annotated[float, Field(gt=0)] = 0.1
        temperature_decay: Annotated[float, Field(gt=0, le=1)] = 0.997
        spread: Annotated[float, Field(ge=0)] = 0.01

    def _start(self, candidates: Candidates, rng: np.random.Generator) -> torch.Tensor:
        """The logits Z; (hints, restarts, holes, width)."""
        import torch

        hints, holes, width, _ = candidates.table.shape
        size = (self.options.restarts, holes, width)
        return torch.from_numpy(np.stack([rng.normal(scale=self.options.spread, size=size) for _ in range(hints)]))

    def _soft(self, free: torch.Tensor, candidates: Candidates, step: int) -> torch.Tensor:
        import torch

        temperature = self.options.temperature * self.options.temperature_decay**step
        attention = torch.softmax(_offered(free, candidates) / temperature, dim=-1)  # equation 1
        return torch.einsum("brhw,bhwd->brhd", attention, candidates.table)  # equation 2

    def _picked(self, free: torch.Tensor, candidates: Candidates) -> torch.Tensor:
        return _offered(free, candidates).argmax(dim=-1)


class SoftTokenRestarted(SoftToken):
    """The same, from 32 starts in one batch; the completion of least discrete loss comes first."""

    name = "soft-token-32"
    summary = "soft-token from 32 random starts, the best by loss first"

    trial: ClassVar[Mapping[str, Any]] = {"restarts": 8}

    class Options(SoftToken.Options):
        """As soft-token, with 32 restarts."""

        restarts: Annotated[int, Field(ge=1)] = 32


def _offered(logits: torch.Tensor, candidates: Candidates) -> torch.Tensor:
    """The logits, with padding never chosen."""
    return logits.masked_fill(candidates.blocked[:, None], float("-inf"))
