"""One seed, many named generators: what a part draws does not depend on what other parts drew before it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np

from divulge.canonical import digest

__all__ = ["generator", "seed_for", "settled"]


def seed_for(seed: int, *names: str | int) -> int:
    """Derives a 63-bit seed from the run's seed and a path of names.

    >>> seed_for(0, "attack", "soft-token") == seed_for(0, "attack", "soft-token")
    True
    >>> seed_for(0, "attack") == seed_for(1, "attack")
    False
    """
    return int(digest([seed, *names], 16), 16) >> 1


def generator(seed: int, *names: str | int) -> np.random.Generator:
    """Makes the generator that belongs to this seed and path of names."""
    return np.random.default_rng(seed_for(seed, *names))


@contextmanager
def settled(rng: np.random.Generator) -> Iterator[None]:
    """Makes whatever torch draws depend on this generator alone, and not on the number of threads; then undoes it."""
    import torch

    threads = torch.get_num_threads()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(int(rng.integers(2**63)))
        torch.set_num_threads(1)
        try:
            yield
        finally:
            torch.set_num_threads(threads)
