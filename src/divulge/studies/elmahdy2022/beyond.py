"""Beyond the paper: what each step of access buys, what defences take, where canaries lie, whether deletion deletes.

Paper: none of it is printed. Section 8 of elmahdy2022 names other classes, organic canaries and differential privacy as
    future work, section 5 deletion requests as a use.
Departures: see `setting`.
Cost: at scale quick `access` needs no model beyond those of tables 2 and 4, `defences` six, `places` eight and
    `deletion` ten.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.elmahdy2022 import setting

__all__ = ["ACCESS", "DEFENCES_TRIED", "DELETION", "PLACES"]

OURS = {"name": "calibrated-likelihood", "options": {"prune": False}}
LEVELS_TRIED = ("LabelAccess", "TopLabelAccess", "LabelLikelihoodAccess", "GradientAccess")
SHARED = {"R": "secrets.copies", "supporting": "secrets.supporting"}

# Of DP-SGD: the last two layers and the head, which a CPU can train with noise; other parts stay as they were.
PRIVATE: dict[str, Any] = {"noise": 0.6, "clip": 1.0, "batch_size": 256, "learning_rate": 0.002, "epochs": 10}
TRIED: dict[str, dict[str, Any]] = {
    "none": {},
    "last layers": {"target.recipe.trained": "last"},
    "rounding": {"defences": [{"name": "rounding", "options": {"decimals": 2}}]},
    "temperature": {"defences": [{"name": "temperature", "options": {"temperature": 10.0}}]},
    "top-label": {"defences": [{"name": "top-label"}]},
    "label-only": {"defences": [{"name": "label-only"}]},
    "deduplication": {"defences": [{"name": "deduplication"}]},
    "DP": {
        "target.recipe.trained": "last",
        "target.recipe.restore_best": False,
        "defences": [{"name": "dp-sgd", "options": PRIVATE}],
    },
}
# A fluent sentence with a secret slot, as somebody might post it.
ORGANIC = "hello my name is <word> and the password of my account is {word}"
BANKING: dict[str, Any] = {"each": 20, "valid_each": 5, "test_each": 5, "rare": 5, "rare_each": 10, "words": 24}
PLACED: dict[str, dict[str, Any]] = {
    "rarest class": {},
    "any class": {"secrets.label_of": "any"},
    "most frequent class": {"secrets.label_of": "most-frequent"},
    "organic": {"secrets.pattern": ORGANIC},
    "banking77": {"data": {"name": "banking77", "options": BANKING}},
}
UNLEARNT: dict[str, dict[str, Any]] = {
    "kept": {},
    **{
        method: {"defences": [{"name": "unlearning", "options": {"method": method}}]}
        for method in ("retrain", "continue", "relabel", "ascend")
    },
}


def _base() -> dict[str, Any]:
    return {**setting.base(), "attacks": [dict(OURS)], "adversary": {}}


def _smoke(axes: dict[str, Any], variants: dict[str, Any] | None = None) -> Any:
    return setting.smoke(axes, {"adversary": {}}, variants=variants or {})


ACCESS = setting.study(
    name="elmahdy2022/access",
    title="What each step of access buys: the label, its probability, all probabilities, the weights",
    base=_base(),
    copy_of={},
    axes={"access": LEVELS_TRIED, "k": setting.KS, "R": (100,), "supporting": ("all", 0)},
    settings=SHARED,
    variants={
        "access": {
            level: {"adversary.access": [level], "attacks.0.options.prune": level == "GradientAccess"}
            for level in LEVELS_TRIED
        }
    },
    scales=(
        _smoke({"k": (1, 10), "supporting": ("all",)}),
        setting.scale("quick"),
        setting.scale("paper", copied=False),
    ),
)
DEFENCES_TRIED = setting.study(
    name="elmahdy2022/defences",
    title="What defences take from the attack, and what they cost",
    base=_base(),
    copy_of={},
    axes={"defence": tuple(TRIED), "k": setting.KS, "R": (100,), "supporting": ("all",)},
    settings=SHARED,
    variants={"defence": TRIED},
    metrics=(*setting.MEASURED, "epsilon"),
    note=f"{setting.NOTE}; DP-SGD trains the last two layers and the head, beside `last layers` without noise",
    scales=(
        _smoke(
            {"k": (1, 10), "defence": ("none", "rounding", "label-only")},
            {"defence": {name: TRIED[name] for name in ("none", "rounding", "label-only")}},
        ),
        setting.scale("quick"),
        setting.scale("paper", copied=False),
    ),
)
PLACES = setting.study(
    name="elmahdy2022/places",
    title="Where canaries lie: rare, any and frequent classes, fluent sentences, another data set",
    base=_base(),
    copy_of={},
    axes={"place": tuple(PLACED), "k": setting.KS, "R": (100,), "supporting": ("all",)},
    settings=SHARED,
    variants={"place": PLACED},
    scales=(
        _smoke({"k": (1, 10), "place": ("any class", "organic")}),
        setting.scale("quick"),
        setting.scale("paper", copied=False),
    ),
)
DELETION = setting.study(
    name="elmahdy2022/deletion",
    title="Is the trace gone? The model that keeps the canaries, a retrained one, and three that unlearnt them",
    base={**_base(), "secrets": {**setting.base()["secrets"], "controls": 5, "deleted": True}},
    copy_of={},
    axes={"model": tuple(UNLEARNT), "k": setting.KS, "R": (100,), "supporting": (0,)},
    settings=SHARED,
    variants={"model": UNLEARNT},
    scales=(
        _smoke({"k": (1, 10), "model": ("kept", "retrain")}),
        setting.scale("quick"),
        setting.scale("paper", copied=False),
    ),
)
