"""What an adversary has beforehand."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from tests.adapters import Gradients

from divulge.access import LabelAccess
from divulge.adversary import Background, Practice
from divulge.grants import Grant
from divulge.records import LeakedRow, Secret, Text, Tokens


def test_an_adversary_begins_with_nothing() -> None:
    """No text, no control, no model, unless it is given some."""
    nothing = Background()
    assert (nothing.corpus, nothing.controls, nothing.practice) == ((), (), ())
    assert Practice(Grant([])).secrets == ()


def test_what_it_has_cannot_be_changed_by_an_attack() -> None:
    """An attack that prepares must leave the background to the next one as it was."""
    background = Background(corpus=(Text(tokens=("a",)),))
    with pytest.raises(FrozenInstanceError):
        background.corpus = ()  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        Practice(Grant([])).secrets = ()  # type: ignore[misc]


def test_a_practice_model_is_asked_like_a_target_and_comes_with_answers() -> None:
    """The same grant as a target's, and secrets whose answers the adversary knows."""
    secret = Secret(id="s", hint=LeakedRow(row=0), answer=Tokens(tokens=("a",)))
    practice = Practice(Grant([Gradients()]), (secret,))
    assert practice.access[LabelAccess].label([("pin",)]).tolist() == [1]
    assert practice.secrets[0].answer == Tokens(tokens=("a",))
