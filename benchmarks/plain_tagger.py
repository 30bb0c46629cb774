"""The tagger as most people would write it: nn.LSTM, torchcrf.CRF, shuffled padded batches, packed sequences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torchcrf
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence, pad_sequence

__all__ = ["Example", "PlainTagger", "predicted", "train"]

TOGETHER = 1024  # texts in one batch of predictions


@dataclass(frozen=True)
class Example:
    """One text as numbers."""

    words: torch.Tensor  # (T,)
    label: int
    tags: torch.Tensor  # (T,)


class PlainTagger(nn.Module):
    """Fixed word vectors -> bidirectional LSTM -> intent head, and a CRF over tags."""

    def __init__(self, vectors: torch.Tensor, labels: int, tags: int, hidden: int, layers: int) -> None:
        super().__init__()
        self.embedding = nn.Embedding.from_pretrained(vectors, padding_idx=0)
        self.lstm = nn.LSTM(vectors.shape[1], hidden, layers, batch_first=True, bidirectional=True)
        self.intent = nn.Linear(2 * hidden, labels)
        self.emission = nn.Linear(2 * hidden, tags)
        self.crf = torchcrf.CRF(tags, batch_first=True)

    def forward(self, words: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Intent logits (B, labels) and emissions (B, T, tags)."""
        packed = pack_padded_sequence(self.embedding(words), lengths, batch_first=True, enforce_sorted=False)
        found, (last, _) = self.lstm(packed)
        outputs, _ = pad_packed_sequence(found, batch_first=True)
        return self.intent(torch.cat([last[-2], last[-1]], dim=1)), self.emission(outputs)


def train(model: PlainTagger, examples: Sequence[Example], recipe: dict[str, Any], seed: int) -> None:
    """Trains it in place, on as many threads as torch takes by itself."""
    chance = torch.Generator().manual_seed(seed)
    loader = torch.utils.data.DataLoader(
        list(examples), batch_size=recipe["batch_size"], shuffle=True, collate_fn=_padded, generator=chance
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=recipe["learning_rate"], weight_decay=recipe["weight_decay"])
    model.train()
    for _ in range(recipe["epochs"]):
        for words, lengths, labels, tags in loader:
            logits, emissions = model(words, lengths)
            mask = torch.arange(words.shape[1]) < lengths[:, None]
            slots = -model.crf(emissions, tags, mask=mask, reduction="mean")
            loss = nn.functional.cross_entropy(logits, labels) + slots
            optimiser.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(model.parameters(), recipe["clip"])
            optimiser.step()
    model.eval()


def predicted(model: PlainTagger, texts: Sequence[torch.Tensor]) -> tuple[list[int], list[list[int]]]:
    """The label and the tags of each text."""
    labels: list[int] = []
    tags: list[list[int]] = []
    with torch.no_grad():
        for start in range(0, len(texts), TOGETHER):
            batch = list(texts[start : start + TOGETHER])
            lengths = torch.tensor([len(text) for text in batch])
            logits, emissions = model(pad_sequence(batch, batch_first=True), lengths)
            labels += logits.argmax(dim=1).tolist()
            tags += model.crf.decode(emissions, mask=torch.arange(emissions.shape[1]) < lengths[:, None])
    return labels, tags


def _padded(batch: list[Example]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]:
    return (
        pad_sequence([one.words for one in batch], batch_first=True),
        torch.tensor([len(one.words) for one in batch]),
        torch.tensor([one.label for one in batch]),
        pad_sequence([one.tags for one in batch], batch_first=True),
    )
