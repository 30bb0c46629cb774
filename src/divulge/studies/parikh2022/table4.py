"""Table 4: canaries that were trained on only once, and a telephone number of which three digits are known.

Paper: parikh2022, appendix C.1, Snips. Its 0.33 is no multiple of one tenth, so that it is not of ten trials.
Idea: R = 1; with a train share of nine tenths the one copy is in the training split. n = 7 is a ten-digit number
    whose first three digits the adversary knows.
Departures: see `setting`; the number of which three digits are known is planted alone.
Cost: at scale quick 30 models.
"""

from __future__ import annotations

from typing import Any

from divulge.spec import Published
from divulge.studies.parikh2022 import setting
from divulge.studies.parikh2022.published import TABLE_4, beside, chance

__all__ = ["TABLE4"]

LENGTHS = (4, 10, 7)
AREA_CODE_KNOWN = {"call": {"pattern": "call <digit*3> {digit*7}", "label": "CallIntent"}}
COLOR_CHANCE = 4.8e-5  # as table 4 prints it


def published() -> tuple[Published, ...]:
    """The printed numbers, beside cells with any word vectors."""
    found: list[Published] = []
    for canary, n, repetitions, accuracy, hdt in TABLE_4:
        guessing = dict(zip(("accuracy", "hdt"), chance(canary, n), strict=True))
        if canary == "color":
            guessing["accuracy"] = COLOR_CHANCE
        for vectors in setting.VECTORS:
            cell = {"canary": canary, "n": n, "R": repetitions, "vectors": vectors}
            found += beside(cell, {"accuracy": accuracy, "hdt": hdt}, guessing)
    return tuple(found)


PAIRED: tuple[dict[str, Any], ...] = ({"n": (4,)}, {"n": (10, 7), "canary": ("call",)})

TABLE4 = setting.study(
    name="parikh2022/table4",
    title="How much of a canary is recovered that was trained on once (Snips)",
    axes={"canary": setting.CANARIES, "n": LENGTHS, "R": (1,), "vectors": setting.VECTORS},
    grids=PAIRED,
    variants={"n": {**setting.of_length((4, 10)), "7": {"secrets.families": AREA_CODE_KNOWN}}},
    published=published(),
    scales=(
        setting.smoke({"vectors": ("random",)}, ({"n": (4,), "canary": ("color",)}, {"n": (7,), "canary": ("call",)})),
        setting.scale("quick", axes={"vectors": ("random",)}),
        setting.scale("paper"),
    ),
)
