"""The classifier's network: padding counts for nothing, order counts, and its blocks are those of a transformer."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Literal

import pytest
import torch
from torch import nn

from divulge.targets.networks.classifier import ClassifierNetwork, positions

Pooling = Literal["mean", "attention"]


@pytest.fixture(autouse=True)
def drawn() -> Iterator[None]:
    """Every test draws the same weights, and leaves torch as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def network(pooling: Pooling = "mean", dropout: float = 0.0, layers: int = 2) -> ClassifierNetwork:
    made = ClassifierNetwork(20, 3, width=8, layers=layers, heads=2, dropout=dropout, pooling=pooling)
    return made.double().eval()


def test_positions_are_sines_and_cosines_of_falling_pitch() -> None:
    """Place 1 at width 4: the second pair turns 10000 ** (2 / 4) = 100 times slower; an odd width is cut."""
    found = positions(2, 4)
    assert found[0].tolist() == [0, 1, 0, 1]
    assert found[1].tolist() == pytest.approx([math.sin(1), math.cos(1), math.sin(0.01), math.cos(0.01)])
    assert positions(5, 3).shape == (5, 3)


@pytest.mark.parametrize("pooling", ["mean", "attention"])
def test_padding_changes_nothing(pooling: Pooling) -> None:
    """A text beside longer ones, padded with whatever, gets the answer that it gets alone."""
    model = network(pooling)
    inputs, lengths = torch.randn(3, 6, 8, dtype=torch.float64), torch.tensor([6, 1, 4])
    together = model.read(inputs, lengths)
    for row, length in enumerate(lengths.tolist()):
        torch.testing.assert_close(together[row], model.read(inputs[row : row + 1, :length])[0])


@pytest.mark.parametrize("pooling", ["mean", "attention"])
def test_order_counts(pooling: Pooling) -> None:
    """Two words that change places change the answer."""
    model, numbers = network(pooling), torch.tensor([[3, 4, 5], [4, 3, 5]])
    one, other = model.read(model.embedding(numbers))
    assert (one - other).abs().max() > 1e-6


def test_its_blocks_are_those_of_a_transformer() -> None:
    """With the same weights, torch's own layer (norm first) has the same output, masked or not."""
    block = network().blocks[0]
    theirs = nn.TransformerEncoderLayer(8, 2, 16, 0.0, "gelu", batch_first=True, norm_first=True, dtype=torch.float64)
    copied = {"self_attn.out_proj": "join", "linear1": "layers.0", "linear2": "layers.2"}
    copied |= {"norm1": "before_attention", "norm2": "before_layers"}
    mine, weights = block.state_dict(), {}
    for kind in ("weight", "bias"):
        weights |= {f"{name}.{kind}": mine[f"{own}.{kind}"] for name, own in copied.items()}
        weights[f"self_attn.in_proj_{kind}"] = torch.cat([mine[f"{own}.{kind}"] for own in ("ask", "offer", "value")])
    theirs.load_state_dict(weights)
    states, real = torch.randn(2, 5, 8, dtype=torch.float64), torch.arange(5)[None] < torch.tensor([[5], [3]])
    torch.testing.assert_close(block(states, None), theirs(states))
    masked = theirs(states, src_key_padding_mask=~real)  # what stands at padding is of no account
    torch.testing.assert_close(block(states, real)[real], masked[real])


def test_pooling_by_attention_can_look_at_one_word() -> None:
    """A weight that grows with one feature picks out the word that has it; the mean does not."""
    weighing, mean = network("attention", layers=1), network("mean", layers=1)
    states = torch.randn(1, 4, 8, dtype=torch.float64)
    states[0, 2, 0] = 50.0
    assert weighing.weigh is not None
    nn.init.zeros_(weighing.weigh.weight)
    weighing.weigh.weight.data[0, 0] = 10.0
    torch.testing.assert_close(weighing._pooled(states, None)[0], states[0, 2])
    torch.testing.assert_close(mean._pooled(states, None)[0], states[0].mean(dim=0))


@pytest.mark.parametrize("pooling", ["mean", "attention"])
def test_every_weight_is_trained(pooling: Pooling) -> None:
    """The loss moves with each of them, so that none is there for show."""
    model, numbers = network(pooling), torch.tensor([[3, 4, 5, 6], [7, 8, 0, 0]])
    model.read(model.embedding(numbers), torch.tensor([4, 2])).square().sum().backward()
    # Neither what is added to all scores of one softmax alike, nor padding, can matter.
    still = {name for name, one in model.named_parameters() if one.grad is None or one.grad.abs().max() < 1e-12}
    assert still == {f"blocks.{n}.offer.bias" for n in range(2)} | ({"weigh.bias"} if pooling == "attention" else set())
    assert model.embedding.weight.grad[0].abs().max() == 0


def test_dropout_is_for_training_alone() -> None:
    """Asked twice, it answers the same; in training it does not."""
    model, numbers = network(dropout=0.5), torch.tensor([[3, 4, 5]])
    assert torch.equal(model.read(model.embedding(numbers)), model.read(model.embedding(numbers)))
    model.train()
    assert not torch.equal(model.read(model.embedding(numbers)), model.read(model.embedding(numbers)))
