"""Tests of trainings that are killed between two epochs: they end as if nothing had happened."""

from __future__ import annotations

import logging

import numpy as np
import pytest
import torch

from divulge.attacks.networks import decoder_training
from divulge.attacks.networks.decoder import Decoder
from divulge.halfway import opened
from divulge.seeds import settled
from divulge.store import Store
from divulge.targets.training import sgd
from divulge.targets.training.recipe import TrainingRecipe
from divulge.training_state import TrainingState

KEY = "ab" * 32


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store(tmp_path / "store")


class Killed(BaseException):
    """What ends a process in the middle of a training."""


def decoder_trained(epochs=4, killed_in=None):
    """Weights and losses of a small decoder, as its attack trains it, twice in one task; dropout is on."""
    rng = np.random.default_rng(3)
    rows = [rng.standard_normal((length, 8)).astype(np.float32) for length in (3, 4, 4, 5, 3, 2)]
    tokens = [rng.integers(1, 7, len(row)) for row in rows]
    sentences = decoder_training.Sentences(rows, tokens, 6)
    with settled(rng):
        model = Decoder(7, 8, 2, layers=2, feed_forward=16, dropout=0.3)
        fitted = [
            decoder_training.fit(
                model, mortal(sentences, killed_in if number == 1 else None), rng, epochs=epochs, **rate
            )
            for number, rate in enumerate([{"learning_rate": 0.01, "batch_size": 2}] * 2)
        ]
    return fitted, model.state_dict()


def mortal(sentences, calls):
    """These sentences; after so many batches the process dies."""
    if calls is None:
        return sentences
    left = iter(range(calls))

    class Dying(decoder_training.Sentences):
        def loss(self, model, numbers):
            if next(left, None) is None:
                raise Killed
            return super().loss(model, numbers)

    return Dying(sentences.rows, sentences.tokens, sentences.longest)


def same(one, other):
    """Whether two sets of weights are equal to the last bit."""
    return all(torch.equal(value, other[name]) for name, value in one.items())


@pytest.mark.parametrize("killed_in", [1, 5, 9])
def test_a_killed_decoder_ends_as_one_that_lived(store, killed_in):
    """Losses and weights are the same to the last bit, in whatever epoch of the second training it was killed."""
    losses, weights = decoder_trained()
    with pytest.raises(Killed), opened(store, KEY, every=0):
        decoder_trained(killed_in=killed_in)
    with opened(store, KEY, every=0):
        again, found = decoder_trained()
    assert again == losses
    assert same(found, weights)


def test_what_was_done_is_not_done_again(store):
    """The second attempt has batches of the epochs that are missing, and of no others."""
    with pytest.raises(Killed), opened(store, KEY, every=0):
        decoder_trained(killed_in=5)  # of three batches an epoch: one epoch is whole
    with opened(store, KEY, every=0):
        decoder_trained(killed_in=3 * 3)
    with pytest.raises(Killed), opened(store, "cd" * 32, every=0):
        decoder_trained(killed_in=3 * 3)


class Examples:
    """Lines to be fitted; after so many batches the process dies."""

    def __init__(self, seed, killed_in=None):
        rng = np.random.default_rng(seed)
        self.inputs = torch.from_numpy(rng.standard_normal((24, 5)).astype(np.float32))
        self.wanted = torch.from_numpy(rng.standard_normal((24, 1)).astype(np.float32))
        self.lengths = np.full(24, 5)
        self._left = killed_in

    def losses(self, model, numbers):
        """The squared error of each."""
        if self._left is not None:
            self._left -= 1
            if self._left < 0:
                raise Killed
        return ((model(self.inputs[numbers]) - self.wanted[numbers]) ** 2).squeeze(1)


def plainly_trained(killed_in=None):
    """What `sgd.fit` tells and leaves, with dropout, early stopping and the best epoch's weights."""
    recipe = TrainingRecipe(epochs=30, batch_size=6, learning_rate=0.03, patience=2, restore_best=True)
    rng = np.random.default_rng(5)
    with settled(rng):
        model = torch.nn.Sequential(torch.nn.Linear(5, 9), torch.nn.Dropout(0.3), torch.nn.Linear(9, 1))
        told = sgd.fit(model, Examples(1, killed_in), Examples(2), recipe, rng)
    return told, model.state_dict()


def test_early_stopping_survives_too(store):
    """Killed after each batch in turn, training ends with the same epoch's weights and the same losses."""
    told, weights = plainly_trained()
    assert told["kept_epoch"] < len(told["train_loss"]) < 30  # it stopped early, and went back
    batches = 4 * len(told["train_loss"])
    for killed_in in range(1, batches, 3):
        key = f"{killed_in:064x}"
        with pytest.raises(Killed), opened(store, key, every=0):
            plainly_trained(killed_in)
        with opened(store, key, every=0):
            again, found = plainly_trained()
        assert again == told
        assert same(found, weights)


def test_a_training_that_had_ended_is_not_gone_on_with(store):
    """Killed after the last epoch, in what a task does next, it gives the same and trains no more."""
    with opened(store, KEY, every=0):
        told, weights = plainly_trained()
    with opened(store, KEY, every=0):
        again, found = plainly_trained(killed_in=0)
    assert again == told
    assert same(found, weights)


def test_a_state_of_another_model_is_not_used(store, caplog):
    """Shapes that do not fit are told, and training begins anew."""

    def kept(width):
        model = torch.nn.Linear(width, 1)
        return model, TrainingState(model, torch.optim.AdamW(model.parameters()), [])

    with opened(store, KEY, every=0):
        kept(3)[1].leave({"losses": [1.0]})
    with caplog.at_level(logging.WARNING), opened(store, KEY, every=0):
        model, state = kept(4)
        before = model.weight.detach().clone()
        assert state.resume() == ({}, {})
    assert torch.equal(model.weight, before)
    assert "another model" in caplog.text
