"""Figures 3, 4 and 5: the attack on three data sets, with pin and color of four and call of ten unknown tokens.

Paper: parikh2022, appendix C.2; pictures without numbers. Claim: Snips and ATIS are about equal, NLU-Evaluation gives
    away less.
Idea: One canary of each kind in one model, of the length it has in the figures. Figure 3 compares the data sets, 4
    and 5 follow the number of copies on ATIS and NLU-Evaluation; they share their models.
Departures: see `setting`. The NLU-Evaluation set used here has 11,036 rows, so that R = 10,000 is as large as the
    data; at scale quick R = 500, 5000 and 10,000 are left out. Which R figure 3 is drawn at is not printed.
Cost: at scale quick 60 models for figure 3, 10 more for figure 4, none for figure 5.
"""

from __future__ import annotations

from typing import Any

from divulge.spec import Study, StudyScale
from divulge.studies.parikh2022 import setting

__all__ = ["FIGURE3", "FIGURE4", "FIGURE5"]

LENGTHS = {"color": 4, "pin": 4, "call": 10}
SETTINGS = {**setting.SETTINGS, "data": "data.name", "n": ()}  # n follows the canary: a mere label
MADE_UP = "synthetic-utterances"
ATIS, NLU = (10, 100, 200, 500), (100, 500, 1000, 5000, 10000)
AT_QUICK = (100, 1000)
LEFT_OUT = "NLU-Evaluation: R = 500, 5000 and 10000 left out"
FEWER: dict[str, Any] = {"attacks": setting.FEWER_ATTACKS}
FEWER_SAID = "soft-token-32 and nearest-embedding not run"


def paired(**chosen: Any) -> tuple[dict[str, Any], ...]:
    """Each canary with its length, at the chosen values of other axes."""
    return tuple({"canary": (canary,), "n": (n,), **chosen} for canary, n in LENGTHS.items())


def study(name: str, title: str, repetitions: dict[str, tuple[int, ...]], quick: StudyScale) -> Study:
    """One of the figures; `repetitions` are the paper's, by data set."""
    every = sorted({count for counts in repetitions.values() for count in counts})
    grids = [grid for data, counts in repetitions.items() for grid in paired(data=(data,), R=counts)]
    return setting.study(
        name=name,
        title=title,
        base=setting.base(LENGTHS),
        axes={
            "canary": setting.CANARIES,
            "n": (4, 10),
            "R": every,
            "data": tuple(repetitions),
            "vectors": setting.VECTORS,
        },
        grids=tuple(grids),
        settings=SETTINGS,
        scales=(
            setting.smoke(
                {"data": (MADE_UP,), "vectors": ("random",), "R": (100,)},
                ({"canary": ("color",), "n": (4,)}, {"canary": ("pin",), "n": (4,)}),
            ),
            quick,
            setting.scale("paper"),
        ),
    )


FIGURE3 = study(
    "parikh2022/figure3",
    "How much is recovered from models of three data sets",
    {"snips": (1, 10, 100, 500), "atis": ATIS, "nlu-evaluation": NLU},
    setting.scale(
        "quick",
        axes={"vectors": ("random",)},
        grids=(
            *paired(data=("snips",), R=(100,)),
            *paired(data=("atis",), R=(10, 100, 500)),
            *paired(data=("nlu-evaluation",), R=AT_QUICK),
        ),
        settings=FEWER,
        note=f"{FEWER_SAID}; Snips: R = 1, 10 and 500, ATIS: R = 200, {LEFT_OUT}",
    ),
)
FIGURE4 = study(
    "parikh2022/figure4",
    "How the number of copies changes what is recovered (ATIS)",
    {"atis": ATIS},
    setting.scale("quick", axes={"vectors": ("random",)}, settings=FEWER, note=FEWER_SAID),
)
FIGURE5 = study(
    "parikh2022/figure5",
    "How the number of copies changes what is recovered (NLU-Evaluation)",
    {"nlu-evaluation": NLU},
    setting.scale(
        "quick",
        axes={"vectors": ("random",), "R": AT_QUICK},
        grids=paired(),
        settings=FEWER,
        note=f"{FEWER_SAID}; {LEFT_OUT}",
    ),
)
