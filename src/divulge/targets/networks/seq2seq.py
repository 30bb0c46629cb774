"""The encoder and decoder of song2019, with attention (translation) or without (dialog)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import nn

__all__ = ["Seq2SeqNetwork"]


class Seq2SeqNetwork(nn.Module):
    """Reads a source to its end, goes on from there through the text, and scores the word after each.

    The attention is Luong's, over all states of the encoder: the score is a product through one matrix ("general"),
    and what was attended to is joined to the decoder's state by one layer. The decoder is not fed with it, so a whole
    text is one pass. Padding is 0, on the right, and changes nothing: neither of the source nor of the text.
    Without `sources`, the source is read with the word vectors of the text.
    """

    def __init__(
        self,
        sources: int | None,
        inputs: int,
        outputs: int,
        *,
        cell: Literal["lstm", "gru"],
        width: int,
        hidden: int,
        layers: int,
        dropout: float,
        attention: bool,
    ) -> None:
        super().__init__()
        kind = {"lstm": nn.LSTM, "gru": nn.GRU}[cell]
        between = dropout if layers > 1 else 0.0
        self.source = None if sources is None else nn.Embedding(sources, width, padding_idx=0)
        self.embedding = nn.Embedding(inputs, width, padding_idx=0)
        self.encoder = kind(width, hidden, layers, batch_first=True, dropout=between)
        self.decoder = kind(width, hidden, layers, batch_first=True, dropout=between)
        self.align = nn.Linear(hidden, hidden, bias=False) if attention else None
        self.join = nn.Linear(2 * hidden, hidden, bias=False) if attention else None
        self.drop = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, outputs)

    def states(self, source: torch.Tensor, shown: torch.Tensor) -> torch.Tensor:
        """What is known after each word shown; (B, S) and (B, T) -> (B, T, hidden)."""
        memory, last = self._encoded(source)
        found: torch.Tensor = self.decoder(self.embedding(shown), last)[0]
        if self.join is None:
            return found
        memory = self.drop(memory)
        attended = self.weights(found, memory, source) @ memory
        return torch.tanh(self.join(torch.cat([attended, found], dim=2)))

    def weights(self, states: torch.Tensor, memory: torch.Tensor, source: torch.Tensor) -> torch.Tensor:
        """How much each state attends to each word of the source, in all 1 and none to padding; (B, T, S)."""
        if self.align is None:
            raise TypeError("a network without attention has no weights")
        scores = states @ self.align(memory).transpose(1, 2)
        found: torch.Tensor = scores.masked_fill((source == 0)[:, None], -torch.inf).softmax(dim=2)
        return found

    def logits(self, states: torch.Tensor) -> torch.Tensor:
        """The scores of all words after each state; (N, hidden) -> (N, outputs)."""
        found: torch.Tensor = self.output(self.drop(states))
        return found

    def _encoded(self, source: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor | tuple[torch.Tensor, torch.Tensor]]:
        """The encoder's state at every word (B, S, hidden), and its state after the last."""
        read = (self.embedding if self.source is None else self.source)(source)
        lengths = (source != 0).sum(dim=1)
        if bool((lengths == source.shape[1]).all()):  # packing costs as much again as reading
            memory, last = self.encoder(read)
            return memory, last
        packed = nn.utils.rnn.pack_padded_sequence(read, lengths, batch_first=True, enforce_sorted=False)
        states, last = self.encoder(packed)
        memory, _ = nn.utils.rnn.pad_packed_sequence(states, batch_first=True, total_length=source.shape[1])
        return memory, last
