"""Figure 2: the audit of next-word models by the number of people they learnt from.

Paper: song2019, section 4.3. Claims: all metrics at least 0.95 below 1,000 users; with 4,000 precision is below 0.8 and
    AUC about 0.9. Printed as curves: what stands here is what the text tells.
Departures: see `setting`; 25 to 350 users, four shadows: the data have 1,482 people, and four times as many as are
    trained on are needed. At scale quick two shadows of 350 users, which are 1,400 people to learn from.
Cost: at scale quick 23 models of up to 350 people.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import anchor

__all__ = ["FIGURE2"]

COUNTS = (25, 50, 100, 200, 350)
FEWER = {350: 2}  # shadows at scale quick


def _counted(shadows: Mapping[int, int]) -> dict[str, Any]:
    """What so many users are: members, others, and shadows, four where nothing else is told."""
    return {
        str(count): {**setting.people(count), "adversary.background.shadows": shadows.get(count, setting.SHADOWS)}
        for count in COUNTS
    }


FIGURE2 = setting.study(
    name="song2019/figure2",
    title="The number of people a model learnt from",
    axes={"users": COUNTS},
    variants={"users": _counted({})},
    published=tuple(
        anchor({"users": count}, 0.95, "at least, the text says", metric)
        for count in (100, 200, 350)
        for metric in ("accuracy", "auc", "precision", "recall")
    ),
    scales=(
        setting.smoke(
            {"users": (4, 6)},
            variants={"users": {str(count): {"secrets.count": count, "secrets.controls": count} for count in (4, 6)}},
        ),
        setting.scale(
            "quick",
            variants={"users": _counted(FEWER)},
            note=f"{setting.sized(members=COUNTS, shadows=(2, 4))}; 2 shadows where there are 350 members",
        ),
        setting.scale("paper", note=setting.sized(members=COUNTS, epochs=(30,))),
    ),
)
