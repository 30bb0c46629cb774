"""Gradient descent on mixtures of words: which words, in which shares, add up to a given vector."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch

__all__ = ["descend"]


def descend(
    words: npt.NDArray[Any],
    wanted: npt.NDArray[Any],
    *,
    steps: int,
    rate: float,
    temperature: float,
    batch: int = 2048,
) -> npt.NDArray[np.float32]:
    """Finds shares p of the words whose mixture W'p comes near each wanted vector.

    `words` is W, (V, d), `wanted` (n, d); the answer is log p, (n, V). p is the softmax of free numbers over
    `temperature`, which start equal and follow Adam on |W'p - m|^2. Positions
    do not touch each other: they are cut into batches for memory's sake alone.
    """
    table = torch.from_numpy(np.asarray(words, dtype=np.float32))
    found = np.empty((len(wanted), len(words)), dtype=np.float32)
    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # sums in the same order on every machine
    try:
        for start in range(0, len(wanted), batch):
            part = torch.from_numpy(np.asarray(wanted[start : start + batch], dtype=np.float32))
            found[start : start + batch] = _descended(table, part, steps, rate, temperature).numpy()
    finally:
        torch.set_num_threads(threads)
    return found


def _descended(table: torch.Tensor, wanted: torch.Tensor, steps: int, rate: float, temperature: float) -> torch.Tensor:
    free = torch.zeros(len(wanted), len(table), requires_grad=True)
    optimiser = torch.optim.Adam([free], lr=rate)
    for _ in range(steps):
        shares = torch.softmax(free / temperature, dim=1)
        loss = ((shares @ table - wanted) ** 2).sum()
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimiser.step()
    return torch.log_softmax(free.detach() / temperature, dim=1)
