"""Table 2: how much of the sentences is reconstructed from leaked vectors, white box and black box.

Paper: gu2023, section 9.5.
Idea: As table 1; here whole sentences are compared. The print takes the best of ten generations by likeness to the
    truth, which no adversary can do: `choice` oracle stands for that, `own` for what the attack itself puts first.
Departures: see `setting`. The print's order similarity is computed with norms as printed (`order_printed`); `order` has
    them squared, as its dog-and-fox example needs.
Cost: none beyond table 1.
"""

from __future__ import annotations

from divulge.studies.gu2023 import setting
from divulge.studies.gu2023.published import sentences_published

__all__ = ["TABLE2"]

TOLD = {"encoder": setting.variants()["encoder"]}

TABLE2 = setting.study(
    name="gu2023/table2",
    title="How much of the sentences is reconstructed from leaked vectors",
    axes={**setting.axes(), "texts": setting.TEXTS, "choice": ("own", "oracle")},
    grids=setting.with_own_texts(setting.paired()),
    settings={**setting.LABELS, "texts": ()},
    variants=TOLD | {"data setting texts": setting.own_texts()},
    readings={"choice": {}},
    metrics=setting.SENTENCE_METRICS,
    published=sentences_published(),
    scales=(
        setting.smoke(setting.SENTENCE_ATTACKS, {"texts": "public"}, joint="data setting texts"),
        setting.quick(
            setting.SENTENCE_ATTACKS,
            grids=setting.with_own_texts(setting.paired(small=True)),
            variants=TOLD | {"data setting texts": setting.own_texts(setting.PUBLIC_QUICK)},
            note=f"SmolLM2 on the medical sets only; {setting.WIKITEXT_NOTE}; {setting.MORE_NOTE}",
        ),
        setting.scale("paper", settings={"attacks": setting.SENTENCE_ATTACKS}),
    ),
)
