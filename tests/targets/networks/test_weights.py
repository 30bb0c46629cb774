"""Weights in and out of arrays."""

import numpy as np
import torch

from divulge.targets.networks.weights import kept_weights, with_weights


def test_kept_weights_make_the_same_network_again() -> None:
    """Another network of the same shape answers as the first once it has its weights; nothing is left to train."""
    torch.manual_seed(0)
    first, second = torch.nn.LSTM(3, 4, batch_first=True), torch.nn.LSTM(3, 4, batch_first=True)
    inputs = torch.randn(2, 5, 3)
    assert not torch.equal(first(inputs)[0], second(inputs)[0])
    kept = kept_weights(first)
    with_weights(second, kept)
    assert torch.equal(first(inputs)[0], second(inputs)[0])
    assert not any(weight.requires_grad for weight in second.parameters())
    assert not second.training


def test_kept_weights_are_copies() -> None:
    """Training on changes nothing that was kept."""
    layer = torch.nn.Linear(2, 2)
    kept = kept_weights(layer)
    before = {name: np.array(value) for name, value in kept.items()}
    opened = with_weights(torch.nn.Linear(2, 2), kept)
    with torch.no_grad():
        opened.weight += 1
    assert all(np.array_equal(kept[name], before[name]) for name in before)
