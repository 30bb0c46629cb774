"""Any function that gives probabilities for texts: does it tell which records it was trained on?

Nothing is trained here. The data say which texts the model has seen ("train") and which it never saw ("test").
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import divulge

LABELS = ["delivery", "billing"]
SEEN = [
    *((f"parcel {number} came late to house {number * 7}", "delivery") for number in range(100)),
    *((f"invoice {number} was charged twice on day {number * 3}", "billing") for number in range(100)),
]
NEVER_SEEN = [
    *((f"parcel {number} came late to house {number * 7}", "delivery") for number in range(100, 200)),
    *((f"invoice {number} was charged twice on day {number * 3}", "billing") for number in range(100, 200)),
]


def predict(texts: Sequence[str]) -> list[list[float]]:
    """Stands for your model, or for a call of its web interface: surer of texts that it has seen."""
    seen = {text for text, _ in SEEN}
    rows = []
    for text in texts:
        sure = 1 / (1 + math.exp(-(4.0 if text in seen else 2.0) - len(text) % 5 / 2))
        rows.append([sure, 1 - sure] if text.startswith("parcel") else [1 - sure, sure])
    return rows


result = divulge.audit(
    predict,
    labels=LABELS,
    data={"train": SEEN, "test": NEVER_SEEN},
    secrets={"kind": "records", "held_out": "test", "count": 100, "controls": 100},
)

print(result.summary())
for row in result.rows():
    if row["metric"] == "auc":
        print(row["arm"], row["value"], row["low"], row["high"])
