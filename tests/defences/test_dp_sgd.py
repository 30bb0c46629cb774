"""DP-SGD as a change of the recipe."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.defences.dp_sgd import DpSgd
from divulge.defences.dropout import Dropout
from divulge.errors import InputError
from divulge.targets.nlu_tagger import NluTagger


@pytest.mark.parametrize(
    ("options", "recipe", "expected"),
    [
        ({}, {"epochs": 3, "noise": None}, {"epochs": 3, "noise": 1.0}),
        ({"noise": 0.6}, {"noise": 2.0}, {"noise": 2.0}),
        ({"noise": 0.6}, {"noise": 0.5}, {"noise": 0.6}),
        ({"noise": None, "epochs": 5}, {"epochs": 3}, {"epochs": 3}),
        (
            {"noise": 0.6, "clip": 0.5, "delta": 1e-6, "epochs": 9, "batch_size": 256, "learning_rate": 0.01},
            {"epochs": 3, "example_clip": 1.0},
            {
                "noise": 0.6, "example_clip": 0.5, "delta": 1e-6, "epochs": 9, "batch_size": 256,
                "learning_rate": 0.01,
            },
        ),
    ],
)  # fmt: skip
def test_noise_is_raised_and_never_lowered(
    options: dict[str, Any], recipe: dict[str, Any], expected: dict[str, Any]
) -> None:
    """What is not given stays as the recipe has it; without noise nothing changes at all."""
    given = dict(recipe)
    assert DpSgd(options).on_recipe(given) == expected
    assert given == recipe


@pytest.mark.parametrize("options", [{"noise": 0.0}, {"clip": 0.0}, {"delta": 1.0}])
def test_strengths_that_mean_nothing_are_refused(options: dict[str, float]) -> None:
    """No noise is None, not 0; a gradient of length 0 teaches nothing; any model is private at delta 1."""
    with pytest.raises(InputError, match=f"'{next(iter(options))}'"):
        DpSgd(options)


def test_it_goes_with_dropout_in_either_order() -> None:
    """Both make one recipe that the tagger takes."""
    recipe = NluTagger().options.model_dump(mode="json")
    one = Dropout().on_recipe(DpSgd({"batch_size": 256}).on_recipe(recipe))
    other = DpSgd({"batch_size": 256}).on_recipe(Dropout().on_recipe(recipe))
    assert NluTagger(one).options == NluTagger(other).options
    assert NluTagger(one).options.noise == 1.0
