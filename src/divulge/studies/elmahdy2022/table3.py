"""Table 3: the last word of a canary, by how often it was planted and how many guesses are allowed.

Paper: elmahdy2022, section 7. Claims: success falls with the repetitions, and rises with the beam.
Departures: see `setting`.
Cost: at scale quick six models beyond those of table 2.
"""

from __future__ import annotations

from divulge.studies.elmahdy2022 import setting
from divulge.studies.elmahdy2022.published import TABLE_3, table3

__all__ = ["TABLE3"]

TABLE3 = setting.study(
    name="elmahdy2022/table3",
    title="The last word of a canary, by its repetitions",
    axes={
        "tokens": (1,),
        "k": setting.KS,
        "R": tuple(TABLE_3),
        "lambda": (0.01,),
        "supporting": ("all",),
        "data": (setting.POSTS,),
    },
    settings={**setting.SETTINGS, "data": ()},
    variants={"tokens": setting.of_tokens((1,))},
    published=table3(setting.POSTS),
    scales=(
        setting.smoke({"k": (1, 10), "R": (10, 100)}),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
