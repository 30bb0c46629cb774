"""Beyond the paper: how few shadows are enough, what a vocabulary gives away, another architecture, other statistics,
other people to draw the line through.

Paper: none of it is printed.
Departures: see `setting`.
Cost: at scale quick `references`, `offsets`, `weights`, `alarms` and `evidence` need no model beyond those of table 3,
    `vocabulary` and `transformer` five.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.song2019 import setting

__all__ = ["ALARMS", "EVIDENCE", "OFFSETS", "REFERENCES", "TRANSFORMER", "VOCABULARY", "WEIGHTS"]

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
OURS_ALONE: tuple[dict[str, Any], ...] = (
    {"name": "calibrated-ratio", "options": {"adjust": "words"}},
    {"name": "blind"},
)


def _elsewhere() -> dict[str, Any]:
    """The audit of next words with references of another domain, by our attack."""
    cell = setting.base()
    behind = {**cell["adversary"]["background"], "corpus": setting.CROSS["next-word"], "shadows": 2}
    return {**cell, "adversary": {**cell["adversary"], "background": behind}, "attacks": OURS_ALONE}


OFFSETS = setting.study(
    name="song2019/offsets",
    title="References of another domain: what is usual for a word, learnt from people known to be out, or not",
    base=_elsewhere(),
    axes={"adjust": ("words", "none"), "output": LIMITS},
    settings={"adjust": "attacks.0.options.adjust"},
    variants={"output": {str(shown): setting.limited(shown) for shown in LIMITS}},
    copy_of={},
    scales=(
        setting.smoke({"adjust": ("none",), "output": (10,)}, {"adversary.background.corpus": setting.MADE_UP_PUBLIC}),
        setting.scale("quick", note=setting.sized(shadows=(2,))),
        setting.scale("paper", note=setting.sized(epochs=(30,), shadows=(10,))),
    ),
)
WEIGHTS = setting.study(
    name="song2019/weights",
    title="Should words that references find unlikely count more?",
    base={**setting.base(), "attacks": ({"name": "calibrated-ratio"}, {"name": "blind"})},
    axes={"rare": (0.0, 0.5, 1.0, 2.0), "output": LIMITS},
    settings={"rare": "attacks.0.options.rare"},
    variants={"output": {str(shown): setting.limited(shown) for shown in LIMITS}},
    copy_of={},
    scales=(
        setting.smoke({"rare": (0.0, 1.0), "output": (10,)}),
        setting.scale("quick"),
        setting.scale("paper", note=setting.sized(epochs=(30,), shadows=(10,))),
    ),
)
ASKED = {
    f"{count} {selection}": {
        "attacks.0.options.max_texts": count,
        "attacks.0.options.selection": selection,
    }
    for count in (1, 2, 4, 8)
    for selection in ("random", "rarest")
}
EVIDENCE = setting.study(
    name="song2019/evidence",
    title="Few texts: the mean gap of their words, or what the shadows tell such gaps to be worth",
    base={**setting.base(), "attacks": ({"name": "calibrated-ratio"}, {"name": "blind"})},
    axes={
        "task": tuple(setting.TASKS),
        "queries": (1, 2, 4, 8),
        "selection": ("random", "rarest"),
        "weigh": ("gap", "learnt"),
    },
    settings={"queries": (), "selection": (), "weigh": "attacks.0.options.weigh"},
    variants={"task": setting.tasks(), "queries selection": ASKED},
    copy_of={},
    scales=(
        setting.smoke({"task": ("next-word",), "queries": (1,)}),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
ALARMS = setting.study(
    name="song2019/alarms",
    title="False alarms: a line drawn through fifty people known to be out, or through those of the pool too",
    base={**setting.base(), "attacks": ({"name": "calibrated-ratio"}, {"name": "blind"})},
    axes={"task": tuple(setting.TASKS), "calibrated_on": ("known", "pool"), "output": LIMITS},
    settings={"calibrated_on": "attacks.0.options.calibrated_on"},
    variants={"task": setting.tasks(), "output": {str(shown): setting.limited(shown) for shown in LIMITS}},
    copy_of={},
    note="pool: the line is set on the pool's people too, each judged by the auditor's models that did not see them",
    scales=(
        setting.smoke({"task": ("next-word",), "output": (10,)}),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
