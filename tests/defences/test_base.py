"""What a defence is that overrides nothing."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters import Gradients, Labels

from divulge.access import GradientAccess
from divulge.data.corpus import Corpus
from divulge.defences.base import Defence
from divulge.defences.gaussian_noise import GaussianNoise
from divulge.grants import Grant
from divulge.records import Artefact, Text


class Idle(Defence):
    """Changes nothing."""

    name = "idle"
    summary = "does nothing"


def test_a_defence_need_only_write_the_place_where_it_acts() -> None:
    """Corpus, recipe and access come back as they went in; there is nothing to fit."""
    defence, corpus, access = Idle(), Corpus((Text(tokens=("a",)),)), Labels()
    recipe = {"dropout": 0.1}
    assert defence.on_corpus(corpus) is corpus
    assert defence.on_recipe(recipe) is recipe
    assert defence.on_access(access, Artefact()) is access
    fitted = defence.fit(corpus, Grant([access]), np.random.default_rng(0))
    assert (fitted.values, fitted.arrays) == ({}, {})


@pytest.mark.parametrize("levels", [(), (GradientAccess,)])
def test_whether_there_is_something_to_fit_is_told_by_the_levels(levels: tuple[type, ...]) -> None:
    """A defence that names levels wraps accesses, and is fitted before."""
    kind = type("Other", (Idle,), {"levels": levels})
    assert kind().acts_on_access == bool(levels)
    assert Grant([Gradients()]).changed(lambda access: kind().on_access(access, Artefact())).levels == (GradientAccess,)


def test_harmless_options_are_recognised_whatever_the_others_are() -> None:
    """Strength 0 is harmless with any seed; a defence that names no harmless options never is."""
    assert GaussianNoise({"strength": 0.0}).is_harmless
    assert GaussianNoise({"strength": 0.0, "fresh": True}).is_harmless
    assert not GaussianNoise({"strength": 0.1}).is_harmless
    assert not type("Nameless", (GaussianNoise,), {"harmless": None})({"strength": 0.0}).is_harmless
