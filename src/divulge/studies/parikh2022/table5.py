"""Table 5: as table 2, with more copies.

Paper: parikh2022, appendix C.1, Snips. Claims: best at R = 1000, weaker above.
Idea: As table 2; the printed number stands beside the one R at which it was observed.
Departures: see `setting`. At scale quick there are the printed rows of R = 1000; those of R = 10 and 100 are the very
    rows of table 2, and R = 2000, with the printed row of call and n = 10, is left out. For n = 10 all canaries have
    R = 10 and 1000: a few held-out models seemed to give away more at few copies.
Cost: at scale quick 50 models.
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
            axes={"R": (10, 1000), "vectors": ("random",)},
            grids=(*printed_cells(TABLE_5, 1000), {"n": (10,), "R": (10, 1000)}),
            settings={"attacks": setting.FEWER_ATTACKS},
            note=(
                "the printed rows of R = 1000, and n = 10 at R = 10; printed rows of R = 10 and 100 are those of "
                "table 2; R = 2000 left out; soft-token-32 and nearest-embedding not run"
            ),
        ),
        setting.scale("paper"),
    ),
)
