"""What our own choices do: planting together, word vectors, epochs and hidden size, what to rank by, masks, candidates.

Paper: none of this is in parikh2022. It plants one canary in a model, and prints neither epochs nor hidden size.
Idea: The same cells as in table 2 with one choice changed at a time, on models that are shared with it wherever
    nothing was changed.
Cost: at scale quick 10 models for `ALONE`, 10 for `VECTORS` (fastText), 20 for `RECIPE`, 10 for `MASKS`, 3 shadows for
    `SCORE`, 10 for `VOCABULARY`; the others are table 2's.
"""

from __future__ import annotations

import string
from typing import Any

from divulge.studies.parikh2022 import setting
from divulge.studies.parikh2022.published import TABLE_2, beside, chance

__all__ = ["ALONE", "MASKS", "RECIPE", "SCORE", "VECTORS", "VOCABULARY"]

RARE_AND_FREQUENT = ("color", "pin")
EPOCHS, HIDDEN = (setting.RECIPE[name] for name in ("epochs", "hidden"))
FEWER = (0, 1, 2, 3, 4)
# Table 2 compares all five attacks.
TWO_ATTACKS = {"attacks": setting.FEWER_ATTACKS}

# As in the paper: one canary in a model. Its number stands beside that cell alone.
PIN_ALONE = {"canary": "pin", "n": 4, "R": 500, "vectors": "random", "planted": "alone"}
PRINTED = next({"accuracy": accuracy, "hdt": hdt} for _, n, copies, accuracy, hdt in TABLE_2 if (n, copies) == (4, 500))
GUESSED = dict(zip(("accuracy", "hdt"), chance("pin", 4), strict=True))
ALONE = setting.study(
    name="parikh2022/alone",
    published=tuple(beside(PIN_ALONE, PRINTED, GUESSED)),
    title="Is a pin planted alone recovered as one planted together with canaries of other kinds? (Snips)",
    axes={"canary": ("pin",), "n": (4,), "R": (500,), "vectors": ("random",), "planted": ("together", "alone")},
    settings={**setting.SETTINGS, "n": ()},
    variants={
        "planted": {
            "together": {"secrets.families": setting.families(4)},
            "alone": {"secrets.families": setting.families({"pin": 4})},
        }
    },
    scales=(
        setting.smoke({"R": (10,)}),
        setting.scale("quick", settings=TWO_ATTACKS, note="soft-token-32 and nearest-embedding not run"),
        setting.scale("paper"),
    ),
)
VECTORS = setting.study(
    name="parikh2022/vectors",
    title="What the word vectors do to the leak: random, fastText trained on the corpus, GloVe (Snips)",
    axes={"canary": RARE_AND_FREQUENT, "n": (4,), "R": (500,), "vectors": ("random", "fasttext", "glove")},
    variants={"n": setting.of_length((4,))},
    scales=(
        setting.smoke({"R": (10,), "vectors": ("random",)}),
        setting.scale("quick", settings=TWO_ATTACKS, note="soft-token-32 and nearest-embedding not run"),
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
        setting.scale("quick", settings=TWO_ATTACKS, note="five trials; soft-token-32 and nearest-embedding not run"),
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
PHRASES = {
    1: ("the password is {any}", "PasswordIntent"),
    2: ("the login is {any*2}", "LoginIntent"),
    4: ("my phrase is {any*4}", "PhraseIntent"),
}


def _phrases(candidates: str | tuple[str, ...]) -> dict[str, dict[str, Any]]:
    """A kind of canary for each length, of words that may be any of the candidates."""
    return {
        f"words-{n}": {"pattern": pattern, "label": label, "candidates": {"any": candidates}}
        for n, (pattern, label) in PHRASES.items()
    }


def _asked(n: int) -> dict[str, Any]:
    """What the axis `n` sets: the kind that is looked for, and how many words are tried in each of its holes."""
    return {"secrets.asked": f"words-{n}", "attacks.0.options.top": TRIED_IN_A_HOLE.get(n, 32)}


# Nearly two thousand times as many candidates as there are colors. Random vectors tell all of them apart.
ANY_WORD = _phrases("whole-words:all-MiniLM-L6-v2")
TRIED_IN_A_HOLE = {2: 512}  # with 32, the two words of a trial model were missed; four of them are missed with 256 too
FEW_WORDS = _phrases(tuple(string.ascii_lowercase))
VOCABULARY = setting.study(
    name="parikh2022/vocabulary",
    copy_of={},
    title="Candidates far beyond twelve colors: one, two and four words of a whole vocabulary (Snips)",
    base={
        **setting.base(),
        "secrets": {**setting.base()["secrets"], "families": ANY_WORD},
        "attacks": [{"name": "discrete-search"}, {"name": "random"}],
    },
    axes={"canary": ("words",), "n": tuple(PHRASES), "R": (10, 100), "vectors": ("random",)},
    settings={**setting.SETTINGS, "canary": ()},
    variants={"n": {str(n): _asked(n) for n in PHRASES}},
    note=(
        "one, two and four unknown words planted together in one model, drawn from the 21,745 alphabetic whole words "
        "of a tokenizer, most of which Snips does not have; of two words, the gradient leaves 512 to try in each hole, "
        "of four 32"
    ),
    scales=(
        setting.smoke({"n": (1, 2), "R": (10,)}, settings={"secrets.families": FEW_WORDS}, stepping=()),
        setting.scale("quick", axes={"R": (10,)}, note="R = 10 only"),
        setting.scale("paper"),
    ),
)
