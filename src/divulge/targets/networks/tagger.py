"""The network of parikh2022: word vectors, two bidirectional LSTM layers, an intent head and a CRF for slots."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import nn

from divulge.targets.networks.characters import FILTERS, CharacterCnn, spelt_out
from divulge.targets.networks.crf import LinearChainCrf

__all__ = ["TaggerNetwork"]


class TaggerNetwork(nn.Module):
    """Reads input vectors (B, T, d), so that an attack may put in a vector that belongs to no word.

    With an alphabet, what a character CNN makes of each word is appended to its vector.
    """

    def __init__(
        self,
        words: Sequence[str],
        labels: int,
        tags: int,
        *,
        width: int,
        hidden: int,
        layers: int,
        dropout: float,
        alphabet: str | None = None,
    ) -> None:
        super().__init__()
        self.embedding = nn.Embedding(len(words), width, padding_idx=0)
        self.alphabet = alphabet
        self.characters = None if alphabet is None else CharacterCnn(len(alphabet))
        spellings = spelt_out(["", "", *words[2:]], alphabet or "")
        self.register_buffer("spellings", spellings, persistent=False)
        between = dropout if layers > 1 else 0.0
        whole = width + (0 if alphabet is None else FILTERS)
        self.lstm = nn.LSTM(whole, hidden, layers, batch_first=True, bidirectional=True, dropout=between)
        self.drop = nn.Dropout(dropout)
        self.intent = nn.Linear(2 * hidden, labels)
        self.emission = nn.Linear(2 * hidden, tags)
        self.crf = LinearChainCrf(tags)

    def inputs(self, numbers: torch.Tensor) -> torch.Tensor:
        """The input vectors of numbered words; (B, T) -> (B, T, d)."""
        vectors: torch.Tensor = self.embedding(numbers)
        if self.characters is None:
            return vectors
        assert isinstance(self.spellings, torch.Tensor)
        different, places = torch.unique(numbers, return_inverse=True)  # every word is read once
        return torch.cat([vectors, self.characters(self.spellings[different])[places]], dim=-1)

    def read(self, inputs: torch.Tensor, lengths: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Intent logits (B, labels) from the last states of both directions, and emissions (B, T, tags)."""
        inputs = self.drop(inputs)
        if bool((lengths == inputs.shape[1]).all()):
            outputs, (last, _) = self.lstm(inputs)
        else:
            packed = nn.utils.rnn.pack_padded_sequence(inputs, lengths.cpu(), batch_first=True, enforce_sorted=False)
            found, (last, _) = self.lstm(packed)
            outputs, _ = nn.utils.rnn.pad_packed_sequence(found, batch_first=True, total_length=inputs.shape[1])
        ends = torch.cat([last[-2], last[-1]], dim=1)  # (B, 2 hidden): after the last word, before the first
        return self.intent(self.drop(ends)), self.emission(self.drop(outputs))

    def losses(
        self, inputs: torch.Tensor, lengths: torch.Tensor, labels: torch.Tensor, tags: torch.Tensor
    ) -> dict[str, torch.Tensor]:
        """The two parts of the training loss, each (B,): cross-entropy of the intent, CRF loss of the slots."""
        logits, emissions = self.read(inputs, lengths)
        return {
            "intent": nn.functional.cross_entropy(logits, labels, reduction="none"),
            "slots": self.crf.negative_log_likelihood(emissions, tags, lengths),
        }
