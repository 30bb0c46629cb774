"""Trains the adversary's decoder: teacher forcing, all positions of a sentence in one pass, hardly any padding."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from divulge.attacks.networks.decoder import END, Decoder, stacked
from divulge.errors import ExecutionError
from divulge.training_state import TrainingState

__all__ = ["Sentences", "even_batches", "fit"]

CLIP = 1.0  # longest gradient of a step
IGNORED = -100  # torch's own mark for positions without a loss


@dataclass(frozen=True)
class Sentences:
    """Rows and the tokens behind them, by number.

    Attributes:
        rows: The vectors of each sentence; (M, d) each.
        tokens: Its tokens as numbers from 1; (T,) each.
        longest: How many tokens are learnt to be written; what comes later is left out.
    """

    rows: Sequence[npt.NDArray[np.float32]]
    tokens: Sequence[npt.NDArray[np.int64]]
    longest: int

    def __len__(self) -> int:
        """How many sentences there are."""
        return len(self.rows)

    @cached_property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How much each has to be written and read; (n, 2)."""
        pairs = [(min(len(t) + 1, self.longest), len(r)) for t, r in zip(self.tokens, self.rows, strict=True)]
        return np.array(pairs, dtype=np.int64).reshape(-1, 2)

    def loss(self, model: Decoder, numbers: npt.NDArray[np.int64]) -> torch.Tensor:
        """The mean cross-entropy of each next token, the end included, over these sentences."""
        lengths = self.sizes[numbers, 0]
        inputs = np.full((len(numbers), lengths.max()), END, dtype=np.int64)
        wanted = np.full(inputs.shape, IGNORED, dtype=np.int64)
        for line, (number, length) in enumerate(zip(numbers, lengths, strict=True)):
            written = [*self.tokens[number], END][:length]
            inputs[line, :length] = [model.start, *written[:-1]]
            wanted[line, :length] = written
        logits = model(torch.from_numpy(inputs), *stacked([self.rows[number] for number in numbers]))
        return nn.functional.cross_entropy(
            logits.flatten(0, 1), torch.from_numpy(wanted).flatten(), ignore_index=IGNORED
        )


def fit(
    model: Decoder,
    sentences: Sentences,
    rng: np.random.Generator,
    *,
    epochs: int,
    learning_rate: float,
    batch_size: int,
) -> list[float]:
    """Trains the model in place with AdamW; the mean loss of each epoch. A killed task goes on with its last epochs."""
    optimiser = torch.optim.AdamW(model.parameters(), lr=learning_rate, fused=True)
    model.reseed(rng)
    model.train()
    state = TrainingState(model, optimiser, [rng.bit_generator, *model.draws])
    losses: list[float] = [*state.resume()[0].get("losses", ())]
    while len(losses) < epochs:
        found = []
        for numbers in even_batches(sentences.sizes, batch_size, rng):
            loss = sentences.loss(model, numbers)
            if not torch.isfinite(loss):
                raise ExecutionError(f"training diverged: the loss is {loss.item()}. Lower the attack's learning_rate")
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            nn.utils.clip_grad_norm_(model.parameters(), CLIP)
            optimiser.step()
            found.append(loss.item())
        losses.append(float(np.mean(found)))
        state.leave({"losses": losses})
    model.eval()
    return losses


def even_batches(
    sizes: npt.NDArray[np.int64], batch_size: int, rng: np.random.Generator
) -> list[npt.NDArray[np.int64]]:
    """Cuts the examples, in random order, into batches of one size each; what is left over shares a few mixed ones."""
    order = rng.permutation(len(sizes))
    kinds = np.unique(sizes, axis=0, return_inverse=True)[1].reshape(-1)[order]
    whole: list[npt.NDArray[np.int64]] = []
    rest: list[npt.NDArray[np.int64]] = []
    for kind in range(int(kinds.max(initial=-1)) + 1):
        same = order[kinds == kind]
        full = len(same) // batch_size * batch_size
        whole += [same[start : start + batch_size] for start in range(0, full, batch_size)]
        rest.append(same[full:])
    left = np.concatenate(rest) if rest else order  # from short to long, so that those that share a batch are alike
    batches = [*whole, *(left[start : start + batch_size] for start in range(0, len(left), batch_size))]
    return [batches[place] for place in rng.permutation(len(batches))]
