"""Federated averaging with differential privacy as a change of the recipe."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.auditing.fitting import target_problems
from divulge.auditing.naming import target_named
from divulge.defences.dp_fedavg import DpFedAvg
from divulge.errors import InputError
from divulge.spec import SecretsSpec
from divulge.targets.text_generator import TextGenerator


@pytest.mark.parametrize(
    ("options", "before", "expected"),
    [
        ({}, None, {"user_noise": 1.12}),
        ({"noise": 0.6}, {"user_noise": 2.0, "rounds": 5}, {"user_noise": 2.0, "rounds": 5}),
        ({"noise": 0.6, "rounds": 9}, {"user_noise": 0.0, "rounds": 5}, {"user_noise": 0.6, "rounds": 9}),
        ({"noise": None, "rounds": 5}, {"user_noise": 0.5}, {"user_noise": 0.5}),
        ({"noise": None, "rounds": 5}, None, None),
        (
            {
                "noise": 2.0, "clip": 0.5, "rate": 0.1, "rounds": 9, "local_epochs": 2, "local_rate": 0.3,
                "local_batch": 4, "local_texts": 6, "server_rate": 0.7, "delta": 1e-6,
            },
            None,
            {
                "user_noise": 2.0, "user_clip": 0.5, "user_rate": 0.1, "rounds": 9, "local_epochs": 2,
                "local_rate": 0.3, "local_batch": 4, "local_texts": 6, "server_rate": 0.7, "delta": 1e-6,
            },
        ),
    ],
)  # fmt: skip
def test_noise_is_raised_and_never_lowered(
    options: dict[str, Any], before: dict[str, Any] | None, expected: dict[str, Any] | None
) -> None:
    """What is not given stays as the recipe has it; without noise nothing changes at all."""
    given = {"epochs": 3, "federated": before}
    assert DpFedAvg(options).on_recipe(given) == {"epochs": 3, "federated": expected}
    assert given == {"epochs": 3, "federated": before}


def test_a_generator_takes_what_it_leaves() -> None:
    """From a recipe in full; the rest is as published."""
    recipe = TextGenerator({"words": ["tea"]}).options.model_dump(mode="json")
    target = TextGenerator(DpFedAvg({"rounds": 7}).on_recipe(recipe))
    assert (target.options.federated.rounds, target.options.federated.user_rate) == (7, 0.04)
    assert target.is_private


def test_words_of_the_users_are_refused() -> None:
    """They would tell who was in, whatever the noise."""
    recipe = TextGenerator().options.model_dump(mode="json")
    with pytest.raises(InputError, match="give `words` of public text"):
        TextGenerator(DpFedAvg().on_recipe(recipe))


@pytest.mark.parametrize("options", [{"noise": 0.0}, {"clip": 0.0}, {"rate": 0.0}, {"delta": 1.0}])
def test_strengths_that_mean_nothing_are_refused(options: dict[str, float]) -> None:
    """No noise is None, not 0; an update of length 0 teaches nothing; nobody drawn; any model is private at delta 1."""
    with pytest.raises(InputError, match=f"'{next(iter(options))}'"):
        DpFedAvg(options)


def test_a_target_that_is_not_trained_by_users_is_refused() -> None:
    """With the names of both."""
    (said,) = target_problems(SecretsSpec(kind="users", count=2), target_named("seq2seq-generator"), [DpFedAvg()])
    assert "'dp-fedavg' sets federated, which the recipe of target 'seq2seq-generator' does not have" in said
