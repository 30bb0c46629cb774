"""Table 4: the last word of a canary, by the repetitions of one supporting canary in one other class.

Paper: elmahdy2022, section 7. Claims: one supporting canary helps as often as not; without any the model is so sure of
    the label that the missing word hardly shows.
Departures: see `setting`.
Cost: at scale quick eight models.
"""

from __future__ import annotations

from divulge.studies.elmahdy2022 import setting
from divulge.studies.elmahdy2022.published import TABLE_4, table4

__all__ = ["TABLE4"]

TABLE4 = setting.study(
    name="elmahdy2022/table4",
    title="The last word of a canary, by the repetitions of a supporting canary",
    axes={
        "tokens": (1,),
        "k": setting.KS,
        "R": (100,),
        "lambda": (0.0,),
        "supporting": tuple(TABLE_4),
        "data": (setting.POSTS,),
    },
    settings={**setting.SETTINGS, "data": ()},
    variants={"tokens": setting.of_tokens((1,))},
    published=table4(setting.POSTS),
    scales=(
        setting.smoke({"k": (1, 10), "supporting": (99, 0)}),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
