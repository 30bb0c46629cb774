"""A tagger whose loss is a hand-written table: small enough to work out by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch

from divulge.access import GradientAccess, Supervision
from divulge.records import Gaps

DIGITS = ("0", "1", "2")
WORDS = ("pin", "is", *DIGITS)


class TableTagger(GradientAccess):
    """Tokens are one-hot; the loss is a sum over places of a table's entry, so each place has its own best token."""

    def __init__(self, table: Sequence[Sequence[float]]) -> None:
        self.table = torch.tensor(table, dtype=torch.float64)  # (T, words)
        self.seen: list[int] = []

    @property
    def labels(self) -> tuple[str, ...]:
        return ("PinIntent", "Other")

    def _likelihoods(self, texts):  # type: ignore[no-untyped-def]
        return np.full((len(texts), 2), 0.5)

    def _vectors(self, tokens: Sequence[str]) -> torch.Tensor:
        return torch.eye(len(WORDS), dtype=torch.float64)[[WORDS.index(token) for token in tokens]]

    def _loss(self, inputs: torch.Tensor, labels: Sequence[Supervision]) -> dict[str, torch.Tensor]:
        self.seen.append(len(labels))
        parts = (inputs * self.table[None, : inputs.shape[1]]).sum(dim=2)  # (B, T)
        return {"intent": parts[:, :1].sum(dim=1), "slots": parts[:, 1:].sum(dim=1)}


def pin_hint() -> Gaps:
    """Pin is _ _, each hole a digit."""
    return Gaps(tokens=("pin", "is", None, None), label="PinIntent", candidates=(DIGITS, DIGITS))


# Columns: pin, is, 0, 1, 2. Place 2 likes "2" best (1.0), place 3 likes "0" best (0.5).
TABLE = ((0.25, 9, 9, 9, 9), (9, 0.5, 9, 9, 9), (9, 9, 3.0, 2.0, 1.0), (9, 9, 0.5, 4.0, 2.5))
