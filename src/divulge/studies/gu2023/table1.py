"""Table 1: how many keywords each attack infers from leaked vectors, white box and black box.

Paper: gu2023, section 9.4. Claims: the pre-trained decoder finds up to 3.5 times the baselines' keywords, and at least
    30 % more than the vanilla one.
Idea: All attacks on the same private rows, after learning on the same public ones; the 20 most frequent words of a
    row's ten generations are examined.
Departures: see `setting`.
Cost: at scale quick 16 decoders, which serve the other tables and figures too.
"""

from __future__ import annotations

from divulge.studies.gu2023 import setting
from divulge.studies.gu2023.published import keywords_published

__all__ = ["TABLE1"]

TOLD = {"encoder": setting.variants()["encoder"]}

TABLE1 = setting.study(
    name="gu2023/table1",
    title="How many keywords are inferred from leaked vectors",
    axes={**setting.axes(), "texts": setting.TEXTS},
    grids=setting.with_own_texts(setting.paired()),
    settings={**setting.LABELS, "texts": ()},
    variants=TOLD | {"data setting texts": setting.own_texts()},
    metrics=("count", "unique", "keyword_found"),
    published=keywords_published(),
    scales=(
        setting.smoke(setting.KEYWORD_ATTACKS, {"texts": "public"}, joint="data setting texts"),
        setting.quick(
            setting.KEYWORD_ATTACKS,
            grids=setting.with_own_texts(setting.paired(small=True)),
            variants=TOLD | {"data setting texts": setting.own_texts(setting.PUBLIC_QUICK)},
            note=f"SmolLM2 on the medical sets only; {setting.WIKITEXT_NOTE}; {setting.MORE_NOTE}",
        ),
        setting.scale("paper"),
    ),
)
