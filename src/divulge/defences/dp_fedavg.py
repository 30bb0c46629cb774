"""Trains with differential privacy of whole users: pure data, acted on by the target's recipe."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar

from pydantic import Field

from divulge.defences.base import Defence
from divulge.records import Record

__all__ = ["DpFedAvg"]

NAMES = {"noise": "user_noise", "clip": "user_clip", "rate": "user_rate"}


class DpFedAvg(Defence):
    """Trains user by user, cuts what each changes to a length, and adds noise to their sum (DP-FedAvg).

    Paper: song2019, section 6 (5,000 users, rate 0.04, clip 10, 300 rounds: epsilon 4.129 at delta 1e-4), after
        McMahan et al. 2018.
    Needs: a target whose recipe has `federated`; a user for each training text; words of public text (`words` or
        `words_from`); no early stopping.
    Idea: No single person, with however many texts, can move the model farther than the noise hides. Epsilon is told
        beside each result, for one person: it bounds every attack that asks who was used. Whoever knows the defence
        trains shadows with the same noise, and finds that they tell as little.
    Cost: utility, most of it where there are few users: the noise is shared by those drawn each round. Smaller
        networks, fewer words and more users win some of it back.
    """

    name = "dp-fedavg"
    summary = "train with differential privacy of users: each one's update cut to `clip`, noise of `noise` times that"
    recipe_fields = ("federated",)
    harmless: ClassVar[Mapping[str, Any]] = {"noise": None}
    trial: ClassVar[Mapping[str, Any]] = {"rounds": 2, "rate": 0.5}

    class Options(Record):
        """Noise as a multiple of the clip (None = none, which changes nothing); of the rest, None = as the recipe.

        Where the recipe is not federated, that is: as such a recipe is when nothing is said.
        """

        noise: Annotated[float, Field(gt=0)] | None = 1.12
        clip: Annotated[float, Field(gt=0)] | None = None  # the most that one user's update may be long
        rate: Annotated[float, Field(gt=0, le=1)] | None = None  # how likely each user is drawn, each round
        rounds: Annotated[int, Field(ge=1)] | None = None
        local_epochs: Annotated[int, Field(ge=1)] | None = None
        local_texts: Annotated[int, Field(ge=1)] | None = None
        local_rate: Annotated[float, Field(gt=0)] | None = None
        local_batch: Annotated[int, Field(ge=1)] | None = None
        server_rate: Annotated[float, Field(gt=0)] | None = None
        delta: Annotated[float, Field(gt=0, lt=1)] | None = None

    def on_recipe(self, recipe: Mapping[str, Any]) -> Mapping[str, Any]:
        """Returns the recipe federated, with noise, raised and never lowered, and with what else is given."""
        if self.options.noise is None:
            return recipe
        before = dict(recipe.get("federated") or {})
        chosen = {NAMES.get(name, name): value for name, value in self.options.model_dump(mode="json").items()}
        given = {field: value for field, value in chosen.items() if value is not None}
        given["user_noise"] = max(self.options.noise, before.get("user_noise") or 0.0)
        return {**recipe, "federated": {**before, **given}}
