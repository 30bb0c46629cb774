"""What our own choices do: planting together, word vectors, epochs and hidden size, what to rank by, masks.

Paper: none of this is in parikh2022. It plants one canary in a model, and prints neither epochs nor hidden size.
Idea: The same cells as in table 2 with one choice changed at a time, on models that are shared with it wherever
    nothing was changed.
Cost: at scale quick 10 models for `ALONE`, 10 for `VECTORS` (fastText), 20 for `RECIPE`, 10 for `MASKS`, 3 shadows for
    `SCORE`; the others are table 2's.
"""

from __future__ import annotations

from divulge.studies.parikh2022 import setting

__all__ = ["ALONE", "MASKS", "RECIPE", "SCORE", "VECTORS"]

RARE_AND_FREQUENT = ("color", "pin")
EPOCHS, HIDDEN = (setting.RECIPE[name] for name in ("epochs", "hidden"))
FEWER = (0, 1, 2, 3, 4)

ALONE = setting.study(
    name="parikh2022/alone",
    title="Is a pin planted alone recovered as one planted together with canaries of other kinds? (Snips)",
    axes={"canary": ("pin",), "n": (4,), "R": (500,), "vectors": ("random",), "planted": ("together", "alone")},
    settings={**setting.SETTINGS, "n": ()},
    variants={
        "planted": {
            "together": {"secrets.families": setting.families(4)},
            "alone": {"secrets.families": setting.families({"pin": 4})},
        }
    },
    scales=(setting.smoke({"R": (10,)}), setting.scale("quick"), setting.scale("paper")),
)
VECTORS = setting.study(
    name="parikh2022/vectors",
    title="What the word vectors do to the leak: random, fastText trained on the corpus, GloVe (Snips)",
    axes={"canary": RARE_AND_FREQUENT, "n": (4,), "R": (500,), "vectors": ("random", "fasttext", "glove")},
    variants={"n": setting.of_length((4,))},
    scales=(
        setting.smoke({"R": (10,), "vectors": ("random",)}),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
RECIPE = setting.study(
    name="parikh2022/recipe",
    title="What epochs and hidden size, which the paper does not print, do to the leak and to utility (Snips)",
    axes={
        "canary": RARE_AND_FREQUENT,
        "n": (4,),
        "R": (500,),
        "vectors": ("random",),
        "epochs": (EPOCHS // 2, EPOCHS, 2 * EPOCHS),
        "hidden": (HIDDEN // 2, HIDDEN, 2 * HIDDEN),
    },
    grids=({"hidden": (HIDDEN,)}, {"epochs": (EPOCHS,)}),
    settings={**setting.SETTINGS, "epochs": "target.recipe.epochs", "hidden": "target.recipe.hidden"},
    variants={"n": setting.of_length((4,))},
    seeds=FEWER,
    scales=(
        setting.smoke(
            {"canary": ("color",), "R": (10,), "epochs": (6, 8), "hidden": (12,)},
            ({"epochs": (6, 8), "hidden": (12,)},),
        ),
        setting.scale("quick", note="five trials"),
        setting.scale("paper", seeds=setting.SEEDS),
    ),
    note="call, pin and color planted together in one model; epochs and hidden size are the axes",
)
SCORE = setting.study(
    name="parikh2022/score",
    copy_of={},
    title="What to rank by: the whole loss, the intent's, the slots', or less what three shadows say (Snips)",
    base={
        **setting.base(),
        "attacks": [{"name": "discrete-search"}],
        "adversary": {"background": {"corpus": {"name": "snips"}, "shadows": 3, "seed": 1000}},
    },
    axes={
        "canary": setting.CANARIES,
        "n": (4,),
        "R": (10,),
        "vectors": ("random",),
        "score": ("both", "intent", "slots", "shadows"),
    },
    variants={
        "n": setting.of_length((4,)),
        "score": {
            **{part: {"attacks.0.options.parts": part} for part in ("both", "intent", "slots")},
            "shadows": {"attacks.0.options.calibrate": "shadows"},
        },
    },
    note=(
        "call, pin and color planted together in one model; shadows learn from Snips itself (an adversary who knows "
        "all but the canaries), and the same three serve all trials"
    ),
    scales=(
        setting.smoke(
            {"canary": ("pin",)},
            settings={"adversary.background.corpus": setting.MADE_UP, "adversary.background.shadows": 1},
            stepping=(),
        ),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
MASKS = setting.study(
    name="parikh2022/masks",
    copy_of={},
    title="Dropout that stays on when the model answers: asking once, and averaging over masks (Snips)",
    base={
        **setting.base(),
        "target": {"kind": "nlu-tagger", "recipe": {**setting.RECIPE, "dropout": 0.2, "drops_when_asked": True}},
        "attacks": [{"name": "discrete-search"}],
    },
    axes={"canary": RARE_AND_FREQUENT, "n": (4,), "R": (500,), "vectors": ("random",), "masks": (1, 8)},
    settings={**setting.SETTINGS, "masks": "attacks.0.options.masks"},
    variants={"n": setting.of_length((4,))},
    scales=(
        setting.smoke({"canary": ("color",), "masks": (1, 2)}, stepping=()),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
    note="dropout 0.2, in training and when the model is asked; whoever has the weights could turn it off",
)
