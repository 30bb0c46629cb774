"""The true, discrete training loss of completions: what white-box attacks rank by."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.access import GradientAccess, Supervision
from divulge.records import FloatArray, Gaps

__all__ = ["completion_losses"]


def completion_losses(
    access: GradientAccess, hint: Gaps, completions: Sequence[tuple[str, ...]], batch: int = 4096
) -> FloatArray:
    """The summed loss of the text with each completion filled in; (completions,), float64.

    Losses saturate near zero, so parts are summed in float64: a tie there counts against the attack.
    """
    import torch

    words = sorted(
        {word for options in hint.candidates for word in options} | {t for t in hint.tokens if t is not None}
    )
    index = {word: place for place, word in enumerate(words)}
    vectors = access.vectors(words)  # (words, d)
    losses = np.empty(len(completions))
    with torch.no_grad():
        for start in range(0, len(completions), batch):
            chunk = completions[start : start + batch]
            ids = torch.tensor([[index[token] for token in hint.filled(filling)] for filling in chunk])  # (B, T)
            parts = access.loss(vectors[ids], [Supervision(hint.label, hint.tags)] * len(chunk))
            losses[start : start + len(chunk)] = sum(part.double() for part in parts.values()).cpu().numpy()  # type: ignore[union-attr]
    return losses
