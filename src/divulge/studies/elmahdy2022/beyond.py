"""Beyond the paper: steps of access, defences, where canaries lie, deletion, and canaries that nobody looked at.

Paper: none of it is printed. Section 8 of elmahdy2022 names other classes, organic canaries and differential privacy as
    future work, section 5 deletion requests as a use.
Departures: see `setting`.
Cost: at scale quick `access` needs no model beyond those of tables 2 and 4, `defences` six, `places` and `deletion`
    ten, `unseen` six.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.elmahdy2022 import setting

__all__ = ["ACCESS", "DEFENCES_TRIED", "DELETION", "PLACES", "UNSEEN"]

OURS = {"name": "calibrated-likelihood", "options": setting.looked_for(1)}
LEVELS_TRIED = ("LabelAccess", "TopLabelAccess", "LabelLikelihoodAccess", "GradientAccess")
SHARED = {"R": "secrets.copies", "supporting": "secrets.supporting"}

# Of DP-SGD: the last two layers and the head, which a CPU can train with noise; other parts stay as they were.
PRIVATE: dict[str, Any] = {"noise": 0.6, "clip": 1.0, "batch_size": 256, "learning_rate": 0.002, "epochs": 10}
TRIED: dict[str, dict[str, Any]] = {
    "none": {},
    # As DP below, but for clipping and noise: what is left of the leak there is not DP's merit.
    "last layers": {
        "target.recipe.trained": "last",
        "target.recipe.restore_best": False,
        **{f"target.recipe.{name}": PRIVATE[name] for name in ("batch_size", "learning_rate", "epochs")},
    },
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
# Some classes are five times as frequent as most, and ten times as the rare ones.
UNEVEN: dict[str, Any] = {**setting.DATA_OPTIONS, "each": 15, "frequent": 5, "frequent_each": 100}
UNEVEN_WHOLE: dict[str, Any] = {**setting.WHOLE_OPTIONS, "each": 75, "frequent": 5, "frequent_each": 150}
BANKING: dict[str, Any] = {"each": 20, "valid_each": 5, "test_each": 5, "rare": 5, "rare_each": 10, "words": 24}
PLACED: dict[str, dict[str, Any]] = {
    "rarest class": {},
    "any class": {"secrets.label_of": "any"},
    "most frequent class": {"secrets.label_of": "most-frequent"},
    "organic": {"secrets.pattern": ORGANIC},
    "banking77": {"data": {"name": "banking77", "options": BANKING}},
}
WHOLE = {"name": setting.POSTS, "options": UNEVEN_WHOLE}
PLACED_SAID = (
    "5 classes of 10 posts, 5 of 100 and 90 of 15 at scale quick (50, 150 and 75 at scale paper); one canary in each "
    "of five classes of a place, in banking77 of those made rare"
)
DELETED_SAID = (
    f"{setting.IN_RARE}, and ten controls a model; the weights are at hand, and the gradient leaves 1,000 words to "
    "guess from; n of a trace counts planted canaries and controls"
)
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


# Of labels alone: without supporting canaries most words get the label, and each would be asked about 41 times.
MOST_ASKED = 300_000
LADDER_SAID = (
    f"{setting.IN_RARE}; with the weights, the gradient leaves 1,000 words to ask about, so that it may only find "
    f"less, with fewer questions; of labels alone at most {MOST_ASKED:,} questions a model"
)
ACCESS = setting.study(
    name="elmahdy2022/access",
    title="What each step of access buys: the label, its probability, all probabilities, the weights",
    base=_base(),
    copy_of={},
    metrics=("success", "queries", *setting.MEASURED[1:]),
    axes={"access": LEVELS_TRIED, "k": setting.KS, "R": (100,), "supporting": ("all", 0)},
    settings=SHARED,
    variants={
        "access": {
            level: {
                "adversary.access": [level],
                "attacks.0.options.prune": level == "GradientAccess",
                **({"adversary.max_queries": MOST_ASKED} if level == "LabelAccess" else {}),
            }
            for level in LEVELS_TRIED
        }
    },
    scales=(
        _smoke({"k": (1, 10), "supporting": ("all",)}),
        setting.scale("quick", copied=False, note=LADDER_SAID),
        setting.scale("paper", copied=False, note=LADDER_SAID),
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
        setting.scale("quick", copied=False),
        setting.scale("paper", copied=False),
    ),
)
PLACES = setting.study(
    name="elmahdy2022/places",
    title="Where canaries lie: rare, any and frequent classes, fluent sentences, another data set",
    base={**_base(), "data": {"name": setting.POSTS, "options": UNEVEN}},
    copy_of={},
    axes={"place": tuple(PLACED), "k": setting.KS, "R": (100,), "supporting": ("all",)},
    settings=SHARED,
    variants={"place": PLACED},
    scales=(
        _smoke({"k": (1, 10), "place": ("any class", "organic")}),
        setting.scale("quick", copied=False, note=PLACED_SAID),
        setting.scale("paper", copied=False, note=PLACED_SAID, settings={"data": WHOLE}),
    ),
)
# Whether a canary left a trace is told by where it stands among decoys, beside controls: guesses may be few.
DELETED: dict[str, Any] = {
    **_base(),
    "secrets": {**setting.base()["secrets"], "controls": 10, "ranked": 0, "deleted": True},
    "attacks": [{**OURS, "options": {**setting.looked_for(1), "prune": True}}],
}
DELETION = setting.study(
    name="elmahdy2022/deletion",
    title="Is the trace gone? The model that keeps the canaries, a retrained one, and three that unlearnt them",
    base=DELETED,
    copy_of={},
    metrics=("trace", "trace_p_value", *setting.MEASURED),
    axes={"model": tuple(UNLEARNT), "k": setting.KS, "R": (100,), "supporting": (0,)},
    settings=SHARED,
    variants={"model": UNLEARNT},
    scales=(
        _smoke({"k": (1, 10), "model": ("kept", "retrain")}),
        setting.scale("quick", copied=False, note=DELETED_SAID),
        setting.scale("paper", copied=False, note=DELETED_SAID),
    ),
)
# The search for several words was written while the canaries of tables 2 to 4 were looked at: seeds that were not.
NOT_LOOKED_AT = (2, 3)
UNSEEN_SAID = f"{setting.IN_RARE}; seeds that no one had looked at when the attack was written; one control a model"
UNSEEN = setting.study(
    name="elmahdy2022/unseen",
    title="The last words of canaries that were not looked at while the attack was written",
    base={**_base(), "secrets": {**setting.base()["secrets"], "ranked": 0}},
    copy_of={},
    axes={"tokens": (1, 2, 3), "k": setting.KS, "R": (100,), "supporting": ("all",)},
    settings=SHARED,
    variants={
        "tokens": {
            str(missing): {
                "secrets.pattern": setting.pattern(missing),
                "attacks.0.options": setting.looked_for(missing),
            }
            for missing in (1, 2, 3)
        }
    },
    seeds=NOT_LOOKED_AT,
    scales=(
        _smoke({"tokens": (1, 2), "k": (1, 10)}),
        setting.scale("quick", copied=False, note=UNSEEN_SAID),
        setting.scale("paper", copied=False, note=UNSEEN_SAID, seeds=tuple(range(10, 20))),
    ),
)
