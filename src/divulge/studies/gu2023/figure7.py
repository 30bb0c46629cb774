"""Figure 7: how many of a row's most frequent guessed words must be examined (Skytrax and CMS).

Paper: gu2023, appendix A.4; a picture without numbers. Claim: beyond about 25 words nothing is gained.
Idea: The same generations, read with 5, 10 … 50 words kept.
Departures: see `setting`.
Cost: none beyond table 1.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.gu2023 import setting

__all__ = ["FIGURE7"]

KEPT = (5, 10, 15, 20, 25, 30, 40, 50)
PAIR = ("skytrax", "cms")


def _readings() -> dict[str, Any]:
    return {"kept": {str(kept): {"count": {"kept": kept}, "unique": {"kept": kept}} for kept in KEPT}}


FIGURE7 = setting.study(
    name="gu2023/figure7",
    title="How many keywords are found among the words that are kept (Skytrax, CMS)",
    axes={**setting.axes(PAIR, ("white-box",)), "kept": KEPT},
    grids=setting.paired(PAIR, ("white-box",)),
    readings=_readings(),
    metrics=("count", "unique"),
    note=setting.WHITE_NOTE,
    scales=(
        setting.smoke(setting.SENTENCE_ATTACKS, axes={"kept": (5, 20)}),
        setting.quick(
            setting.SENTENCE_ATTACKS,
            grids=setting.paired(PAIR, ("white-box",), small=True),
            note="SmolLM2 on CMS only",
        ),
        setting.scale("paper", settings={"attacks": setting.SENTENCE_ATTACKS}),
    ),
)
