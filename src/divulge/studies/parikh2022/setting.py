"""What all studies of parikh2022 share: one recipe, one way to plant, five attacks, so that they share their models.

Paper: parikh2022, sections 3 and 4, appendices A and B. Epochs, hidden size and batch size are not printed; `RECIPE`
    says what is used here, and the study parikh2022/recipe what other choices would do.
Departures: call, pin and color are planted together, each with an intent of its own, where the paper plants one
    canary in a model (parikh2022/alone holds both side by side). The paper's fastText vectors are not to be had here:
    vectors drawn at random, for which every digit is another direction, stand in; those trained on the corpus with
    fastText, and GloVe, are values of the axis `vectors`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.spec import Scale, Study, StudyScale

__all__ = [
    "ADVERSARY",
    "CANARIES",
    "COPY_OF",
    "FEWER_ATTACKS",
    "LENGTHS",
    "MADE_UP",
    "MEASURED",
    "NOTE",
    "PAPER",
    "RECIPE",
    "SEEDS",
    "SETTINGS",
    "VECTORS",
    "base",
    "families",
    "family",
    "of_length",
    "scale",
    "smoke",
    "study",
]

PAPER = "parikh2022"
CANARIES = ("color", "pin", "call")
LENGTHS = (4, 6, 8, 10)
VECTORS = ("random", "glove", "fasttext")
SEEDS = tuple(range(10))  # one model and one canary of each family for each trial, as in the paper

# The one recipe of every attacked model.
RECIPE: dict[str, Any] = {
    "vectors": "random",
    "width": 100,
    "hidden": 64,
    "layers": 2,
    "dropout": 0.0,
    "epochs": 10,
    "batch_size": 64,
    "learning_rate": 0.003,
}
CONTROLS = 1  # of each family in each model; ten trials of a cell have ten

# What characters a soft token has is not said in the paper; "unknown" is an adversary who does not think of them.
USED_ATTACKS: tuple[dict[str, Any], ...] = (
    {"name": "soft-token", "options": {"characters": "unknown"}},
    {"name": "soft-token-32", "options": {"characters": "unknown"}},
    {"name": "nearest-embedding"},
    {"name": "discrete-search"},
    {"name": "random"},
)
# Where only the paper's attack and ours are compared: tables and figures of hundreds of models.
FEWER_ATTACKS = (USED_ATTACKS[0], USED_ATTACKS[3], USED_ATTACKS[4])
# The paper's attack as printed stands beside the others on the same models.
COPY_OF = dict.fromkeys(("discrete-search", "soft-token-32", "nearest-embedding"), "soft-token")
MEASURED = ("accuracy", "hdt", "exposure", "rank", "intent_accuracy", "slot_f1")
SETTINGS = {"canary": "secrets.asked", "R": "secrets.copies", "vectors": "target.recipe.vectors"}
NOTE = (
    "call, pin and color planted together in one model; "
    f"{RECIPE['epochs']} epochs, hidden {RECIPE['hidden']}, batch {RECIPE['batch_size']} (not printed); "
    "vectors: random, GloVe or fastText trained on the corpus, in place of the paper's fastText"
)

# Two adversaries against the same defended models; without characters in the model they are the same.
ADVERSARY: dict[str, dict[str, Any]] = {
    "static": {},
    "adaptive": {f"attacks.{place}.options.characters": "mixed" for place in (0, 1)},
}

MADE_UP = {"name": "synthetic-utterances", "options": {"size": 200}}

_PATTERNS = {
    "call": ("call {{digit*{n}}}", "CallIntent"),
    "pin": ("my pin code is {{digit*{n}}}", "PinIntent"),
    "color": ("color {{color*{n}}}", "ColorIntent"),
}


def family(canary: str, n: int) -> dict[str, Any]:
    """One kind of canary with n unknown tokens (table 1, appendix A).

    >>> family("pin", 4)
    {'pattern': 'my pin code is {digit*4}', 'label': 'PinIntent'}
    """
    pattern, label = _PATTERNS[canary]
    return {"pattern": pattern.format(n=n), "label": label}


def families(lengths: int | Mapping[str, int]) -> dict[str, Any]:
    """All three kinds, of one length or each of its own."""
    each = dict.fromkeys(CANARIES, lengths) if isinstance(lengths, int) else lengths
    return {canary: family(canary, n) for canary, n in each.items()}


def of_length(lengths: Sequence[int]) -> dict[str, Any]:
    """What the values of the axis `n` do: all three canaries of a model have that length."""
    return {str(n): {"secrets.families": families(n)} for n in lengths}


def base(lengths: int | Mapping[str, int] = 4) -> dict[str, Any]:
    """The audit file that cells start from."""
    return {
        "target": {"kind": "nlu-tagger", "recipe": dict(RECIPE)},
        "data": {"name": "snips"},
        "secrets": {
            "families": families(lengths),
            "count": 1,
            "controls": CONTROLS,
            "valid_share": 0.1,
            "decoys": 1000,
        },
        "attacks": [dict(attack) for attack in USED_ATTACKS],
        "probes": [{"name": "slot-tagging"}],
    }


def study(**fields: Any) -> Study:
    """A study of the paper, with what all of them share unless it is told."""
    shared: dict[str, Any] = {"paper": PAPER, "base": base(), "metrics": MEASURED, "seeds": SEEDS, "copy_of": COPY_OF}
    return Study(**{**shared, "settings": SETTINGS, "note": NOTE, **fields})


def scale(name: Scale, **fields: Any) -> StudyScale:
    """A scale of a study."""
    return StudyScale(name=name, **fields)


def smoke(
    axes: Mapping[str, Sequence[Any]],
    grids: Sequence[Mapping[str, Any]] = (),
    variants: Mapping[str, Any] | None = None,
    settings: Mapping[str, Any] | None = None,
    *,
    stepping: Sequence[int] = (0, 1, 2),
) -> StudyScale:
    """A scale that shows in about a minute that all parts fit; its figures mean nothing.

    `stepping` are the places of the attacks that descend step by step.
    """
    # Small, but trained well enough to pass its handshake: a broken access would not be attacked at all.
    small = {"width": 24, "hidden": 12, "layers": 1, "epochs": 8, "learning_rate": 0.02}
    return scale(
        "smoke",
        axes=axes,
        grids=tuple(grids),
        seeds=(0, 1),
        variants=variants or {},
        settings={
            "data": MADE_UP,
            "secrets.controls": 1,
            "secrets.decoys": 20,
            **{f"target.recipe.{name}": value for name, value in small.items()},
            **{f"attacks.{place}.options.steps": 5 for place in stepping},
            **(settings or {}),
        },
        note="made-up utterances, a tiny model, two trials: shows that all parts fit, nothing else",
    )
