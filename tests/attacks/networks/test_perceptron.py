"""Perceptrons: what torch learns, plain arrays repeat."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks.networks.perceptron import (
    Recipe,
    fit_classes,
    fit_vectors,
    outputs,
    probabilities,
)
from divulge.errors import ExecutionError
from divulge.seeds import settled

QUICK = Recipe(epochs=60, batch_size=20, learning_rate=0.01)


def corners() -> tuple[np.ndarray, np.ndarray]:
    """Points around four corners; opposite corners are of one class, which no linear rule can tell."""
    rng = np.random.default_rng(0)
    signs = rng.choice([-1.0, 1.0], size=(200, 2))
    return signs + 0.2 * rng.normal(size=(200, 2)), (signs[:, 0] * signs[:, 1] > 0).astype(np.int64)


def test_hidden_layers_tell_what_no_linear_rule_can() -> None:
    """Opposite corners are one class; and probabilities are a distribution."""
    points, classes = corners()
    found = probabilities(fit_classes(points, classes, (16, 8, 2), QUICK, np.random.default_rng(1)), points)
    assert found.shape == (200, 2)
    assert np.allclose(found.sum(axis=1), 1)
    assert np.mean(found.argmax(axis=1) == classes) > 0.98


def test_outputs_by_hand() -> None:
    """relu([1*2+0*3-1, -2]) = [1, 0]; 1*5 + 0*7 + 1 = 6: no rectifier after the last layer, which may be negative."""
    weights = {
        "weight 0": np.array([[1.0, 0.0], [-1.0, 0.0]]),
        "offset 0": np.array([-1.0, 0.0]),
        "weight 1": np.array([[5.0, 7.0], [-5.0, 7.0]]),
        "offset 1": np.array([1.0, 1.0]),
    }
    assert outputs(weights, np.array([[2.0, 3.0]])).tolist() == [[6.0, -4.0]]


def test_a_map_of_vectors_is_learnt() -> None:
    """Squares and a product of two numbers come out with a small part of their variance left."""
    rng = np.random.default_rng(2)
    given = rng.uniform(-1, 1, size=(400, 2))
    wanted = np.stack([given[:, 0] ** 2, given[:, 0] * given[:, 1], given[:, 1]], axis=1)
    left = outputs(fit_vectors(given, wanted, (32, 3), QUICK, rng), given) - wanted
    assert np.mean(left**2) < 0.05 * wanted.var(axis=0).mean()


def test_the_generator_decides_and_nothing_else() -> None:
    """Same seed, same weights; another seed, others; torch's own generator is left as it was."""
    import torch

    points, classes = corners()
    short = Recipe(epochs=2, batch_size=20, learning_rate=0.01)
    torch.manual_seed(7)
    before = torch.random.get_rng_state()
    first, again, other = (fit_classes(points, classes, (4, 2), short, np.random.default_rng(s)) for s in (1, 1, 2))
    assert all(np.array_equal(first[part], again[part]) for part in first)
    assert not np.array_equal(first["weight 0"], other["weight 0"])
    assert torch.equal(torch.random.get_rng_state(), before)


def test_one_thread_inside_and_as_many_as_before_afterwards() -> None:
    """Sums must not depend on the machine."""
    import torch

    before = torch.get_num_threads()
    with settled(np.random.default_rng(0)):
        assert torch.get_num_threads() == 1
    assert torch.get_num_threads() == before


def test_divergence_is_an_error() -> None:
    """Inputs beyond any scale: the error says what to lower."""
    with pytest.raises(ExecutionError, match="learning_rate"):
        fit_vectors(np.full((4, 2), 1e30), np.zeros((4, 1)), (3, 1), QUICK, np.random.default_rng(0))
