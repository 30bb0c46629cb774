"""Figure 2: HDT over the number of copies, for canaries with six unknown tokens.

Paper: parikh2022, appendix C.1, Snips; a picture without numbers.
Departures: see `setting`. At scale quick R = 10, 500 and 2000 are left out.
Cost: at scale quick 10 models beyond those of tables 2 and 5 (R = 1).
"""

from __future__ import annotations

from divulge.studies.parikh2022 import setting

__all__ = ["FIGURE2"]

FIGURE2 = setting.study(
    name="parikh2022/figure2",
    title="How the number of copies changes what is recovered of six unknown tokens (Snips)",
    axes={"canary": setting.CANARIES, "n": (6,), "R": (1, 10, 100, 500, 1000, 2000), "vectors": setting.VECTORS},
    variants={"n": setting.of_length((6,))},
    scales=(
        setting.smoke(
            {"canary": ("color",), "R": (1, 10), "vectors": ("random",)}, settings={"attacks.3.options.restarts": 1}
        ),
        setting.scale(
            "quick",
            axes={"R": (1, 100, 1000), "vectors": ("random",)},
            settings={"attacks": setting.FEWER_ATTACKS},
            note="R = 10, 500 and 2000 left out; soft-token-32 and nearest-embedding not run",
        ),
        setting.scale("paper"),
    ),
)
