"""Table 3: the audit where the model shows only its best words, with shadows of the same and of another domain.

Paper: song2019, section 4.3. Claims: near chance below 50 words on Reddit and dialogs, above 0.9 from 500 on;
    translation gives users away even if one word is shown; the domain hardly matters.
Departures: see `setting`; the whole output too, which the text says is a perfect score; at scale quick two shadows of
    another domain. With those, calibrated-ratio learns what is usual for a word from the 50 people known to be out, who
    are of the target's domain (study `offsets` shows what that is worth); the paper's attack has no use for them.
Cost: at scale quick 21 models, which table 1 and figures 3, 5 and 6 share; ranks are asked for once a model.
"""

from __future__ import annotations

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import TABLE_3, WHOLE, table3

__all__ = ["TABLE3"]

OUTPUTS = (*TABLE_3["next-word"], WHOLE)

TABLE3 = setting.study(
    name="song2019/table3",
    title="How many words the model shows, and where the auditor's shadows come from",
    note=f"cross: {setting.ADJUSTED}",
    axes={"task": tuple(setting.TASKS), "domain": ("same", "cross"), "output": OUTPUTS},
    settings={"domain": ()},
    variants={
        "task": setting.tasks(),
        "task domain": setting.domains(10),
        "output": {str(shown): setting.limited(shown) for shown in OUTPUTS},
    },
    published=table3(),
    scales=(
        setting.smoke({"task": ("next-word",), "output": (10, WHOLE)}),
        setting.scale(
            "quick",
            variants={"task domain": setting.domains(2)},
            note=f"{setting.sized(epochs=(15, 20), shadows=(2, 4))}; 2 shadows where they are of another domain",
        ),
        setting.scale("paper"),
    ),
)
