"""A recurrent network that says of each vector of a row whether its token belongs to an entity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn.functional import binary_cross_entropy_with_logits
from torch.nn.utils.rnn import pad_sequence

from divulge.records import FloatArray
from divulge.seeds import settled

__all__ = ["Training", "tagged"]

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Training:
    """How the tagger is trained."""

    hidden: int
    epochs: int
    batch_size: int
    learning_rate: float


def tagged(
    rows: Sequence[FloatArray],
    labels: Sequence[Labels],
    others: Sequence[FloatArray],
    training: Training,
    rng: np.random.Generator,
) -> list[Labels]:
    """Trains on rows (tokens, d) and their labels (tokens,); gives the labels it says of other rows.

    All rows are divided by the root mean square of the training rows' numbers: a defence that makes vectors shorter
    must not look like one that hides what is in them. No row may be empty.
    """
    with settled(rng):
        size = float(np.sqrt(np.mean([np.mean(np.square(row)) for row in rows]))) or 1.0
        inputs = [torch.from_numpy(row / size).float() for row in rows]
        wanted = [torch.from_numpy(one).float() for one in labels]
        tagger = _Tagger(rows[0].shape[1], training.hidden)
        _train(tagger, inputs, wanted, training, rng)
        with torch.no_grad():
            found = [tagger(torch.from_numpy(row / size).float()[None])[0] > 0 for row in others]
        return [one.long().numpy() for one in found]


class _Tagger(nn.Module):
    """One recurrent layer, from left to right, and a score for each position."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.recurrent = nn.RNN(width, hidden, batch_first=True)
        self.score = nn.Linear(hidden, 1)

    def forward(self, rows: torch.Tensor) -> torch.Tensor:
        """(B, T, d) to (B, T)."""
        states, _ = self.recurrent(rows)
        scores: torch.Tensor = self.score(states)[..., 0]
        return scores


def _train(
    tagger: _Tagger,
    inputs: Sequence[torch.Tensor],
    wanted: Sequence[torch.Tensor],
    training: Training,
    rng: np.random.Generator,
) -> None:
    optimiser = torch.optim.Adam(tagger.parameters(), lr=training.learning_rate)
    for _ in range(training.epochs):
        order = rng.permutation(len(inputs))
        for start in range(0, len(order), training.batch_size):
            batch = order[start : start + training.batch_size]
            # What is filled up comes after the end: a state only knows what came before it.
            scores = tagger(pad_sequence([inputs[number] for number in batch], batch_first=True))
            true = pad_sequence([wanted[number] for number in batch], batch_first=True, padding_value=-1.0)
            loss = binary_cross_entropy_with_logits(scores[true >= 0], true[true >= 0])
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimiser.step()
