"""Beyond the paper: how few shadows are enough, what a vocabulary gives away by itself, another architecture.

Paper: none of it is printed.
Departures: see `setting`.
Cost: at scale quick `references` needs no model beyond those of table 3, `vocabulary` five, `transformer` five.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.song2019 import setting

__all__ = ["REFERENCES", "TRANSFORMER", "VOCABULARY"]

FEW = (1, 2, 4, 10)
LIMITS = (1, 10, 100, 5000)
OWN_WORDS = "5,000 words as vocabulary, of everybody's texts (public) or of the members' (members)"
CAUSAL: dict[str, Any] = {
    "target.recipe.cell": "transformer",
    "target.recipe.layers": 2,
    "target.recipe.hidden": 256,
    "target.recipe.dropout": 0.1,
}

REFERENCES = setting.study(
    name="song2019/references",
    title="How many models of their own auditors need",
    axes={"references": FEW, "output": LIMITS},
    settings={"references": "adversary.background.shadows"},
    variants={"output": {str(shown): setting.limited(shown) for shown in LIMITS}},
    scales=(
        setting.smoke({"references": (1, 2), "output": (10, 5000)}),
        setting.scale("quick", axes={"references": (1, 2, 4)}, note=setting.sized(shadows=(1, 2, 4))),
        setting.scale("paper", note=setting.sized(epochs=(30,), shadows=FEW)),
    ),
)
VOCABULARY = setting.study(
    name="song2019/vocabulary",
    title="What a vocabulary that is taken from the members' texts gives away by itself",
    axes={"vocabulary": ("public", "members"), "output": (100, 5000)},
    variants={
        "vocabulary": {"public": {}, "members": {"target.recipe.words_from": None}},
        "output": {str(shown): setting.limited(shown) for shown in (100, 5000)},
    },
    scales=(
        setting.smoke({"output": (5000,)}),
        setting.scale("quick", note=setting.sized(words=OWN_WORDS)),
        setting.scale("paper", note=setting.sized(epochs=(30,), shadows=(10,), words=OWN_WORDS)),
    ),
)
TRANSFORMER = setting.study(
    name="song2019/transformer",
    title="A small causal transformer beside the LSTM",
    axes={"cell": ("lstm", "transformer"), "output": LIMITS},
    variants={
        "cell": {"lstm": {}, "transformer": CAUSAL},
        "output": {str(shown): setting.limited(shown) for shown in LIMITS},
    },
    base={**setting.base(), "probes": [{"name": "token-accuracy"}]},
    metrics=(*setting.MEASURED, "train_accuracy", "test_accuracy"),
    scales=(
        setting.smoke(
            {"output": (10,)},
            variants={
                "cell": {"lstm": {}, "transformer": {"target.recipe.cell": "transformer", "target.recipe.heads": 2}}
            },
        ),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
