"""A small causal transformer, called like a recurrent layer of torch."""

from __future__ import annotations

import math

import torch
from torch import nn

__all__ = ["CausalTransformer", "places"]


class CausalTransformer(nn.Module):
    """Layers of self-attention over what came before, normed first; a token's place is told by sines.

    `hidden` is the width of the feed-forward part. Only what a layer adds is dropped, no attention weight: so the
    weights of a long text need never be held at once.
    """

    def __init__(self, width: int, hidden: int, *, layers: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.blocks = nn.ModuleList(_Block(width, hidden, heads, dropout) for _ in range(layers))
        self.norm = nn.LayerNorm(width)
        self.drop = nn.Dropout(dropout)

    def forward(self, read: torch.Tensor) -> tuple[torch.Tensor, None]:
        """What is known after each token, and no state to go on from; (B, T, width) -> (B, T, width)."""
        states = self.drop(read + places(read.shape[1], read.shape[2]).to(read.dtype))
        for block in self.blocks:
            states = block(states)
        return self.norm(states), None


def places(length: int, width: int) -> torch.Tensor:
    """Sines and cosines of each place, in turn, of wavelengths from 2 pi to 20,000 pi; (length, width)."""
    slowness = torch.exp(torch.arange(0, width, 2, dtype=torch.float64) * (-math.log(10_000.0) / width))
    angles = torch.arange(length, dtype=torch.float64)[:, None] * slowness[None]
    return torch.stack([angles.sin(), angles.cos()], dim=2).flatten(1)[:, :width]


class _Block(nn.Module):
    """Attention, then the same two layers at every token; each adds to what is known."""

    def __init__(self, width: int, hidden: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention, self.before_forward = nn.LayerNorm(width), nn.LayerNorm(width)
        self.asked = nn.Linear(width, 3 * width)
        self.told = nn.Linear(width, width)
        self.forward_part = nn.Sequential(nn.Linear(width, hidden), nn.GELU(), nn.Linear(hidden, width))
        self.drop = nn.Dropout(dropout)

    def forward(self, states: torch.Tensor) -> torch.Tensor:
        states = states + self.drop(self._attended(self.before_attention(states)))
        found: torch.Tensor = states + self.drop(self.forward_part(self.before_forward(states)))
        return found

    def _attended(self, states: torch.Tensor) -> torch.Tensor:
        query, key, value = (
            part.unflatten(2, (self.heads, -1)).transpose(1, 2) for part in self.asked(states).chunk(3, dim=2)
        )
        found = nn.functional.scaled_dot_product_attention(query, key, value, is_causal=True)
        told: torch.Tensor = self.told(found.transpose(1, 2).flatten(2))
        return told
