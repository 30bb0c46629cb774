"""How things are drawn: uneven weights, habits of a person, different texts, shares of splits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace

import numpy as np

from divulge.records import FloatArray, Text

__all__ = ["cumulative", "different", "habit", "skewed", "with_splits"]

TRIES = 20


def skewed(count: int, skew: float) -> FloatArray:
    """Weights that fall with the rank like 1 / (rank + 2) ** skew, as words do; they sum to one."""
    weights = 1.0 / (np.arange(count) + 2.0) ** skew
    return np.asarray(weights / weights.sum(), dtype=np.float64)


def cumulative(weights: FloatArray) -> list[float]:
    """Running sums up to one, for drawing by bisection."""
    sums = np.cumsum(weights)
    found: list[float] = (sums / sums[-1]).tolist()
    return found


def habit(weights: FloatArray, evenness: float, rng: np.random.Generator) -> list[float]:
    """One person's version of common weights, cumulative: each times a gamma variable of mean one.

    The smaller the `evenness`, the fewer favourites. Persons drawn this way are exchangeable: they differ only by
    chance, all in the same way.
    """
    # A floor keeps the sum from being zero where all gammas underflow.
    factors = rng.gamma(evenness, 1.0 / evenness, size=len(weights)) + 1e-9
    return cumulative(weights * factors)


def different(make: Callable[[], Text], count: int) -> Iterator[Text]:
    """Yields `count` texts whose tokens differ; a repeat only after many tries, where the grammar is exhausted."""
    seen: set[tuple[str, ...]] = set()
    for _ in range(count):
        text = make()
        for _ in range(TRIES):
            if text.tokens not in seen:
                break
            text = make()
        seen.add(text.tokens)
        yield text


def with_splits(texts: Iterator[Text], count: int, shares: Mapping[str, float]) -> tuple[Text, ...]:
    """Gives the last texts to the splits by their shares, rounded down, and the rest to train."""
    names: list[str] = []
    for split, share in shares.items():
        names += [split] * int(count * share)
    names = ["train"] * (count - len(names)) + names
    return tuple(replace(text, split=split) for text, split in zip(texts, names, strict=True))
