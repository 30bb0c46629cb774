"""The causal transformer: attention over what came before alone, as written out by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch
from torch import nn

from divulge.targets.networks.causal import CausalTransformer, places


@pytest.fixture(autouse=True)
def drawn() -> Iterator[None]:
    """Every test draws the same weights, and leaves torch as it was."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        yield


def test_places_are_sines() -> None:
    """At place p: sin p, cos p, then the same of p / 10,000^(2/3); a width that is odd ends with a sine."""
    found = places(3, 3)
    assert found.shape == (3, 3)
    assert found[0].tolist() == [0.0, 1.0, 0.0]
    # 10,000^(2/3) = 464.159; sin(2 / 464.159) = 0.0043088
    assert found[2].tolist() == pytest.approx([0.909297, -0.416147, 0.0043088], abs=1e-6)


def test_it_is_a_pre_norm_transformer() -> None:
    """Torch's own layers with a mask, given the same weights, know the same."""
    model = CausalTransformer(6, 10, layers=2, heads=3, dropout=0.0).double().eval()
    read, states = torch.randn(2, 5, 6, dtype=torch.float64), None
    states = read + places(5, 6)
    for block in model.blocks:
        theirs = nn.TransformerEncoderLayer(6, 3, 10, 0.0, "gelu", batch_first=True, norm_first=True).double()
        names = {
            "self_attn.in_proj_weight": block.asked.weight,
            "self_attn.in_proj_bias": block.asked.bias,
            "self_attn.out_proj.weight": block.told.weight,
            "self_attn.out_proj.bias": block.told.bias,
            "linear1.weight": block.forward_part[0].weight,
            "linear1.bias": block.forward_part[0].bias,
            "linear2.weight": block.forward_part[2].weight,
            "linear2.bias": block.forward_part[2].bias,
            "norm1.weight": block.before_attention.weight,
            "norm1.bias": block.before_attention.bias,
            "norm2.weight": block.before_forward.weight,
            "norm2.bias": block.before_forward.bias,
        }
        theirs.load_state_dict(names)
        mask = nn.Transformer.generate_square_subsequent_mask(5, dtype=torch.float64)
        states = theirs(states, src_mask=mask, is_causal=True)
    torch.testing.assert_close(model(read)[0], model.norm(states))


def test_the_order_of_what_came_before_counts() -> None:
    """The same tokens in another order are something else: places are told."""
    model = CausalTransformer(4, 4, layers=1, heads=2, dropout=0.0).double().eval()
    read = torch.randn(1, 3, 4, dtype=torch.float64)
    assert (model(read)[0][0, 2] - model(read[:, [1, 0, 2]])[0][0, 2]).abs().max() > 1e-3


def test_dropout_is_for_training_alone() -> None:
    """Asked twice it answers the same; in training it does not."""
    model = CausalTransformer(8, 8, layers=1, heads=2, dropout=0.5).eval()
    read = torch.randn(2, 4, 8)
    assert torch.equal(model(read)[0], model(read)[0])
    model.train()
    assert not torch.equal(model(read)[0], model(read)[0])
