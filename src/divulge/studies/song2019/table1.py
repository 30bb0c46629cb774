"""Table 1: how well the three models predict words of their training texts, and of other people's.

Paper: song2019, section 4.2. Claims: accuracy is nearly the same on both, so that the models are not overfitted.
Departures: see `setting`; the test texts are those of the others that are audited.
Cost: at scale quick three models.
"""

from __future__ import annotations

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import table1

__all__ = ["TABLE1"]

TABLE1 = setting.study(
    name="song2019/table1",
    title="What the target models can do",
    base={**setting.base(), "attacks": [], "probes": [{"name": "token-accuracy"}]},
    axes={"task": tuple(setting.TASKS)},
    variants={"task": setting.tasks()},
    metrics=("train_accuracy", "test_accuracy", "accuracy_gap", "train_perplexity", "test_perplexity"),
    copy_of={},
    published=table1(),
    scales=(setting.smoke({"task": ("next-word",)}), setting.scale("quick"), setting.scale("paper")),
)
