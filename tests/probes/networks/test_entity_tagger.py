"""A tagger that learns what vectors say, alone or of those before them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
import torch

from divulge.probes.networks.entity_tagger import Training, tagged
from divulge.records import FloatArray

TRAINING = Training(hidden=16, epochs=12, batch_size=8, learning_rate=0.01)
SHORT = replace(TRAINING, epochs=1)
Labels = npt.NDArray[np.int64]


def rows_of(count: int, seed: int, scale: float = 1.0) -> tuple[list[FloatArray], list[Labels]]:
    """Rows of 1 to 6 vectors; the label is the sign of the first number of the vector before, 0 at the start."""
    rng = np.random.default_rng(seed)
    rows = [rng.normal(size=(1 + number % 6, 4)) * scale for number in range(count)]
    return rows, [np.concatenate([[0], (row[:-1, 0] > 0).astype(np.int64)]) for row in rows]


def accuracy(said: list[Labels], true: list[Labels]) -> float:
    return float(np.mean(np.concatenate(said) == np.concatenate(true)))


@pytest.mark.parametrize("scale", [1e-4, 1e4])
def test_it_learns_from_what_came_before_at_any_scale(scale: float) -> None:
    """The vector itself says nothing of its label."""
    (rows, labels), (others, true) = rows_of(200, 0, scale), rows_of(60, 1, scale)
    said = tagged(rows, labels, others, TRAINING, np.random.default_rng(0))
    assert [len(one) for one in said] == [len(row) for row in others]
    assert accuracy(said, true) > 0.9


def test_without_anything_to_learn_it_learns_nothing() -> None:
    """Labels that are drawn at random say nothing of others."""
    (rows, labels), (others, true) = rows_of(200, 0), rows_of(60, 1)
    mixed = [np.random.default_rng(number).integers(2, size=len(one)) for number, one in enumerate(labels)]
    assert accuracy(tagged(rows, mixed, others, TRAINING, np.random.default_rng(0)), true) < 0.75


def test_labels_do_not_depend_on_other_rows_asked() -> None:
    """One by one as together: nothing is filled up when asked."""
    (rows, labels), (others, _) = rows_of(40, 0), rows_of(6, 1)
    together = tagged(rows, labels, others, SHORT, np.random.default_rng(0))
    alone = tagged(rows, labels, others[3:4], SHORT, np.random.default_rng(0))
    assert np.array_equal(together[3], alone[0])


def test_zeros_are_rows_like_others() -> None:
    """A mask may leave nothing: no warning and no failure."""
    said = tagged([np.zeros((2, 4))] * 9, [np.array([0, 1])] * 9, [np.zeros((3, 4))], SHORT, np.random.default_rng(0))
    assert said[0].shape == (3,)


def test_the_same_generator_trains_the_same_tagger() -> None:
    """Whatever torch's own state is, which is left as it was."""
    (rows, _), (others, _) = rows_of(30, 0), rows_of(30, 1)
    mixed = [np.random.default_rng(2).integers(2, size=len(one)) for one in rows]
    torch.manual_seed(1)
    before = torch.get_rng_state()
    first = tagged(rows, mixed, others, SHORT, np.random.default_rng(0))
    assert torch.equal(torch.get_rng_state(), before)
    torch.manual_seed(2)
    again = tagged(rows, mixed, others, SHORT, np.random.default_rng(0))
    other = tagged(rows, mixed, others, SHORT, np.random.default_rng(1))
    assert np.array_equal(np.concatenate(first), np.concatenate(again))
    assert not np.array_equal(np.concatenate(first), np.concatenate(other))
