"""Trains with dropout: pure data, acted on by the target's recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from divulge.defences.base import Defence
from divulge.records import Record

__all__ = ["Dropout"]


class Dropout(Defence):
    """Raises the recipe's dropout to a rate.

    Paper: parikh2022, section 6 (20 % and 10 %; which is used where is not said).
    Needs: a target whose recipe has `dropout`.
    Idea: Units that vanish at random in training make single texts harder to memorise.
    Cost: none but slower training.
    """

    name = "dropout"
    summary = "train with dropout at `rate`"
    recipe_fields = ("dropout",)
    harmless: ClassVar[Mapping[str, Any]] = {"rate": 0.0}

    class Options(Record):
        """The share of units dropped; 0 changes nothing."""

        rate: Annotated[float, Field(ge=0, lt=1)] = 0.2

    def on_recipe(self, recipe: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the recipe with its dropout raised to the rate; rate 0 changes nothing."""
        raised = self.options.rate > recipe.get("dropout", 0.0)
        return {**recipe, "dropout": self.options.rate} if raised else recipe
