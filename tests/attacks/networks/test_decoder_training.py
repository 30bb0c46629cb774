"""Training of the decoder: what is learnt at which place, batches without padding, repeatability."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from divulge.attacks.networks.decoder import Decoder, stacked
from divulge.attacks.networks.decoder_training import Sentences, even_batches, fit
from divulge.errors import ExecutionError
from divulge.seeds import settled

WIDTH = 8


def made(*lengths: int, longest: int = 15) -> Sentences:
    """Sentences of words 1 to 5, with a row as long as each."""
    rng = np.random.default_rng(0)
    rows = [rng.normal(size=(length, WIDTH)).astype(np.float32) for length in lengths]
    return Sentences(rows, [rng.integers(1, 6, size=length) for length in lengths], longest)


def network(seed: int = 0, dropout: float = 0.0) -> Decoder:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return Decoder(5, WIDTH, 2, layers=1, feed_forward=16, dropout=dropout)


def test_the_loss_is_that_of_each_next_token_and_the_end() -> None:
    """Sentences of 3 and 1 tokens: the mean of 4 + 2 log-likelihoods, each asked for by itself."""
    sentences, model = made(3, 1), network().eval()
    found = []
    for row, tokens in zip(sentences.rows, sentences.tokens, strict=True):
        wanted = [*tokens.tolist(), 0]
        for place, word in enumerate(wanted):
            inputs = torch.tensor([[model.start, *wanted[:place]]])
            with torch.no_grad():
                found.append(-model(inputs, *stacked([row]))[0, -1].log_softmax(dim=0)[word].item())
    assert len(found) == 6
    assert sentences.loss(model, np.array([0, 1])).item() == pytest.approx(np.mean(found), abs=1e-5)


def test_what_comes_after_the_longest_is_not_learnt() -> None:
    """Of five tokens three are learnt, and no end: the same loss as with other words from the fourth on."""
    sentences, model = made(5, longest=3), network().eval()
    (tokens,) = sentences.tokens
    other = np.concatenate([tokens[:3], tokens[3:] % 5 + 1])
    assert sentences.sizes.tolist() == [[3, 5]]
    changed = Sentences(sentences.rows, [other], 3)
    assert sentences.loss(model, np.array([0])).item() == changed.loss(model, np.array([0])).item()
    assert made(2, longest=3).sizes.tolist() == [[3, 2]]  # two tokens and the end


def test_batches_hold_every_example_once_and_are_even() -> None:
    """Sizes 5 x 7, 4 x 3, 3 x 1 in batches of two: all but the left-over ones are of one size."""
    sizes = np.array([[7, 7]] * 5 + [[3, 3]] * 4 + [[1, 1]] * 3)
    batches = even_batches(sizes, 2, np.random.default_rng(0))
    assert sorted(np.concatenate(batches).tolist()) == list(range(12))
    assert all(len(batch) == 2 for batch in batches)
    assert sum(len(np.unique(sizes[batch], axis=0)) > 1 for batch in batches) == 1  # a 7 and a 1 are left over


def test_batches_differ_from_epoch_to_epoch() -> None:
    """The same generator cuts and orders them anew."""
    sizes, rng = np.array([[4, 4]] * 9), np.random.default_rng(0)
    first, second = (even_batches(sizes, 3, rng) for _ in range(2))
    assert [batch.tolist() for batch in first] != [batch.tolist() for batch in second]
    assert even_batches(np.empty((0, 2), dtype=np.int64), 3, rng) == []


def test_training_lowers_the_loss_and_repeats_itself() -> None:
    """Fifteen epochs on eight sentences, dropout included: the same losses and weights for the same seed."""
    sentences = made(3, 4, 3, 2, 4, 4, 3, 2)
    models, losses = [network(dropout=0.1), network(dropout=0.1)], []
    for model in models:
        with settled(np.random.default_rng(4)):  # attention draws from torch's own generator
            rng = np.random.default_rng(5)
            losses.append(fit(model, sentences, rng, epochs=15, learning_rate=0.02, batch_size=4))
    assert losses[0] == losses[1]
    assert len(losses[0]) == 15
    assert losses[0][-1] < losses[0][0] / 2
    assert all(torch.equal(a, b) for a, b in zip(models[0].parameters(), models[1].parameters(), strict=True))
    assert not models[0].training


def test_no_epochs_change_nothing() -> None:
    """The tuning may be left out."""
    model, before = network(), network()
    assert fit(model, made(), np.random.default_rng(0), epochs=0, learning_rate=1.0, batch_size=4) == []
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), before.parameters(), strict=True))


def test_divergence_is_told() -> None:
    """A row that is not a number makes the loss none either."""
    sentences = made(2)
    sentences.rows[0][0, 0] = np.nan
    with pytest.raises(ExecutionError, match="Lower the attack's learning_rate"):
        fit(network(), sentences, np.random.default_rng(0), epochs=1, learning_rate=0.01, batch_size=4)
