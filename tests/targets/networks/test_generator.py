"""The generator's network: it never looks ahead, and drops only in training."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
import torch

from divulge.targets.networks.causal import CausalTransformer
from divulge.targets.networks.generator import GeneratorNetwork

Cell = Literal["lstm", "gru", "transformer"]
CELLS: tuple[Cell, ...] = ("lstm", "gru", "transformer")


@pytest.fixture(autouse=True)
def drawn() -> Iterator[None]:
    """Every test draws the same weights, and leaves torch as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def network(cell: Cell = "lstm", dropout: float = 0.0, layers: int = 1) -> GeneratorNetwork:
    made = GeneratorNetwork(12, 10, cell=cell, width=4, hidden=6, layers=layers, dropout=dropout, heads=2)
    return made.double().eval()


@pytest.mark.parametrize("cell", CELLS)
def test_what_comes_later_changes_nothing(cell: Cell) -> None:
    """Neither other words nor padding on the right change a state; a word before it does."""
    model = network(cell, layers=2)
    first, second, third = model.states(torch.tensor([[3, 4, 5, 6], [3, 4, 0, 0], [7, 4, 5, 6]]))
    torch.testing.assert_close(first[:2], second[:2])
    assert (first[1] - third[1]).abs().max() > 1e-3
    assert model.logits(first).shape == (4, 10)


def test_the_cell_is_the_one_asked_for() -> None:
    """An LSTM has four gates, a GRU three, a transformer none."""
    assert [len(network(cell).cell.weight_hh_l0) // 6 for cell in CELLS[:2]] == [4, 3]
    assert isinstance(network("transformer").cell, CausalTransformer)


def test_one_step_of_the_gru_is_as_in_the_books() -> None:
    """From nothing known: update z, candidate n = tanh(W x + b + r b'), state (1 - z) n; the oracle writes it out."""
    model = network("gru")
    x, cell = model.embedding.weight[3], model.cell
    reset, update, new = (cell.weight_ih_l0 @ x + cell.bias_ih_l0).split(6)
    reset_more, update_more, new_more = cell.bias_hh_l0.split(6)
    candidate = torch.tanh(new + torch.sigmoid(reset + reset_more) * new_more)
    expected = (1 - torch.sigmoid(update + update_more)) * candidate
    torch.testing.assert_close(model.states(torch.tensor([[3]]))[0, 0], expected)


def test_dropout_is_for_training_alone() -> None:
    """At 0.5 about half of the states reach the scores in training, all of them when it is asked."""
    model, states = network(dropout=0.5), torch.ones(500, 6, dtype=torch.float64)
    assert torch.equal(model.logits(states), model.logits(states))
    torch.testing.assert_close(model.logits(states[:1]), model.output(states[:1]))
    model.train()
    kept = (model.drop(states) != 0).double().mean()
    assert 0.4 < float(kept) < 0.6
    assert not torch.equal(model.logits(states), model.logits(states))
