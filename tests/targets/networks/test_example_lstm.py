"""The LSTM whose gradients can be had example by example."""

import pytest
import torch
from opacus.layers import DPLSTM
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from divulge.targets.networks.example_lstm import ExampleLstm, example_names, plain_names


def both(layers: int) -> tuple[nn.LSTM, ExampleLstm]:
    """Torch's LSTM and ours with the same weights, in double precision."""
    torch.manual_seed(0)
    plain = nn.LSTM(5, 4, layers, batch_first=True, bidirectional=True).double()
    own = ExampleLstm(5, 4, layers).double()
    own.load_state_dict(example_names(plain.state_dict()))
    return plain, own


@pytest.mark.parametrize("layers", [1, 2, 3])
@pytest.mark.parametrize("lengths", [[6, 6, 6], [2, 6, 1]])
def test_it_reads_and_learns_as_torch_does(layers: int, lengths: list[int]) -> None:
    """Outputs, last states, and the gradients of all weights and of the inputs, packed where lengths differ."""
    plain, own = both(layers)
    inputs = torch.randn(3, 6, 5, dtype=torch.float64)
    found = []
    for model in (plain, own):
        leaf = inputs.clone().requires_grad_()
        if min(lengths) < 6:
            packed, (last, _) = model(pack_padded_sequence(leaf, lengths, batch_first=True, enforce_sorted=False))
            outputs, _ = pad_packed_sequence(packed, batch_first=True)
        else:
            outputs, (last, _) = model(leaf)
        (outputs.square().sum() + (last * torch.arange(1.0, 5.0)).sum()).backward()
        grads = {name: value.grad for name, value in model.named_parameters()}
        found.append((outputs, last, leaf.grad, grads))
    (wanted, wanted_last, wanted_slope, grads), (outputs, last, slope, own_grads) = found
    assert torch.allclose(outputs, wanted)
    assert torch.allclose(last, wanted_last)
    assert torch.allclose(slope, wanted_slope)
    expected = example_names(grads)
    assert set(expected) == set(own_grads)
    assert all(torch.allclose(own_grads[name], value) for name, value in expected.items())


def test_it_reads_as_the_layer_of_opacus_does() -> None:
    """DPLSTM takes torch's weights by their names: same outputs."""
    plain, own = both(2)
    theirs = DPLSTM(5, 4, 2, batch_first=True, bidirectional=True).double()
    theirs.load_state_dict(plain.state_dict())
    inputs = torch.randn(3, 6, 5, dtype=torch.float64)
    assert torch.allclose(own(inputs)[0], theirs(inputs)[0])


def test_names_go_both_ways() -> None:
    """Every weight of torch's LSTM has a name of ours, and back; forwards and backwards are not mixed up."""
    plain, own = both(2)
    weights = plain.state_dict()
    there = example_names(weights)
    assert set(there) == set(own.state_dict())
    back = plain_names(there)
    assert all(back[name] is value for name, value in weights.items())
    assert there["layers.1.hh.1.bias"] is weights["bias_hh_l1_reverse"]


def test_dropout_is_between_layers() -> None:
    """With one layer there is nothing between; with two it acts in training only, and leaves the last output alone."""
    inputs = torch.randn(2, 5, 5)
    one, two = ExampleLstm(5, 4, 1, dropout=0.5), ExampleLstm(5, 4, 2, dropout=0.5)
    assert torch.equal(one(inputs)[0], one(inputs)[0])
    assert not torch.equal(two(inputs)[0], two(inputs)[0])
    assert (two(inputs)[0] != 0).all()
    assert torch.equal(two.eval()(inputs)[0], two(inputs)[0])
