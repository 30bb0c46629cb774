"""Table 3: what dropout, early stopping, character embeddings and their combinations take from the attack.

Paper: parikh2022, section 6, Snips. Claims: all three together leave the attack at chance; utility does not suffer.
Idea: The same canaries in models trained with each defence. Against characters there are two adversaries: `static`
    gives soft tokens no characters, `adaptive` goes through the character CNN. Without characters in the model both
    are the same, and only `static` is run. discrete-search tries real tokens, whose characters are known: it always
    knows the defence.
Departures: see `setting`. n is not printed; by its numbers it is 4. Which dropout rate was used where is not printed:
    0.2, and 0.1 for D alone, so that the print stands beside both. D + CE and DP-SGD are not printed. At scale quick
    training stops early within 30 epochs with a patience of 3 (20, within 100, at scale paper), best weights
    restored, and R = 500 only.
Cost: at scale quick 90 models beyond those of table 2.
"""

from __future__ import annotations

from typing import Any

from divulge.spec import Published
from divulge.studies.parikh2022 import setting
from divulge.studies.parikh2022.published import TABLE_3, TABLE_3_CHANCE, beside

__all__ = ["TABLE3"]

RATES = (0.2, 0.1)
REPETITIONS = (10, 500, 1000)
PRINTED_ORDER = ("color", "pin", "call")
COMBINATIONS = ("none", "D", "ES", "CE", "D+ES", "D+CE", "ES+CE", "D+ES+CE", "DP")
DROPPING = tuple(name for name in COMBINATIONS if name.startswith("D") and name != "DP")
# Of DP-SGD: larger batches, larger steps and more epochs than the plain recipe, as noise asks for.
PRIVATE = {"noise": 0.6, "clip": 1.0, "batch_size": 256, "learning_rate": 0.005, "epochs": 15}


def stopping(patience: int, epochs: int) -> dict[str, Any]:
    """What the values of the axis `defence` do, with early stopping of this patience."""
    parts = {
        "D": {"name": "dropout"},  # first of its list: the axis `rate` sets its option
        "ES": {"name": "early-stopping", "options": {"patience": patience, "epochs": epochs}},
        "CE": {"name": "character-embeddings"},
        "DP": {"name": "dp-sgd", "options": dict(PRIVATE)},
    }
    chosen = {name: [] if name == "none" else [parts[part] for part in name.split("+")] for name in COMBINATIONS}
    return {name: {"defences": listed} for name, listed in chosen.items()}


def grids(
    rates: dict[str, tuple[float, ...]], private: tuple[int, ...], others: tuple[int, ...] = REPETITIONS
) -> tuple[dict[str, Any], ...]:
    """Which values go together: a rate with dropout, two adversaries with characters, DP-SGD at some R.

    Vectors trained on the corpus are not private, so that DP-SGD has drawn ones only.
    """
    found: list[dict[str, Any]] = []
    for defence in COMBINATIONS:
        adversaries = ("static", "adaptive") if "CE" in defence else ("static",)
        repetitions = private if defence == "DP" else others
        grid = {"defence": (defence,), "rate": rates.get(defence, (None,)), "adversary": adversaries, "R": repetitions}
        found.append({**grid, "vectors": ("random",)} if defence == "DP" else grid)
    return tuple(found)


def published() -> tuple[Published, ...]:
    """The printed HDTs, beside each rate, adversary and kind of vectors that they may be about."""
    found: list[Published] = []
    for repetitions, rows in TABLE_3.items():
        for defence, values in rows.items():
            said = "which dropout rate is not printed" if defence in DROPPING else ""
            for canary, hdt in zip(PRINTED_ORDER, values, strict=True):
                for rate in RATES if defence in DROPPING else (None,):
                    for adversary in ("static", "adaptive") if "CE" in defence else ("static",):
                        for vectors in setting.VECTORS:
                            cell = {"canary": canary, "n": 4, "R": repetitions, "defence": defence, "rate": rate}
                            cell |= {"vectors": vectors, "adversary": adversary}
                            found += beside(cell, {"hdt": hdt}, {"hdt": TABLE_3_CHANCE[canary]}, said)
    return tuple(found)


TABLE3 = setting.study(
    name="parikh2022/table3",
    title="What dropout (D), early stopping (ES), character embeddings (CE) and DP-SGD (DP) take away (Snips)",
    axes={
        "canary": setting.CANARIES,
        "n": (4,),
        "R": REPETITIONS,
        "defence": COMBINATIONS,
        "rate": (None, *RATES),
        "vectors": setting.VECTORS,
        "adversary": ("static", "adaptive"),
    },
    grids=grids(dict.fromkeys(DROPPING, RATES), REPETITIONS),
    variants={
        "n": setting.of_length((4,)),
        "defence": stopping(patience=20, epochs=100),
        "rate": {"null": {}, **{str(rate): {"defences.0.options.rate": rate} for rate in RATES}},
        "adversary": setting.ADVERSARY,
    },
    metrics=(*setting.MEASURED, "epsilon"),
    published=published(),
    scales=(
        setting.smoke(
            {"canary": ("color",), "R": (10,), "vectors": ("random",)},
            ({"defence": ("D+ES+CE",), "rate": (0.2,), "R": (10,)},),
            {"defence": stopping(patience=10, epochs=25)},
        ),
        setting.scale(
            "quick",
            axes={"vectors": ("random",)},
            grids=grids({**dict.fromkeys(DROPPING, (0.2,)), "D": RATES}, (500,), (500,)),
            variants={
                "defence": stopping(patience=3, epochs=30),
                "adversary": {"static": {}, "adaptive": {"attacks.0.options.characters": "mixed"}},
            },
            settings={"attacks": setting.FEWER_ATTACKS},
            note=(
                "early stopping within 30 epochs, patience 3, best weights restored; R = 10 and 1000 left out; "
                "dropout rate 0.1 only for D alone; DP-SGD with noise 0.6, batch 256, 15 epochs; "
                "soft-token-32 and nearest-embedding not run"
            ),
        ),
        setting.scale("paper", note="early stopping within 100 epochs, patience 20, best weights restored"),
    ),
)
