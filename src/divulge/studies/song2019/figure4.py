"""Figure 4: the audit where a part of a member's texts was never trained on.

Paper: song2019, section 4.3. Claims: recall drops, close to 0 on SATED with half of the texts; precision and AUC stay
    high. Printed as curves: what stands here is what the text tells.
Departures: see `setting`; three fractions at scale quick. Recall of calibrated-ratio is at 5 % false alarms.
Cost: at scale quick nine models beyond those of table 3; shadows stay the same.
"""

from __future__ import annotations

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import anchor

__all__ = ["FIGURE4"]

SHARES = (0.0, 0.1, 0.2, 0.3, 0.4, 0.5)

FIGURE4 = setting.study(
    name="song2019/figure4",
    title="A part of each member's texts was not used",
    axes={"task": tuple(setting.TASKS), "noise": SHARES},
    settings={"noise": "secrets.unused_share"},
    variants={"task": setting.tasks()},
    published=(anchor({"task": "translation", "noise": 0.5}, 0.0, "close to 0, the text says", "recall"),),
    scales=(
        setting.smoke({"task": ("next-word",), "noise": (0.0, 0.5)}),
        setting.scale("quick", axes={"noise": (0.0, 0.1, 0.3, 0.5)}),
        setting.scale("paper"),
    ),
)
