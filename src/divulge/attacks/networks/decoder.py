"""A transformer decoder that reads a row of vectors and writes the sentence behind it, token by token."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

__all__ = ["END", "Decoder", "Reading", "fitting_heads", "positions", "stacked"]

END = 0  # words are numbered from 1; the number after the last word is the start, which is read and never written
BITS = 16  # random bits that decide whether a unit is left out


def fitting_heads(width: int, heads: int) -> int:
    """The largest number of heads, up to `heads`, into which the width can be cut."""
    return max(number for number in range(1, min(width, heads) + 1) if width % number == 0)


def positions(count: int, width: int) -> torch.Tensor:
    """Sines and cosines of falling frequency, as in the first transformer; (count, width)."""
    places = torch.arange(count, dtype=torch.float64)[:, None]
    rates = torch.exp(-math.log(10_000.0) * torch.arange(0, width, 2, dtype=torch.float64) / width)
    found = torch.zeros(count, width, dtype=torch.float64)
    found[:, 0::2] = torch.sin(places * rates)
    found[:, 1::2] = torch.cos(places * rates)[:, : width // 2]
    return found.float()


def stacked(rows: Sequence[npt.NDArray[np.float32]]) -> tuple[torch.Tensor, torch.Tensor | None]:
    """Rows in one tensor, filled up with zeros, (R, M, d); and how long each is, (R,), None if all are of length M."""
    lengths = [len(row) for row in rows]
    found = np.zeros((len(rows), max(lengths), rows[0].shape[1]), dtype=np.float32)
    for line, row in enumerate(rows):
        found[line, : len(row)] = row
    return torch.from_numpy(found), torch.tensor(lengths) if min(lengths) < max(lengths) else None


@dataclass
class Reading:
    """What the decoder keeps while it writes: keys and values of the rows, and of all tokens so far, layer by layer.

    Attributes:
        rows: Keys and values of each layer's attention to the rows; two of (R, heads, M, d / heads).
        blocked: Added to the attention to the rows, -inf where a row has ended; (R, 1, 1, M), None if all fill M.
        tokens: Keys and values of each layer's attention to the tokens; two of (R x G, heads, longest, d / heads).
    """

    rows: list[tuple[torch.Tensor, torch.Tensor]]
    blocked: torch.Tensor | None
    tokens: list[tuple[torch.Tensor, torch.Tensor]]


class Decoder(nn.Module):
    """Target embeddings and positions -> torch's decoder layers over the row -> one logit for the end and each word."""

    scale: torch.Tensor

    def __init__(
        self, words: int, width: int, heads: int, *, layers: int, feed_forward: int, dropout: float = 0.1
    ) -> None:
        super().__init__()
        self.heads, self.start = heads, words + 1
        self.embedding = nn.Embedding(words + 2, width)
        kind = nn.TransformerDecoderLayer
        self.layers = nn.ModuleList(kind(width, heads, feed_forward, dropout, batch_first=True) for _ in range(layers))
        self.output = nn.Linear(width, words + 1, bias=False)  # equation 4 of gu2023 prints no offset
        self.register_buffer("scale", torch.ones(1))  # typical size of the rows' numbers
        for layer in self.layers:
            for name in ("dropout", "dropout1", "dropout2", "dropout3"):
                setattr(layer, name, _QuickDropout(dropout))

    def forward(self, inputs: torch.Tensor, rows: torch.Tensor, lengths: torch.Tensor | None = None) -> torch.Tensor:
        """Logits at every position, given the true tokens before it; (B, T, words + 1).

        Args:
            inputs: The start and the true tokens, by number; (B, T).
            rows: The vectors, filled up with anything; (B, M, d).
            lengths: How many vectors each row has; None if all have M.
        """
        count, width = inputs.shape[1], rows.shape[2]
        hidden = self.embedding(inputs) + positions(count, width)
        memory = self._memory(rows)
        ended = None if lengths is None else torch.arange(rows.shape[1]) >= lengths[:, None]
        later = torch.full((count, count), -torch.inf).triu(1)
        for layer in self.layers:
            hidden = layer(hidden, memory, tgt_mask=later, tgt_is_causal=True, memory_key_padding_mask=ended)
        found: torch.Tensor = self.output(hidden)
        return found

    def read(self, rows: torch.Tensor, lengths: torch.Tensor | None, generations: int, longest: int) -> Reading:
        """Prepares to write `generations` sentences for each row, of up to `longest` tokens."""
        memory = self._memory(rows)
        (count, places, width), each = rows.shape, rows.shape[2] // self.heads
        kept = []
        for layer in self._stack:
            attention = layer.multihead_attn
            both = nn.functional.linear(memory, attention.in_proj_weight[width:], attention.in_proj_bias[width:])
            keys, values = both.view(count, places, 2, self.heads, each).permute(2, 0, 3, 1, 4).contiguous()
            kept.append((keys, values))
        blocked = None
        if lengths is not None:
            ended = torch.arange(places) >= lengths[:, None]
            blocked = torch.zeros(count, 1, 1, places).masked_fill(ended[:, None, None], -torch.inf)
        size = (count * generations, self.heads, longest, each)
        return Reading(kept, blocked, [(torch.empty(size), torch.empty(size)) for _ in self.layers])

    def step(self, inputs: torch.Tensor, place: int, reading: Reading) -> torch.Tensor:
        """Logits of the token after `inputs`, (R x G,), which are those at `place`; earlier ones are remembered.

        The same as `forward` at that position, without dropout; (R x G, words + 1).
        """
        width = self.embedding.embedding_dim
        hidden = self.embedding(inputs) + positions(place + 1, width)[place]
        for layer, rows, tokens in zip(self._stack, reading.rows, reading.tokens, strict=True):
            hidden = layer.norm1(hidden + self._to_tokens(layer.self_attn, hidden, place, tokens))
            hidden = layer.norm2(hidden + self._to_rows(layer.multihead_attn, hidden, rows, reading.blocked))
            hidden = layer.norm3(hidden + layer.linear2(torch.relu(layer.linear1(hidden))))
        found: torch.Tensor = self.output(hidden)
        return found

    def reseed(self, rng: np.random.Generator) -> None:
        """Makes what dropout leaves out depend on this generator alone."""
        for part in self.modules():
            if isinstance(part, _QuickDropout):
                part.bits = np.random.SFC64(int(rng.integers(2**63)))

    @property
    def draws(self) -> list[np.random.BitGenerator]:
        """What dropout draws from, layer by layer."""
        return [part.bits for part in self.modules() if isinstance(part, _QuickDropout)]

    @property
    def _stack(self) -> list[nn.TransformerDecoderLayer]:
        return [layer for layer in self.layers if isinstance(layer, nn.TransformerDecoderLayer)]

    def _memory(self, rows: torch.Tensor) -> torch.Tensor:
        return rows / self.scale + positions(rows.shape[1], rows.shape[2])

    def _to_tokens(
        self,
        attention: nn.MultiheadAttention,
        hidden: torch.Tensor,
        place: int,
        kept: tuple[torch.Tensor, torch.Tensor],
    ) -> torch.Tensor:
        size = (len(hidden), 3, self.heads, hidden.shape[1] // self.heads)
        projected = nn.functional.linear(hidden, attention.in_proj_weight, attention.in_proj_bias)
        query, key, value = projected.view(size).unbind(1)
        keys, values = kept
        keys[:, :, place], values[:, :, place] = key, value
        seen = nn.functional.scaled_dot_product_attention(
            query[:, :, None], keys[:, :, : place + 1], values[:, :, : place + 1]
        )
        found: torch.Tensor = attention.out_proj(seen.flatten(1))
        return found

    def _to_rows(
        self,
        attention: nn.MultiheadAttention,
        hidden: torch.Tensor,
        kept: tuple[torch.Tensor, torch.Tensor],
        blocked: torch.Tensor | None,
    ) -> torch.Tensor:
        """The generations of one row ask together, as if they were positions: its keys are not copied."""
        width, count = hidden.shape[1], len(kept[0])
        projected = nn.functional.linear(hidden, attention.in_proj_weight[:width], attention.in_proj_bias[:width])
        query = projected.view(count, -1, self.heads, width // self.heads).transpose(1, 2)
        seen = nn.functional.scaled_dot_product_attention(query, *kept, attn_mask=blocked)
        found: torch.Tensor = attention.out_proj(seen.transpose(1, 2).reshape(len(hidden), width))
        return found


class _QuickDropout(nn.Module):
    """Dropout from raw random bits: torch draws one number after another, which takes a fifth of the training."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.left_out = round(share * 2**BITS)
        self.bits = np.random.SFC64(0)

    def forward(self, units: torch.Tensor) -> torch.Tensor:
        """Leaves out a share of the units and makes up for it in the others."""
        if not self.training or self.left_out == 0:
            return units
        drawn = self.bits.random_raw((units.numel() + 3) // 4).view(np.uint16)[: units.numel()]
        kept = (drawn >= self.left_out).astype(np.float32)
        kept *= 2**BITS / (2**BITS - self.left_out)
        return units * torch.from_numpy(kept).view_as(units)
