"""Early stopping as a change of the recipe."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.defences.early_stopping import EarlyStopping
from divulge.errors import InputError


@pytest.mark.parametrize(
    ("options", "recipe", "expected"),
    [
        ({}, {"epochs": 3}, {"epochs": 3, "patience": 20, "restore_best": True}),
        ({"patience": 3, "epochs": 30}, {"epochs": 3}, {"epochs": 30, "patience": 3, "restore_best": True}),
        ({"patience": 3}, {"patience": 2, "restore_best": False}, {"patience": 2, "restore_best": True}),
        ({"patience": 3}, {"patience": 5, "restore_best": False}, {"patience": 3, "restore_best": True}),
        ({"restore_best": False}, {"patience": None}, {"patience": 20, "restore_best": False}),
        ({"restore_best": False}, {"restore_best": True}, {"patience": 20, "restore_best": True}),
        ({"patience": None, "epochs": 9}, {"epochs": 3}, {"epochs": 3}),
    ],
)
def test_patience_is_lowered_and_never_raised(
    options: dict[str, Any], recipe: dict[str, Any], expected: dict[str, Any]
) -> None:
    """A defence must not undo what the owner does already; without patience it changes nothing."""
    given = dict(recipe)
    assert EarlyStopping(options).on_recipe(given) == expected
    assert given == recipe


def test_patience_is_at_least_one_epoch() -> None:
    """With none at all nothing would ever be trained."""
    with pytest.raises(InputError, match="'patience'"):
        EarlyStopping({"patience": 0})
