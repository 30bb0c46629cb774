"""Figure 3: the audit with few queries, drawn at random or those of the rarest words first.

Paper: song2019, section 4.3. Claims: above 0.9 with 32 queries; one query of rare words is enough on Reddit and
    dialogs. Printed as curves: what stands here is what the text tells.
Departures: see `setting`; words are counted in what the auditor has, the shadows' texts: the paper does not say where.
    "rarest" is the smallest sum of the words' counts, which prefers short texts. Beyond the print, for our attack
    alone: "surprising" takes the texts that its own models find least likely in all, which are long ones.
Cost: no model beyond those of table 3.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import anchor

__all__ = ["FIGURE3"]

QUERIES = (1, 2, 4, 8, 16, 32, None)
COPIED, OURS, BLIND = (attack["name"] for attack in setting.ATTACKED)
SURPRISING_SAID = "surprising: ours alone, the texts that its own models find least likely; rarest and random: both"


def _asked(queries: int | None, selection: str) -> dict[str, Any]:
    """What so many queries of a selection do: the same for both attacks, but that the paper's has no third way."""
    asking = (OURS,) if selection == "surprising" else (COPIED, OURS)
    options = {"max_texts": queries, "selection": selection}
    return {"attacks": [*({"name": name, "options": options} for name in asking), {"name": BLIND}]}


def _chosen(queries: tuple[int | None, ...] = QUERIES) -> dict[str, Any]:
    return {
        f"{'null' if number is None else number} {selection}": _asked(number, selection)
        for number in queries
        for selection in ("random", "rarest", "surprising")
    }


FIGURE3 = setting.study(
    name="song2019/figure3",
    title="How many of a person's texts are asked about, and which",
    axes={"task": tuple(setting.TASKS), "queries": QUERIES, "selection": ("random", "rarest", "surprising")},
    grids=({"queries": QUERIES[:-1]}, {"queries": QUERIES[-1:], "selection": ("random",)}),
    settings={"queries": (), "selection": ()},
    variants={"task": setting.tasks(), "queries selection": _chosen()},
    note=SURPRISING_SAID,
    published=tuple(
        anchor({"task": task, "queries": 32, "selection": selection}, 0.9, "above, the text says", metric)
        for task in setting.TASKS
        for selection in ("random", "rarest")
        for metric in ("accuracy", "auc", "precision", "recall")
    ),
    scales=(
        setting.smoke({"task": ("next-word",), "queries": (1, 4)}, grids=({},)),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
