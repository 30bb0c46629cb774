"""Batches by length, and one vector per word or text of padded states."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from divulge.targets.networks.pooling import BATCH, ROOM, batches, by_word, pooled

STATES = torch.tensor([[[1.0, 4.0], [3.0, -2.0], [9.0, 9.0]], [[1.0, 1.0], [2.0, -6.0], [-3.0, 2.0]]])
LENGTHS = torch.tensor([2, 3])  # the last state of the first text was filled up


@pytest.mark.parametrize(
    ("pooling", "expected"),
    [
        ("mean", [[2.0, 1.0], [0.0, -1.0]]),  # (1 + 3) / 2, (4 - 2) / 2; (1 + 2 - 3) / 3, (1 - 6 + 2) / 3
        ("max", [[3.0, 4.0], [2.0, 2.0]]),
        ("cls", [[1.0, 4.0], [1.0, 1.0]]),
        ("last", [[3.0, -2.0], [-3.0, 2.0]]),
    ],
)
def test_what_is_filled_up_does_not_count(pooling: str, expected: list[list[float]]) -> None:
    """Two texts of two and three pieces, by hand."""
    assert np.array(pooled(STATES, LENGTHS, pooling)).tolist() == expected  # type: ignore[arg-type]


def test_a_word_is_the_mean_of_its_pieces() -> None:
    """Special pieces belong to none; a word without pieces is zeros."""
    owners = np.array([-1, 0, 0, 2, -1])
    states = torch.tensor([[7.0], [1.0], [3.0], [5.0], [7.0], [100.0]])
    assert by_word(states, owners, 3).tolist() == [[2.0], [0.0], [5.0]]


@given(st.lists(st.integers(0, 700), max_size=200))
def test_every_text_with_a_piece_is_in_one_batch(lengths: list[int]) -> None:
    """No batch has too many texts, or too many positions unless it is one text alone; lengths never fall."""
    found = list(batches(np.array(lengths, dtype=np.int64)))
    flat = [place for batch in found for place in batch]
    assert sorted(flat) == [place for place, length in enumerate(lengths) if length]
    assert [lengths[place] for place in flat] == sorted(length for length in lengths if length)
    for batch in found:
        assert len(batch) <= BATCH
        assert len(batch) == 1 or len(batch) * max(lengths[place] for place in batch) <= ROOM
