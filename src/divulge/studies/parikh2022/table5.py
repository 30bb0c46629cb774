"""Table 5: as table 2, with more copies.

Paper: parikh2022, appendix C.1, Snips. Claims: best at R = 1000, weaker above.
Idea: As table 2; the printed number stands beside the one R at which it was observed.
Departures: see `setting`. At scale quick R = 2000 is left out, and with it the printed row of call, n = 10.
Cost: at scale quick 40 models beyond those of table 2.
"""

from __future__ import annotations

from divulge.studies.parikh2022 import setting
from divulge.studies.parikh2022.published import TABLE_5, best_over_r, printed_cells

__all__ = ["TABLE5"]

TABLE5 = setting.study(
    name="parikh2022/table5",
    title="How much of a canary is recovered, with up to 2000 copies (Snips)",
    axes={
        "canary": setting.CANARIES,
        "n": setting.LENGTHS,
        "R": (10, 100, 500, 1000, 2000),
        "vectors": setting.VECTORS,
    },
    variants={"n": setting.of_length(setting.LENGTHS)},
    published=best_over_r(TABLE_5, setting.VECTORS),
    scales=(
        setting.smoke({"canary": ("color", "pin"), "n": (4,), "R": (10,), "vectors": ("random",)}),
        setting.scale(
            "quick",
            axes={"R": (10, 100, 1000), "vectors": ("random",)},
            grids=printed_cells(TABLE_5, 1000),
            note="of each canary and n only the R that is printed; R = 2000 left out",
        ),
        setting.scale("paper"),
    ),
)
