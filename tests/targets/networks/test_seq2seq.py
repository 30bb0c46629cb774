"""The encoder and decoder: padding is nothing, nothing is looked ahead at, and attention is Luong's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

import pytest
import torch

from divulge.targets.networks.seq2seq import Seq2SeqNetwork

Cell = Literal["lstm", "gru"]
KINDS: tuple[tuple[Cell, bool], ...] = (("lstm", True), ("lstm", False), ("gru", True), ("gru", False))
SOURCE = torch.tensor([[2, 3, 4, 5], [6, 7, 0, 0], [8, 0, 0, 0]])
SHOWN = torch.tensor([[9, 3, 4], [9, 5, 0], [9, 6, 7]])


@pytest.fixture(autouse=True)
def drawn() -> Iterator[None]:
    """Every test draws the same weights, and leaves torch as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def network(
    cell: Cell = "lstm", *, attention: bool = True, dropout: float = 0.0, sources: int | None = 11, layers: int = 1
) -> Seq2SeqNetwork:
    sizes = {"width": 4, "hidden": 6, "layers": layers, "dropout": dropout}
    return Seq2SeqNetwork(sources, 10, 8, cell=cell, attention=attention, **sizes).double().eval()  # type: ignore[arg-type]


@pytest.mark.parametrize(("cell", "attention"), KINDS)
def test_padding_is_nothing(cell: Cell, attention: bool) -> None:
    """A pair alone, without any padding, is known to the same as among longer ones."""
    model = network(cell, attention=attention, layers=2)
    together = model.states(SOURCE, SHOWN)
    for row, (source, shown) in enumerate([([2, 3, 4, 5], [9, 3, 4]), ([6, 7], [9, 5]), ([8], [9, 6, 7])]):
        alone = model.states(torch.tensor([source]), torch.tensor([shown]))[0]
        torch.testing.assert_close(together[row, : len(shown)], alone)


@pytest.mark.parametrize(("cell", "attention"), KINDS)
def test_it_reads_all_of_the_source_and_nothing_to_come(cell: Cell, attention: bool) -> None:
    """Each word of the source changes every state; a word shown changes its own state and later ones alone."""
    model = network(cell, attention=attention)
    plain = model.states(SOURCE, SHOWN)[0]
    for place in range(4):
        other = SOURCE.clone()
        other[0, place] = 10
        assert bool(((model.states(other, SHOWN)[0] - plain).abs().amax(dim=1) > 1e-6).all())
    later = SHOWN.clone()
    later[0, 1] = 7
    changed = (model.states(SOURCE, later)[0] - plain).abs().amax(dim=1)
    assert changed[0] < 1e-12
    assert bool((changed[1:] > 1e-6).all())


def test_attention_ignores_padding() -> None:
    """The weights of each state sum to 1 over the words that are there; one word has it all."""
    model = network()
    found = model.weights(torch.randn(3, 5, 6).double(), torch.randn(3, 4, 6).double(), SOURCE)
    torch.testing.assert_close(found.sum(dim=2), torch.ones(3, 5, dtype=torch.float64))
    assert torch.equal(found == 0, (SOURCE == 0)[:, None].expand(3, 5, 4))
    assert torch.equal(found[2, :, 0], torch.ones(5, dtype=torch.float64))
    with pytest.raises(TypeError, match="without attention"):
        network(attention=False).weights(found, found, SOURCE)


def test_attention_is_as_in_the_books() -> None:
    """One pair, state by state: softmax of h W s, their mean, tanh of one layer over (mean, h); written out slowly."""
    model = network()
    assert model.source is not None
    assert model.align is not None
    assert model.join is not None
    memory, last = model.encoder(model.source(SOURCE[:1]))
    decoded = model.decoder(model.embedding(SHOWN[:1]), last)[0][0]
    found = model.states(SOURCE[:1], SHOWN[:1])[0]
    for state, mine in zip(decoded, found, strict=True):
        scores = torch.stack([state @ model.align.weight @ each for each in memory[0]])
        weights = scores.exp() / scores.exp().sum()
        mean = sum((weight * each for weight, each in zip(weights, memory[0], strict=True)), torch.zeros(6))
        torch.testing.assert_close(mine, torch.tanh(model.join.weight @ torch.cat([mean, state])))


def test_vectors_may_be_shared() -> None:
    """Without a vocabulary of its own the source is read with the vectors of the text."""
    model = network(sources=None)
    assert model.source is None
    with torch.no_grad():
        before = model.states(SOURCE[:1], SHOWN[:1])
        model.embedding.weight[5] += 1  # in the source, and not shown
        assert (model.states(SOURCE[:1], SHOWN[:1]) - before).abs().max() > 1e-6


def test_dropout_is_for_training_alone() -> None:
    """It drops what is attended to and what is scored, in training; asked, it answers one thing."""
    model = network(dropout=0.5)
    states = model.states(SOURCE, SHOWN)
    assert torch.equal(states, model.states(SOURCE, SHOWN))
    assert torch.equal(model.logits(states), model.output(states))
    model.train()
    assert not torch.equal(model.states(SOURCE, SHOWN), model.states(SOURCE, SHOWN))
    assert not torch.equal(model.logits(states), model.logits(states))
