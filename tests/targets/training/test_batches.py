"""Batches of like length."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from divulge.targets.training.batches import (
    even_batches,
    like_lengths,
    mixed_batches,
    ordered_batches,
    shuffled_batches,
)

LENGTHS = st.lists(st.integers(1, 30), max_size=300).map(lambda found: np.array(found, dtype=np.int64))


@given(LENGTHS, st.integers(1, 40), st.integers(0, 5))
def test_every_example_comes_once(lengths: np.ndarray, size: int, seed: int) -> None:
    """In batches of at most the size asked for, none of them empty."""
    random = (shuffled_batches, even_batches, mixed_batches)
    for batches in (
        *(cut(lengths, size, np.random.default_rng(seed)) for cut in random),
        ordered_batches(lengths, size),
    ):
        assert sorted(int(number) for batch in batches for number in batch) == list(range(len(lengths)))
        assert all(0 < len(batch) <= size for batch in batches)


def test_the_order_is_the_generators() -> None:
    """The same seed gives the same batches, the next epoch others."""
    lengths = np.arange(200) % 9 + 1
    rng = np.random.default_rng(3)
    first, second = shuffled_batches(lengths, 16, rng), shuffled_batches(lengths, 16, rng)
    again = shuffled_batches(lengths, 16, np.random.default_rng(3))
    assert [batch.tolist() for batch in first] == [batch.tolist() for batch in again]
    assert {frozenset(batch.tolist()) for batch in first} != {frozenset(batch.tolist()) for batch in second}


def test_texts_of_one_batch_are_of_like_length() -> None:
    """Padding stays below a tenth, where cutting at random would waste about half."""
    lengths = np.random.default_rng(0).integers(1, 31, size=640)
    batches = shuffled_batches(lengths, 32, np.random.default_rng(1))
    padded = sum(len(batch) * lengths[batch].max() for batch in batches)
    assert padded < 1.1 * lengths.sum()


def test_batches_do_not_come_by_length() -> None:
    """The order of the batches is random: else every epoch would end on the longest texts."""
    lengths = np.arange(1, 641)
    longest = [int(lengths[batch].max()) for batch in shuffled_batches(lengths, 32, np.random.default_rng(0))]
    assert longest != sorted(longest)


@given(LENGTHS, st.integers(1, 40), st.integers(0, 5))
def test_even_batches_are_of_one_length_but_for_the_rest(lengths: np.ndarray, size: int, seed: int) -> None:
    """As many batches of one length as its texts fill; only what is left over of each length is mixed."""
    batches = even_batches(lengths, size, np.random.default_rng(seed))
    left = sum(int((lengths == length).sum()) % size for length in set(lengths.tolist()))
    mixed = [batch for batch in batches if len(set(lengths[batch].tolist())) > 1]
    assert sum(map(len, mixed)) <= left
    whole = sum(int((lengths == length).sum()) // size for length in set(lengths.tolist()))
    assert len(batches) == whole + -(-left // size)


def test_even_batches_are_others_in_every_epoch() -> None:
    """Who stands beside whom, and which batch comes first, is the generator's."""
    lengths = np.arange(400) % 4 + 1
    rng = np.random.default_rng(3)
    first, second = even_batches(lengths, 16, rng), even_batches(lengths, 16, rng)
    again = even_batches(lengths, 16, np.random.default_rng(3))
    assert [batch.tolist() for batch in first] == [batch.tolist() for batch in again]
    assert {frozenset(batch.tolist()) for batch in first} != {frozenset(batch.tolist()) for batch in second}
    longest = [int(lengths[batch].max()) for batch in first]
    assert longest != sorted(longest)


def test_mixed_batches_spread_texts_of_one_length() -> None:
    """100 of 1,000 texts are alike: batches of like length hold them in a few, mixed ones nearly all have some."""
    lengths = np.where(np.arange(1000) < 100, 10, np.random.default_rng(0).integers(11, 31, size=1000))
    with_some = [
        sum(bool((batch < 100).any()) for batch in cut(lengths, 32, np.random.default_rng(1)))
        for cut in (shuffled_batches, mixed_batches)
    ]
    assert with_some[0] < 10 < 25 < with_some[1]  # of 32 batches


@given(st.lists(st.integers(1, 9), max_size=7), st.integers(0, 20))
def test_groups_of_a_batch_cost_least(lengths: list[int], one_more: int) -> None:
    """No other way to cut the sorted texts is cheaper, by trying all of them; every text comes once."""
    every = np.array(lengths, dtype=np.int64)
    groups = like_lengths(every, one_more)
    assert sorted(int(number) for group in groups for number in group) == list(range(len(lengths)))
    ordered = sorted(lengths)

    def cost(parts: list[list[int]]) -> int:
        return sum(len(part) * max(part) + one_more for part in parts if part)

    ways = itertools.product([False, True], repeat=max(0, len(lengths) - 1))
    cuts = ([0, *(place + 1 for place, cut in enumerate(way) if cut), len(ordered)] for way in ways)
    least = min(cost([ordered[start:end] for start, end in itertools.pairwise(cut)]) for cut in cuts)
    assert cost([every[group].tolist() for group in groups]) == least
