"""Dropout as a change of the recipe."""

from __future__ import annotations

import pytest

from divulge.defences.dropout import Dropout
from divulge.errors import InputError


@pytest.mark.parametrize(
    ("rate", "recipe", "expected"),
    [
        (0.2, {"epochs": 3, "dropout": 0.0}, {"epochs": 3, "dropout": 0.2}),
        (0.2, {"epochs": 3}, {"epochs": 3, "dropout": 0.2}),
        (0.2, {"dropout": 0.5}, {"dropout": 0.5}),
        (0.0, {"dropout": 0.5}, {"dropout": 0.5}),
        (0.0, {"epochs": 3}, {"epochs": 3}),
    ],
)
def test_dropout_is_raised_and_never_lowered(rate: float, recipe: dict[str, float], expected: dict[str, float]) -> None:
    """A defence must not undo what the owner does already; rate 0 leaves the recipe alone."""
    given = dict(recipe)
    assert Dropout({"rate": rate}).on_recipe(given) == expected
    assert given == recipe


@pytest.mark.parametrize("rate", [-0.1, 1.0])
def test_a_rate_is_a_share_below_one(rate: float) -> None:
    """All units dropped leave no model."""
    with pytest.raises(InputError, match="'rate'"):
        Dropout({"rate": rate})
