"""From the last hidden states of a batch of texts to one vector per word or per text."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal

import numpy as np
import numpy.typing as npt
import torch

__all__ = ["BATCH", "ROOM", "Pooling", "Vectors", "batches", "by_word", "pooled"]

Pooling = Literal["none", "mean", "cls", "max", "last"]
Vectors = npt.NDArray[np.float32]

BATCH = 64  # texts at most
ROOM = 2048  # positions at most, padding included: long texts go in smaller batches


def batches(lengths: npt.NDArray[np.int64]) -> Iterator[list[int]]:
    """Texts of like length together, always the same; those of no piece are left out."""
    batch: list[int] = []
    for place in np.argsort(lengths, kind="stable").tolist():
        if batch and (len(batch) == BATCH or (len(batch) + 1) * lengths[place] > ROOM):
            yield batch
            batch = []
        if lengths[place]:
            batch.append(place)
    if batch:
        yield batch


def by_word(states: torch.Tensor, owners: npt.NDArray[np.int64], count: int) -> Vectors:
    """The mean over the pieces of each word, which `owners` names (-1: of none).

    Zeros for a word without pieces; (at least the pieces, d) -> (words, d).
    """
    content = np.flatnonzero(owners >= 0)
    places = torch.from_numpy(owners[content])
    sums = torch.zeros(count, states.shape[1]).index_add_(0, places, states[torch.from_numpy(content)])
    found: Vectors = (sums / torch.bincount(places, minlength=count).clamp(min=1)[:, None]).numpy()
    return found


def pooled(states: torch.Tensor, lengths: torch.Tensor, pooling: Pooling) -> Iterable[Vectors]:
    """One vector for each text of a batch, (B, T, d) -> (B, d); what was filled up behind a text does not count."""
    if pooling == "cls":
        found = states[:, 0].clone()
    elif pooling == "last":
        found = states[torch.arange(len(states)), lengths - 1]
    else:
        filled = (torch.arange(states.shape[1]) >= lengths[:, None])[:, :, None]
        if pooling == "max":
            found = states.masked_fill(filled, -torch.inf).amax(dim=1)
        else:
            found = states.masked_fill(filled, 0.0).sum(dim=1) / lengths[:, None]
    rows: Vectors = found.numpy()
    return rows
