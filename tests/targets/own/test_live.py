"""An object that is there while a call runs."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.access import EmbeddedRowsAccess, EmbeddingOracleAccess, LabelAccess
from divulge.data.corpus import Corpus
from divulge.errors import InputError
from divulge.records import LeakedRow, Text
from divulge.targets import TARGETS
from divulge.targets.own.handed import Encoder, Finished
from divulge.targets.own.handed_access import HandedLabels
from divulge.targets.own.live import KIND, LiveModel, held


def encoder() -> Encoder:
    """Something to hold."""
    return Encoder(lambda texts: np.ones((len(texts), 2)), "mine")


def test_it_is_what_the_object_is() -> None:
    """Grants, kinds of secrets and whether it learns are the object's, not the class's."""
    with held("t", encoder()):
        live = LiveModel({"token": "t", "object": "mine"})
    assert live.granted == (EmbeddedRowsAccess, EmbeddingOracleAccess)
    assert (live.hints, live.learns, live.labels_texts) == ((LeakedRow,), True, False)
    grant = live.open(live.train(Corpus((Text(("a",)),)), np.random.default_rng(0)))
    assert grant[EmbeddedRowsAccess].count == 1
    assert TARGETS[KIND] == "divulge.targets.own.live:LiveModel"


def test_it_is_gone_afterwards() -> None:
    """And says what it was."""
    with held("t", encoder()):
        LiveModel({"token": "t"})
    with pytest.raises(InputError, match="is not here: hand it over again"):
        LiveModel({"token": "t"})


def test_it_is_gone_after_an_error() -> None:
    """An object is let go however the call ends."""
    with pytest.raises(KeyError), held("t", encoder()):
        raise KeyError
    with pytest.raises(InputError, match="hand it over again"):
        LiveModel({"token": "t"})


def test_the_inner_one_of_two_counts() -> None:
    """And the outer one is there again afterwards."""
    labels = Finished([HandedLabels(lambda texts: texts, ["a"], "other")], "other")
    with held("t", encoder()):
        with held("t", labels):
            assert LiveModel({"token": "t"}).granted == (LabelAccess,)
        assert LiveModel({"token": "t"}).granted == (EmbeddedRowsAccess, EmbeddingOracleAccess)
