"""Stops training early: pure data, acted on by the target's recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from divulge.defences.base import Defence
from divulge.records import Record

__all__ = ["EarlyStopping"]


class EarlyStopping(Defence):
    """Ends training once the validation loss no longer falls.

    Paper: parikh2022, section 6 (patience 20 epochs; whether the best or the last weights are kept is not said).
    Needs: a target whose recipe has `patience`, and a corpus with a validation split.
    Idea: A model first learns what texts have in common and only later their details by heart. Whoever knows the
        defence trains practice models that stop alike, and asks for ranks, not for certainty: the secret need not be
        sure, only likelier than its rivals. Copies of a planted text in the validation split let training go on.
    Cost: training is shorter, unless `epochs` allows more than the recipe did; with too little patience the model has
        not learnt its task.
    """

    name = "early-stopping"
    summary = "stop after `patience` epochs without a lower validation loss"
    recipe_fields = ("patience", "restore_best")
    harmless: ClassVar[Mapping[str, Any]] = {"patience": None}

    class Options(Record):
        """Epochs to wait (None = never stop, which changes nothing), which weights to keep, and the most epochs."""

        patience: Annotated[int, Field(ge=1)] | None = 20
        restore_best: bool = True  # False: the last weights are kept
        epochs: Annotated[int, Field(ge=1)] | None = None  # None: as the recipe says

    def on_recipe(self, recipe: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the recipe with the lower patience of both; what it restores already stays restored."""
        patience = self.options.patience
        if patience is None:
            return recipe
        given = recipe.get("patience")
        changed = {
            "patience": patience if given is None else min(patience, given),
            "restore_best": self.options.restore_best or bool(recipe.get("restore_best")),
        }
        return {**recipe, **changed, **({} if self.options.epochs is None else {"epochs": self.options.epochs})}
