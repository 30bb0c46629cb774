"""What the architecture is worth to its users when it is trained for them, and not for an attack.

Paper: parikh2022 says only that utility does not suffer from defences; it prints no figure.
Idea: One recipe for Snips and for ATIS: GloVe vectors that are trained further, characters, dropout, early stopping.
    The attacked models of the tables have a plainer recipe (`setting.RECIPE`); their own utility stands beside every
    leak.
Cost: about 6 minutes of one core for a model of Snips, 4 for one of ATIS.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.parikh2022 import setting

__all__ = ["UTILITY"]

RECIPE: dict[str, Any] = {
    **setting.RECIPE,
    "vectors": "glove",
    "tune_vectors": True,
    "characters": True,
    "hidden": 100,
    "dropout": 0.4,
    "epochs": 25,
    "patience": 5,
    "restore_best": True,
    "batch_size": 32,
    "learning_rate": 0.002,
}

UTILITY = setting.study(
    name="parikh2022/utility",
    title="Intent accuracy and slot F1 of the tagger when it is trained for its users (Snips, ATIS)",
    base={
        **setting.base(),
        "target": {"kind": "nlu-tagger", "recipe": RECIPE},
        # Nothing is asked: one copy of one canary each is there because an audit needs something to look for.
        "attacks": [],
    },
    axes={"data": ("snips", "atis"), "vectors": ("glove",), "R": (1,)},
    settings={"data": "data.name", "vectors": "target.recipe.vectors", "R": "secrets.copies"},
    copy_of={},
    metrics=("intent_accuracy", "slot_f1"),
    seeds=(0, 1, 2),
    scales=(
        setting.smoke(
            {"data": ("synthetic-utterances",), "vectors": ("random",)},
            settings={"data.options": {"size": 200}},
            stepping=(),
        ),
        setting.scale("quick"),
        setting.scale("paper", seeds=setting.SEEDS),
    ),
    note="GloVe subset trained further, character CNN, dropout 0.4, hidden 100, early stopping with a patience of 5",
)
