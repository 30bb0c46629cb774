"""Figure 5: how many keywords are inferred from private sets of growing size (MT).

Paper: gu2023, appendix A.1; a picture without numbers. Claim: about linear in the size.
Idea: The same attacks on the first 100, 200 … of the private rows, drawn at random.
Departures: see `setting`; the MT set here has 481 private sentences.
Cost: no training beyond table 1.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.gu2023 import setting
from divulge.studies.gu2023.published import ENCODERS

__all__ = ["FIGURE5"]

SIZES = (100, 200, 300, 400, 481)
COMPARED = tuple(attack for attack in setting.KEYWORD_ATTACKS if attack["name"] != "gei")


def _axes() -> dict[str, Any]:
    return {**setting.axes(("mt",)), "size": SIZES}


def _variants(limit: int | None) -> dict[str, Any]:
    """As elsewhere, but that the axis `size` tells how many rows are attacked."""
    told = setting.variants(limit)
    for fields in told["data setting"].values():
        del fields["secrets.count"]
    return told


FIGURE5 = setting.study(
    name="gu2023/figure5",
    title="How many keywords are inferred from private sets of growing size (MT)",
    axes=_axes(),
    grids=setting.paired(("mt",)),
    settings={**setting.LABELS, "size": "secrets.count"},
    variants=_variants(None),
    metrics=("count", "unique"),
    scales=(
        setting.smoke(COMPARED, {"size": 10, "data": "mt"}),
        setting.quick(
            COMPARED,
            axes={"encoder": (ENCODERS["BERT"],), "stands_for": ("BERT",)},
            variants=_variants(setting.PUBLIC_QUICK),
            note="all-MiniLM-L6-v2 only; gei not run",
        ),
        setting.scale("paper", settings={"attacks": COMPARED}),
    ),
)
