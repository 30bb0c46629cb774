"""The next-word network of song2019: word vectors, one recurrent layer, dropout, a score for every word."""

from __future__ import annotations

from typing import Literal

import torch
from torch import nn

from divulge.targets.networks.causal import CausalTransformer

__all__ = ["GeneratorNetwork"]


class GeneratorNetwork(nn.Module):
    """Reads numbers of words, one row per text, and scores the word after each.

    It never looks ahead, so padding on the right changes nothing of what stands before it. Of a transformer, `width`
    is that of its states and `hidden` that of its feed-forward part; only a transformer has heads.
    """

    def __init__(
        self,
        inputs: int,
        outputs: int,
        *,
        cell: Literal["lstm", "gru", "transformer"],
        width: int,
        hidden: int,
        layers: int,
        dropout: float,
        heads: int = 1,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(inputs, width, padding_idx=0)
        self.cell: nn.Module
        if cell == "transformer":
            self.cell = CausalTransformer(width, hidden, layers=layers, heads=heads, dropout=dropout)
        else:
            kind = {"lstm": nn.LSTM, "gru": nn.GRU}[cell]
            self.cell = kind(width, hidden, layers, batch_first=True, dropout=dropout if layers > 1 else 0.0)
        self.drop = nn.Dropout(dropout)
        self.output = nn.Linear(width if cell == "transformer" else hidden, outputs)

    def states(self, numbers: torch.Tensor) -> torch.Tensor:
        """What is known after each word; (B, T) -> (B, T, hidden), or width of a transformer."""
        found: torch.Tensor = self.cell(self.embedding(numbers))[0]
        return found

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """The scores of all words after each state; (N, hidden) -> (N, outputs)."""
        found: torch.Tensor = self.output(self.drop(states))
        return found
