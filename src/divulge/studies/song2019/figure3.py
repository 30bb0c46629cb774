"""Figure 3: the audit with few queries, drawn at random or those of the rarest words first.

Paper: song2019, section 4.3. Claims: above 0.9 with 32 queries; one query of rare words is enough on Reddit and
    dialogs. Printed as curves: what stands here is what the text tells.
Departures: see `setting`; words are counted in what the auditor has, the shadows' texts: the paper does not say where.
    "rarest" is, for the paper's attack, the smallest sum of the words' counts, which prefers short texts; for ours the
    texts that its own models find least likely in all.
Cost: no model beyond those of table 3.
"""

from __future__ import annotations

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import anchor

__all__ = ["FIGURE3"]

QUERIES = (1, 2, 4, 8, 16, 32, None)
ASKING = range(2)  # the attacks that ask: the paper's, then ours
SELECTIONS = {
    "random": {f"attacks.{place}.options.selection": "random" for place in ASKING},
    "rarest": {"attacks.0.options.selection": "rarest", "attacks.1.options.selection": "surprising"},
}

FIGURE3 = setting.study(
    name="song2019/figure3",
    title="How many of a person's texts are asked about, and which",
    axes={"task": tuple(setting.TASKS), "queries": QUERIES, "selection": ("random", "rarest")},
    settings={
        "queries": tuple(f"attacks.{place}.options.max_texts" for place in ASKING),
    },
    variants={"task": setting.tasks(), "selection": SELECTIONS},
    published=tuple(
        anchor({"task": task, "queries": 32, "selection": selection}, 0.9, "above, the text says", metric)
        for task in setting.TASKS
        for selection in ("random", "rarest")
        for metric in ("accuracy", "auc", "precision", "recall")
    ),
    scales=(
        setting.smoke({"task": ("next-word",), "queries": (1, 4)}),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
