"""Batches of texts of like length: little padding, and still another order every epoch."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["even_batches", "like_lengths", "mixed_batches", "ordered_batches", "shuffled_batches"]

POOL = 20  # batches that are drawn at random together, then sorted by length
ONE_MORE_PASS = 64  # what another pass through a network costs, in tokens


def shuffled_batches(
    lengths: npt.NDArray[np.int64], size: int, rng: np.random.Generator
) -> list[npt.NDArray[np.int64]]:
    """Cuts the examples, in random order, into batches of like length; their order is random too."""
    order = rng.permutation(len(lengths))
    pools = [order[start : start + POOL * size] for start in range(0, len(order), POOL * size)]
    batches = [
        batch for pool in pools for batch in _cut(pool[np.argsort(lengths[pool], kind="stable")], size) if len(batch)
    ]
    return [batches[place] for place in rng.permutation(len(batches))]


def even_batches(lengths: npt.NDArray[np.int64], size: int, rng: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """Cuts the examples, in random order, into batches of one length each; what is left over shares a few mixed ones.

    A recurrent network needs no packing where all texts are equally long, which saves a third of the time.
    """
    order = rng.permutation(len(lengths))
    whole: list[npt.NDArray[np.int64]] = []
    rest: list[npt.NDArray[np.int64]] = []
    for length in np.unique(lengths):
        same = order[lengths[order] == length]
        full = len(same) // size * size
        whole += _cut(same[:full], size)
        rest.append(same[full:])
    batches = [*whole, *_cut(np.concatenate(rest), size)] if rest else whole
    return [batches[place] for place in rng.permutation(len(batches))]


def mixed_batches(lengths: npt.NDArray[np.int64], size: int, rng: np.random.Generator) -> list[npt.NDArray[np.int64]]:
    """Cuts the examples, in random order, into batches of any lengths.

    The copies of one text are as long as each other: batches of like length would put them all into the same few.
    """
    return _cut(rng.permutation(len(lengths)), size)


def ordered_batches(lengths: npt.NDArray[np.int64], size: int) -> list[npt.NDArray[np.int64]]:
    """Cuts the examples into batches of like length, always the same: for answers, which need no chance."""
    return _cut(np.argsort(lengths, kind="stable"), size)


def like_lengths(lengths: npt.NDArray[np.int64], one_more: int = ONE_MORE_PASS) -> list[npt.NDArray[np.int64]]:
    """Parts one batch into groups that are read in a pass each, so that padding and passes together cost least.

    What is learnt together stays together, whatever its lengths. Half of what a network reads of canaries of 12 tokens
    and posts of 35 in one pass is padding.

    >>> [group.tolist() for group in like_lengths(np.array([30, 5, 31, 5]), one_more=10)]
    [[1, 3], [0, 2]]
    """
    order = np.argsort(lengths, kind="stable")
    ordered = lengths[order]
    least, begin = np.zeros(len(order) + 1), np.zeros(len(order) + 1, dtype=np.int64)
    for end in range(1, len(order) + 1):
        # The last group is ordered[start:end], padded to its longest.
        costs = least[:end] + (end - np.arange(end)) * ordered[end - 1] + one_more
        begin[end] = int(np.argmin(costs))
        least[end] = costs[begin[end]]
    groups, end = list[npt.NDArray[np.int64]](), len(order)
    while end:
        groups.append(order[begin[end] : end])
        end = int(begin[end])
    return groups[::-1]


def _cut(numbers: npt.NDArray[np.int64], size: int) -> list[npt.NDArray[np.int64]]:
    return [numbers[start : start + size] for start in range(0, len(numbers), size)]
