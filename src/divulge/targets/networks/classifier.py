"""A small transformer that reads a text and names its label.

Attention is written out in linear layers: whoever needs gradients example by example (DP-SGD) or twice gets them.
"""

from __future__ import annotations

import math
from typing import Literal

import torch
from torch import nn

__all__ = ["ClassifierNetwork", "positions"]

SCALE = 0.02  # of word vectors and places at the start, as in BERT: what is learnt soon outweighs what was drawn


class ClassifierNetwork(nn.Module):
    """Reads input vectors (B, T, d), so that an attack may put in a vector that belongs to no word."""

    def __init__(
        self,
        words: int,
        labels: int,
        *,
        width: int,
        layers: int,
        heads: int,
        dropout: float,
        pooling: Literal["mean", "attention"],
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width, padding_idx=0)
        nn.init.normal_(self.embedding.weight, std=SCALE)
        self.blocks = nn.ModuleList(_Block(width, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.weigh = nn.Linear(width, 1) if pooling == "attention" else None
        self.drop = nn.Dropout(dropout)
        self.head = nn.Linear(width, labels)

    def read(self, inputs: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """The logits of all labels (B, labels), of input vectors (B, T, d); without lengths, no text is padded."""
        real = None
        if lengths is not None:
            real = torch.arange(inputs.shape[1], device=inputs.device)[None] < lengths[:, None]  # (B, T)
        states = self.drop(inputs + SCALE * positions(inputs.shape[1], inputs.shape[2]).to(inputs))
        for block in self.blocks:
            states = block(states, real)
        logits: torch.Tensor = self.head(self.drop(self._pooled(self.norm(states), real)))
        return logits

    def _pooled(self, states: torch.Tensor, real: torch.Tensor | None) -> torch.Tensor:
        """The mean over real tokens, weighted where the network weighs them; (B, d)."""
        scores = states.new_zeros(states.shape[:2]) if self.weigh is None else self.weigh(states)[:, :, 0]
        if real is not None:
            scores = scores.masked_fill(~real, -torch.inf)
        return (scores.softmax(dim=1)[:, :, None] * states).sum(dim=1)


def positions(length: int, width: int) -> torch.Tensor:
    """Sines and cosines of the place, at falling pitch: no text is too long; (length, width)."""
    pitch = torch.exp(-math.log(10_000.0) * torch.arange(0, width, 2, dtype=torch.float64) / width)
    angles = torch.arange(length, dtype=torch.float64)[:, None] * pitch
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)[:, :width]


class _Block(nn.Module):
    """Attention among the real tokens, then two linear layers on each; the norm comes first."""

    def __init__(self, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_layers = nn.LayerNorm(width), nn.LayerNorm(width)
        self.ask, self.offer, self.value = nn.Linear(width, width), nn.Linear(width, width), nn.Linear(width, width)
        self.join = nn.Linear(width, width)
        self.layers = nn.Sequential(nn.Linear(width, 2 * width), nn.GELU(), nn.Linear(2 * width, width))
        self.drop = nn.Dropout(dropout)

    def forward(self, states: torch.Tensor, real: torch.Tensor | None) -> torch.Tensor:
        """The next states; (B, T, d)."""
        states = states + self.drop(self._attended(self.before_attention(states), real))
        changed: torch.Tensor = states + self.drop(self.layers(self.before_layers(states)))
        return changed

    def _attended(self, states: torch.Tensor, real: torch.Tensor | None) -> torch.Tensor:
        ask, offer, value = (self._split(layer(states)) for layer in (self.ask, self.offer, self.value))
        scores = ask @ offer.transpose(2, 3) / math.sqrt(ask.shape[-1])  # (B, heads, T, T)
        if real is not None:
            scores = scores.masked_fill(~real[:, None, None, :], -torch.inf)
        mixed = scores.softmax(dim=3) @ value  # (B, heads, T, d / heads)
        joined: torch.Tensor = self.join(mixed.transpose(1, 2).flatten(2))
        return joined

    def _split(self, states: torch.Tensor) -> torch.Tensor:
        """(B, T, d) -> (B, heads, T, d / heads)."""
        batch, length, width = states.shape
        return states.view(batch, length, self.heads, width // self.heads).transpose(1, 2)
