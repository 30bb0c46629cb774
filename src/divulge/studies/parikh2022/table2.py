"""Table 2: what is recovered of each canary, by its length, at the number of copies where the attack is best.

Paper: parikh2022, section 5, Snips.
Idea: The print names, for each canary and length, only the R at which accuracy and HDT were best: a maximum over R,
    which ten trials flatter. Here every R has its row; the printed number stands beside the one whose R is printed.
Departures: see `setting`. At scale quick each canary and n has only the R that is printed, and GloVe vectors
    only n = 4 and R = 500; fastText ones are left out.
Cost: at scale quick 70 models, each with three canaries.
"""

from __future__ import annotations

from divulge.studies.parikh2022 import setting
from divulge.studies.parikh2022.published import TABLE_2, best_over_r, printed_cells

__all__ = ["TABLE2"]

TABLE2 = setting.study(
    name="parikh2022/table2",
    title="How much of a canary is recovered, by its kind, length and number of copies (Snips)",
    axes={"canary": setting.CANARIES, "n": setting.LENGTHS, "R": (10, 100, 500), "vectors": setting.VECTORS},
    variants={"n": setting.of_length(setting.LENGTHS)},
    published=best_over_r(TABLE_2, setting.VECTORS),
    scales=(
        setting.smoke({"canary": ("color", "pin"), "n": (4,), "R": (10,), "vectors": ("random",)}),
        setting.scale(
            "quick",
            axes={"vectors": ("random", "glove")},
            grids=(*printed_cells(TABLE_2), {"vectors": ("glove",), "n": (4,), "R": (500,)}),
            note="of each canary and n only the R that is printed; GloVe vectors only for n = 4 and R = 500",
        ),
        setting.scale("paper"),
    ),
)
