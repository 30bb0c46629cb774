"""The arithmetic behind the handshake, by hand and against other libraries."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy.stats import binom

from divulge.trials import half_unit, luck, moved_labels, same_vectors, slopes


@pytest.mark.parametrize(
    ("right", "n", "chance"), [(0, 5, 0.3), (3, 4, 0.5), (7, 20, 0.2), (147, 256, 0.5), (511, 511, 0.9)]
)
def test_luck_is_the_tail_of_the_binomial(right: int, n: int, chance: float) -> None:
    """P(X >= right), as scipy has it."""
    assert luck(right, n, chance) == pytest.approx(binom.sf(right - 1, n, chance), rel=1e-9)


def test_where_all_are_alike_everything_is_luck() -> None:
    """With one label only, or none, no number of right answers tells anything."""
    assert luck(20, 20, 1.0) == 1.0
    assert luck(0, 0, 0.0) == 1.0


def labelled(*counts: tuple[int, int, int]) -> tuple[np.ndarray, np.ndarray]:
    """True and said labels from (true, said, how often)."""
    rows = [(true, said) for true, said, often in counts for _ in range(often)]
    return np.array([true for true, _ in rows]), np.array([said for _, said in rows])


@pytest.mark.parametrize(
    ("counts", "moved"),
    [
        ([(0, 0, 9), (1, 1, 9)], 0),
        ([(0, 1, 9), (1, 0, 9), (2, 2, 9)], 2),  # two changed places
        ([(0, 1, 9), (1, 2, 9), (2, 0, 9), (3, 3, 9)], 3),  # all but the last moved on by one
        ([(0, 1, 9), (1, 1, 9)], 0),  # one is taken for the other, not the other way round
        ([(0, 2, 9), (1, 0, 9), (2, 2, 9)], 0),  # a chain that ends where it should is no circle
        ([(0, 1, 60), (0, 0, 40), (1, 0, 60), (1, 1, 40)], 2),  # P(X >= 120 of 200) = 0.003: more than half is enough
        ([(0, 1, 6), (0, 0, 4), (1, 0, 6), (1, 1, 4)], 0),  # P(X >= 12 of 20) = 0.25: as a model that can't tell them
        ([(0, 1, 5), (1, 0, 5)], 2),  # 2 ** -10, of texts that are named by either
        ([(0, 1, 3), (0, 2, 2), (1, 0, 3), (1, 2, 2)], 0),  # 2 ** -6 = 0.016
        ([(0, 1, 9), (1, 0, 9), (2, 3, 3), (2, 2, 2), (3, 2, 3), (3, 3, 2)], 2),  # each circle by itself
        ([(0, 1, 5), (0, 2, 5), (1, 0, 9)], 0),  # half is not
        ([(0, 1, 4), (1, 0, 4)], 0),  # too few to tell
        ([(0, 1, 9), (1, 2, 9), (2, 1, 9)], 2),  # 0 leads into a circle and is not in it
    ],
)
def test_labels_that_changed_places_are_counted(counts: list[tuple[int, int, int]], moved: int) -> None:
    """Only circles count: a model may take one label for another, but not two for each other."""
    assert moved_labels(*labelled(*counts)) == moved


@pytest.mark.parametrize(
    ("rows", "expected"),
    [([[1.0, 0.0]], 0.5), ([[0.5, 0.5]], 0.05), ([[0.25, 0.75], [1, 0]], 0.005), ([[1 / 3, 2 / 3]], 0.0)],
)
def test_rounding_is_seen(rows: list[list[float]], expected: float) -> None:
    """Half of the last decimal that any entry shows."""
    assert half_unit(np.array(rows)) == pytest.approx(expected)


def test_vectors_are_the_same_relative_to_their_scale() -> None:
    """A hundredth of the scale is rounding; another vector is not, however small all are."""
    vector = np.random.default_rng(0).normal(size=(3, 8))
    for scale in (1e-9, 1.0, 1e9):
        assert same_vectors(scale * vector, scale * (vector + 0.001))
        assert not same_vectors(scale * vector, scale * (vector + 0.1))
        assert not same_vectors(scale * vector, scale * vector[::-1])
    assert not same_vectors(vector, vector[:2])
    assert same_vectors(np.empty((0, 3)), np.empty((0, 3)))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_slopes_of_a_known_function(dtype: torch.dtype) -> None:
    """f(x) = sum of x^2 has slope 2 x.s along s: at x = (1, 2) along (1, 0) it is 2, along (3, 1) it is 10."""
    inputs = torch.tensor([[1.0, 2.0]], dtype=dtype)
    steps = torch.tensor([[[1.0, 0.0]], [[3.0, 1.0]]], dtype=dtype)
    found = slopes(lambda at: (at**2).sum(dim=(1, 2)), inputs, steps)
    assert found.by_gradient == pytest.approx([2, 10])
    assert np.abs(found.by_difference - [2, 10]).max() < found.noise < 0.1


def test_a_wrong_gradient_shows_in_the_slopes() -> None:
    """Differences tell the truth, the gradient of a detached factor does not: d(x * x.detach()) = x, not 2 x."""
    found = slopes(
        lambda at: (at * at.detach()).sum(dim=(1, 2)), torch.tensor([[3.0]]).double(), torch.ones(1, 1, 1).double()
    )
    assert found.by_gradient == pytest.approx([3])
    assert found.by_difference == pytest.approx([6])
