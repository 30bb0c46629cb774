"""Table 2: the last one, two and three words of a canary, by the penalty lambda.

Paper: elmahdy2022, section 7. Claims: one word comes out in 9 of 10 runs, two in 3 of 10, three never.
Idea: Supporting canaries share all words but the missing ones, so that models differ by the number of missing words.
    One scan of the vocabulary serves every lambda: what a model answered is kept.
Departures: see `setting`.
Cost: at scale quick six models; ours asks 24,000 questions about a canary of two missing words, 36,000 of three.
"""

from __future__ import annotations

from divulge.studies.elmahdy2022 import setting
from divulge.studies.elmahdy2022.published import TABLE_2, table2, trained

__all__ = ["TABLE2"]

KS = tuple(k for k in setting.KS if k <= 100)  # as wide as the beam

TABLE2 = setting.study(
    name="elmahdy2022/table2",
    title="The last words of a canary that is planted 100 times, by the penalty for common words",
    axes={
        "tokens": (1, 2, 3),
        "k": KS,
        "R": (100,),
        "lambda": tuple(TABLE_2),
        "supporting": ("all",),
        "data": (setting.POSTS,),
    },
    settings={**setting.SETTINGS, "data": ()},
    variants={"tokens": setting.of_tokens()},
    published=(
        *table2(setting.POSTS),
        *trained({"tokens": 1, "R": 100, "lambda": 0.0, "supporting": "all", "data": setting.POSTS}),
    ),
    scales=(
        setting.smoke(
            {"tokens": (1, 2), "k": (1, 10), "lambda": (0.0, 1.0)},
            {"attacks.0.options.beam": 5, "attacks.0.options.shortlist": 5},
        ),
        setting.scale("quick", settings={"attacks.0.options.beam": 100}),
        setting.scale("paper", settings={"attacks.0.options.beam": 100}),
    ),
)
