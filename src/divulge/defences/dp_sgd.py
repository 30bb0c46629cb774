"""Trains with differential privacy: pure data, acted on by the target's recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from divulge.defences.base import Defence
from divulge.records import Record

__all__ = ["DpSgd"]

NAMES = {"clip": "example_clip", "delta": "delta", "epochs": "epochs"}
NAMES |= {"batch_size": "batch_size", "learning_rate": "learning_rate"}


class DpSgd(Defence):
    """Cuts every text's gradient to a length and adds noise to their sum (DP-SGD, with Opacus).

    Paper: none of the four measures it; parikh2022 names it as future work.
    Needs: a target whose recipe has `noise`; no early stopping; of a tagger, word vectors that stay fixed, no
        character CNN; of a pretrained classifier on a CPU, best its last layers only (`trained`).
    Idea: No single text can move the model farther than the noise hides. Epsilon is told beside each result, for one
        training text: a canary planted R times is a group of R texts, with R times the epsilon and a far larger
        delta. Whoever knows the defence needs no other attack: ranks pool over the copies of a secret, and reference
        models trained with the same noise say how high a rank comes by chance.
    Cost: utility, and training that takes several times as long. Large batches and more epochs win some of it back.
    """

    name = "dp-sgd"
    summary = "train with differential privacy: gradients cut to `clip`, noise of `noise` times that"
    recipe_fields = ("noise",)
    harmless: ClassVar[Mapping[str, Any]] = {"noise": None}

    class Options(Record):
        """Noise as a multiple of the clip (None = none, which changes nothing); of the rest, None = as the recipe."""

        noise: Annotated[float, Field(gt=0)] | None = 1.0
        clip: Annotated[float, Field(gt=0)] | None = None  # the most that one text's gradient may be long
        delta: Annotated[float, Field(gt=0, lt=1)] | None = None
        epochs: Annotated[int, Field(ge=1)] | None = None
        batch_size: Annotated[int, Field(ge=1)] | None = None
        learning_rate: Annotated[float, Field(gt=0)] | None = None

    def on_recipe(self, recipe: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the recipe with noise, raised and never lowered, and with what else is given."""
        if self.options.noise is None:
            return recipe
        given = {field: getattr(self.options, name) for name, field in NAMES.items()}
        noise = max(self.options.noise, recipe.get("noise") or 0.0)
        return {**recipe, **{field: value for field, value in given.items() if value is not None}, "noise": noise}
