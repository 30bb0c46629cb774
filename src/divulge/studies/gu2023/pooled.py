"""Our own study: what one pooled vector a sentence gives away (CMS, MT), with and without near-duplicates.

Paper: none; gu2023 leaves pooled vectors out as inadequate for downstream tasks, and vector stores hold nothing else.
Idea: The baseline is the public sentence with the nearest vector: catalogues repeat themselves, so that it alone gets
    much right. `near` leaves out private sentences that share most words, or most of their first 15 pieces, with a
    public one.
Departures: A vector is of the first 15 word pieces and of nothing behind them: of a longer one the answer would be but
    a part. 200 private sentences at every scale but smoke.
Cost: the encoder is asked some thousand times a sentence.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.gu2023 import setting
from divulge.studies.gu2023.published import ENCODERS

__all__ = ["POOLED"]

COMPARED: tuple[dict[str, Any], ...] = ({"name": "nearest-sentence"}, {"name": "pooled-inverter"}, {"name": "random"})
NEAR = (None, 0.7)
SETS = ("cms", "mt")


def _texts(count: int) -> dict[str, Any]:
    """By set and by what counts as near: the private and the public part."""
    return {
        f"{data} {'null' if near is None else near}": {
            "data": setting.private(data, **_apart(near)),
            "adversary.background.corpus": setting.public(data, **_apart(near)),
            "secrets.count": count,
        }
        for data in SETS
        for near in NEAR
    }


def _apart(near: float | None) -> dict[str, Any]:
    """How near a private sentence may come to a public one, in words and in the pieces that are asked for."""
    return {"near": near, "near_pieces": None if near is None else ENCODERS["BERT"]}


def _base() -> dict[str, Any]:
    made = setting.base()
    recipe = {**made["target"]["recipe"], "context": setting.WIDTH, "pooling": "mean"}
    access = {**made["adversary"], "access": ["EmbeddedRowsAccess", "EmbeddingOracleAccess"]}
    return {**made, "target": {**made["target"], "recipe": recipe}, "adversary": access, "attacks": COMPARED}


POOLED = setting.study(
    name="gu2023/pooled",
    title="How much of a sentence one pooled vector gives away",
    base=_base(),
    axes={"data": SETS, "near": NEAR, "pooling": ("mean", "cls", "max"), "choice": ("own", "oracle")},
    grids=(),
    settings={"data": (), "near": (), "pooling": "target.recipe.pooling"},
    variants={"data near": _texts(200)},
    readings={"choice": {}},
    metrics=("token_f1", "bleu", "exact", "cosine", "rouge", "token_accuracy", "count", "unique"),
    copy_of={"pooled-inverter": "nearest-sentence"},
    note="all-MiniLM-L6-v2; vectors of the first 15 word pieces and no others; the copy is the nearest public sentence",
    scales=(
        setting.small(
            COMPARED,
            axes={"data": ("cms",), "near": (None,), "pooling": ("mean",)},
            variants={"data near": {"cms null": {}}},
            settings={"target": {"kind": "fake-encoder", "recipe": {"leaks": True}}},
        ),
        setting.scale(
            "quick",
            axes={"pooling": ("mean", "cls")},
            grids=({"data": ("cms",)}, {"data": ("mt",), "near": (None,), "pooling": ("mean",)}),
            note="200 of the private fifth, all of the public part; no max pooling; MT: mean pooling, near copies kept",
        ),
        setting.scale("paper", note="200 of the private fifth, all of the public part"),
    ),
)
