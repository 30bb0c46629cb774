"""The decoder: its cached steps against torch's own decoder over the whole prefix, heads, positions, dropout."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import nn

from divulge.attacks.networks.decoder import Decoder, fitting_heads, positions, stacked

WORDS, WIDTH, HEADS, LAYERS, WIDE = 11, 12, 3, 2, 20


@pytest.fixture
def model() -> Decoder:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        made = Decoder(WORDS, WIDTH, HEADS, layers=LAYERS, feed_forward=WIDE).eval()
    made.scale.fill_(1.7)
    return made


def whole(model: Decoder, inputs: torch.Tensor, row: torch.Tensor) -> torch.Tensor:
    """The slow way: nn.TransformerDecoder with the same weights over a prefix and a single row; (T, words + 1)."""
    layer = nn.TransformerDecoderLayer(WIDTH, HEADS, WIDE, batch_first=True)
    oracle = nn.TransformerDecoder(layer, LAYERS).eval()
    weights = model.state_dict()
    oracle.load_state_dict({name: value for name, value in weights.items() if name.startswith("layers.")})
    hidden = weights["embedding.weight"][inputs] + positions(len(inputs), WIDTH)
    memory = row / 1.7 + positions(len(row), WIDTH)
    later = nn.Transformer.generate_square_subsequent_mask(len(inputs))
    with torch.no_grad():
        return oracle(hidden[None], memory[None], tgt_mask=later)[0] @ weights["output.weight"].T


def rows_of(*lengths: int) -> list[np.ndarray]:
    rng = np.random.default_rng(3)
    return [rng.normal(size=(length, WIDTH)).astype(np.float32) for length in lengths]


@pytest.mark.parametrize("lengths", [(4, 4), (5, 2), (1, 7)])
def test_cached_steps_are_those_of_the_whole_prefix(model: Decoder, lengths: tuple[int, int]) -> None:
    """Two rows of three generations each, six tokens: every step's logits are the slow version's last ones."""
    rows = rows_of(*lengths)
    tokens = torch.from_numpy(np.random.default_rng(4).integers(1, WORDS + 1, size=(6, 6)))
    tokens[:, 0] = model.start
    with torch.no_grad():
        reading = model.read(*stacked(rows), 3, 6)
        for place in range(6):
            found = model.step(tokens[:, place], place, reading)
            for line in range(6):
                slow = whole(model, tokens[line, : place + 1], torch.from_numpy(rows[line // 3]))[-1]
                np.testing.assert_allclose(found[line], slow, atol=1e-5)


def test_teacher_forcing_is_the_same_in_one_pass(model: Decoder) -> None:
    """Rows of unlike length, filled up: the logits at every position are those of each row by itself."""
    rows, inputs = rows_of(5, 2), torch.tensor([[12, 3, 7, 1], [12, 5, 5, 9]])
    with torch.no_grad():
        found = model(inputs, *stacked(rows))
    for line in range(2):
        np.testing.assert_allclose(found[line], whole(model, inputs[line], torch.from_numpy(rows[line])), atol=1e-5)


def test_no_token_sees_those_after_it(model: Decoder) -> None:
    """Another third token changes the logits from its own place on, and none before."""
    rows = stacked(rows_of(4))
    with torch.no_grad():
        first, other = (model(torch.tensor([[12, 3, word, 2]]), *rows)[0] for word in (4, 8))
    assert torch.equal(first[:2], other[:2])
    assert not torch.allclose(first[2], other[2])


def test_the_order_of_a_rows_vectors_counts(model: Decoder) -> None:
    """Without positions attention could not tell the first vector from the last."""
    (row,) = rows_of(4)
    with torch.no_grad():
        first, other = (model(torch.tensor([[12, 3]]), *stacked([made])) for made in (row, row[::-1].copy()))
    assert not torch.allclose(first, other, atol=1e-3)


def test_only_words_and_the_end_can_be_written(model: Decoder) -> None:
    """Eleven words and the end; the start is read and never written."""
    assert model.start == 12
    assert model.embedding.num_embeddings == 13
    assert model.output.out_features == 12


@pytest.mark.parametrize(("width", "heads", "fits"), [(384, 8, 8), (768, 8, 8), (300, 8, 6), (7, 8, 7), (11, 8, 1)])
def test_heads_divide_the_width(width: int, heads: int, fits: int) -> None:
    """300 = 6 x 50 but not 8 x anything; 11 has no divisor up to 8 but one."""
    assert fitting_heads(width, heads) == fits


def test_positions_are_sines_and_cosines() -> None:
    """At place 2 of width 3: sin 2, cos 2, and sin of 2 / 10000^(2/3)."""
    found = positions(3, 3)
    assert found[0].tolist() == [0.0, 1.0, 0.0]
    expected = [math.sin(2), math.cos(2), math.sin(2 / 10_000 ** (2 / 3))]
    np.testing.assert_allclose(found[2], expected, atol=1e-6)


def test_rows_are_stacked_with_their_lengths() -> None:
    """Lengths are told only where they differ."""
    (long, short), lengths = stacked(rows_of(3, 1))
    assert lengths is not None
    assert lengths.tolist() == [3, 1]
    assert short[1:].abs().sum() == 0
    assert long[2].abs().sum() > 0
    assert stacked(rows_of(2, 2))[1] is None


def test_dropout_leaves_out_its_share_and_makes_up_for_it() -> None:
    """Of 100,001 units a quarter is 0 and the others 4/3; another seed leaves out others, the same seed the same."""
    model = Decoder(3, 4, 1, layers=1, feed_forward=4, dropout=0.25).train()
    part = model.layers[0].dropout
    found = []
    for seed in (0, 0, 1):
        model.reseed(np.random.default_rng(seed))
        found.append(part(torch.ones(100_001)))
    assert torch.equal(found[0], found[1])
    assert not torch.equal(found[0], found[2])
    # five standard deviations: 5 x sqrt(0.25 x 0.75 / 100001) = 0.0068
    assert float((found[0] == 0).double().mean()) == pytest.approx(0.25, abs=0.0068)
    assert sorted(set(found[0].tolist())) == pytest.approx([0, 4 / 3])
    assert torch.equal(part.eval()(torch.ones(5)), torch.ones(5))


def test_layers_do_not_leave_out_the_same_units() -> None:
    """Each dropout has a seed of its own."""
    model = Decoder(3, 4, 1, layers=2, feed_forward=4, dropout=0.5).train()
    model.reseed(np.random.default_rng(0))
    first, second = (layer.dropout(torch.ones(64)) for layer in model.layers)
    assert not torch.equal(first, second)
