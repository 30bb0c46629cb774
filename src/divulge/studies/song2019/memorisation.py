"""Figures 5, 6 and 7: what of the training texts the models know by heart.

Paper: song2019, section 5. Claims: log-probabilities and ranks of frequent words are the same in training texts and in
    others', those of rare words are not; without some of its hidden units a model loses rare words first.
Departures: see `setting`; printed as histograms and curves, so that only shares of words stand beside ours.
Cost: at scale quick two models beyond those of table 3, without dropout, for figure 7.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import shares

__all__ = ["FIGURE5", "FIGURE6", "FIGURE7"]

ABLATED = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9)


def _looked_at(probe: str, **options: Any) -> dict[str, Any]:
    return {**setting.base(), "attacks": [], "probes": [{"name": probe, "options": options}]}


FIGURE5 = setting.study(
    name="song2019/figure5",
    title="Log-probabilities of frequent and rare words, in training texts and in others'",
    base=_looked_at("word-standing", by=["words", "density"]),
    axes={"task": tuple(setting.TASKS), "words": ("frequent", "rare"), "seen": (True, False)},
    readings={"words": {}, "seen": {}},
    variants={"task": setting.tasks()},
    metrics=("log_probability", "word_rank", "median_rank", "word_share", "density"),
    copy_of={},
    published=shares(),
    scales=(setting.smoke({"task": ("next-word",)}), setting.scale("quick"), setting.scale("paper")),
)
FIGURE6 = setting.study(
    name="song2019/figure6",
    title="Ranks of words by how frequent they are, in training texts and in others'",
    base=_looked_at("word-standing", by=["frequency"]),
    axes={"task": tuple(setting.TASKS), "seen": (True, False)},
    readings={"seen": {}},
    variants={"task": setting.tasks()},
    metrics=("word_rank", "frequency_rank"),
    copy_of={},
    scales=(setting.smoke({"task": ("next-word",)}), setting.scale("quick"), setting.scale("paper")),
)
FIGURE7 = setting.study(
    name="song2019/figure7",
    title="What is left of training accuracy without some of the hidden units",
    base=_looked_at("unit-ablation", ablated=list(ABLATED), draws=3),
    axes={"task": ("next-word", "translation"), "words": ("frequent", "rare"), "ablated": ABLATED},
    readings={"words": {}, "ablated": {}},
    variants={
        "task": {task: {**setting.of_task(task), "target.recipe.dropout": 0.0} for task in ("next-word", "translation")}
    },
    metrics=("train_accuracy",),
    copy_of={},
    scales=(
        setting.smoke({"task": ("next-word",)}),
        setting.scale("quick"),
        setting.scale(
            "paper",
            variants={
                "task": {
                    task: {**setting.of_task(task, setting.MOST[task]), "target.recipe.dropout": 0.0}
                    for task in ("next-word", "translation")
                }
            },
        ),
    ),
)
