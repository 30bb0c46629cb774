"""Deletes planted texts from a trained model: pure data, acted on by the target's recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from divulge.defences.base import Defence
from divulge.records import Record

__all__ = ["Unlearning"]


class Unlearning(Defence):
    """Has the model forget the planted texts, as if whoever wrote them had asked for their deletion.

    Paper: none of the four; elmahdy2022 plants canaries to find out whether text was used, which is how a deletion can
        be checked.
    Needs: a target whose recipe has `unlearn`.
    Idea: "retrain" leaves the texts out from the start, the only deletion that is one: what is then found of them is
        what is found of control canaries. The cheap ones train the finished model on: "continue" with what remains,
        "relabel" also with the deleted texts under random other labels, "ascend" also away from them. Whoever looks
        for a trace asks for ranks among words, and for a label that became *less* likely than by chance too: texts that
        were pushed away leave a trace in the other direction.
    Cost: training time; "relabel" and "ascend" also cost accuracy on texts like those deleted.
    """

    name = "unlearning"
    summary = "delete planted texts from the model: retrain, or train on by `method`"
    recipe_fields = ("unlearn",)
    harmless: ClassVar[Mapping[str, Any]] = {"method": None}

    class Options(Record):
        """How texts are deleted (None = not at all, which changes nothing), and for how long it is trained on."""

        method: Literal["retrain", "continue", "relabel", "ascend"] | None = "continue"
        epochs: Annotated[int, Field(ge=1)] = 1
        learning_rate: Annotated[float, Field(gt=0)] | None = None  # None: as the recipe's own

    def on_recipe(self, recipe: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the recipe with the deletion in it."""
        if self.options.method is None:
            return recipe
        return {**recipe, "unlearn": self.options.model_dump(mode="json")}
