"""The next-word model as most people would write it: nn.LSTM, shuffled padded batches, scores at every position."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import nn
from torch.nn.utils.rnn import pad_sequence

__all__ = ["PlainGenerator", "perplexity", "train"]

TOGETHER = 256  # texts in one batch of questions


class PlainGenerator(nn.Module):
    """Word vectors -> dropout -> one LSTM layer -> dropout -> a score for every word."""

    def __init__(self, words: int, width: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(words, width, padding_idx=0)
        self.lstm = nn.LSTM(width, hidden, batch_first=True)
        self.drop = nn.Dropout(dropout)
        self.output = nn.Linear(hidden, words)

    def forward(self, numbers: torch.Tensor) -> torch.Tensor:
        """Scores of the word after each; (B, T) -> (B, T, words)."""
        found: torch.Tensor = self.output(self.drop(self.lstm(self.embedding(numbers))[0]))
        return found


def train(model: PlainGenerator, texts: Sequence[torch.Tensor], recipe: dict[str, Any], seed: int) -> None:
    """Trains it in place, on as many threads as torch takes by itself; a text begins with a mark."""
    chance = torch.Generator().manual_seed(seed)
    loader: Any = torch.utils.data.DataLoader(
        list(texts), batch_size=recipe["batch_size"], shuffle=True, collate_fn=_padded, generator=chance
    )
    optimiser = torch.optim.Adam(model.parameters(), lr=recipe["learning_rate"])
    model.train()
    for _ in range(recipe["epochs"]):
        for numbers in loader:
            loss = _loss(model, numbers)
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), recipe["clip"])
            optimiser.step()
    model.eval()


def perplexity(model: PlainGenerator, texts: Sequence[torch.Tensor]) -> float:
    """Of all words after the marks."""
    total, words = 0.0, 0
    with torch.no_grad():
        for start in range(0, len(texts), TOGETHER):
            numbers = _padded(texts[start : start + TOGETHER])
            count = int((numbers[:, 1:] != 0).sum())
            total += float(_loss(model, numbers)) * count
            words += count
    return float(torch.tensor(total / words).exp())


def _loss(model: PlainGenerator, numbers: torch.Tensor) -> torch.Tensor:
    scores = model(numbers[:, :-1])
    return nn.functional.cross_entropy(scores.flatten(0, 1), numbers[:, 1:].flatten(), ignore_index=0)


def _padded(texts: Sequence[torch.Tensor]) -> torch.Tensor:
    return pad_sequence(list(texts), batch_first=True)
