"""Tables 3 and 4: sentences beside their reconstructions, alike ones and random ones.

Paper: gu2023, section 9.5 and appendix A.3: ten sentences each whose reconstruction has a cosine above 0.5, and ten
    random ones, chosen by hand from the best of ten generations.
Idea: Five sentences of each set and attack, drawn by a seed, with the attack's own first choice; beside them how alike
    all sentences of the cell and their reconstructions are.
Departures: see `setting`. None of the sentences is private: the data sets are public.
Cost: none beyond table 1.
"""

from __future__ import annotations

from typing import Any

from divulge.spec import Study
from divulge.studies.gu2023 import setting
from divulge.studies.gu2023.published import ENCODERS

__all__ = ["TABLE3", "TABLE4"]

PAIR = ("skytrax", "cms")
SHOWN = ("decoder-pretrained", "parallel-decoder")
SHOWN_METRICS = ("cosine", "order_printed", "bleu2", "exact")
BERT_ALONE = {"encoder": (ENCODERS["BERT"],), "stands_for": ("BERT",)}


def _study(name: str, title: str, above: float | None) -> Study:
    examples: dict[str, Any] = {"attacks": SHOWN, "count": 5, "above": above}
    return setting.study(
        name=name,
        title=title,
        axes={**setting.axes(PAIR, ("white-box",)), "choice": ("own", "oracle")},
        grids=setting.paired(PAIR, ("white-box",)),
        readings={"choice": {}},
        metrics=SHOWN_METRICS,
        note=setting.WHITE_NOTE,
        examples=examples,
        scales=(
            setting.smoke(setting.SENTENCE_ATTACKS),
            setting.quick(setting.SENTENCE_ATTACKS, axes=BERT_ALONE, note="all-MiniLM-L6-v2 only"),
            setting.scale("paper", settings={"attacks": setting.SENTENCE_ATTACKS}),
        ),
    )


TABLE3 = _study("gu2023/table3", "Sentences beside reconstructions that are alike (cosine above 0.5)", 0.5)
TABLE4 = _study("gu2023/table4", "Sentences drawn at random beside their reconstructions", None)
