"""Our own study: what the encoder as an oracle is worth to who has unpooled rows, on all sets, white box and black box.

Paper: none; in gu2023 the adversary embeds public texts, and never asks about a guess.
Idea: `parallel-decoder` learns on the whole public part in about a minute. With the rows alone it has to believe its
    decision; who may also embed candidates again sees which one fits, and knows when it does.
Departures: all-MiniLM-L6-v2 only.
Cost: no decoder is trained; about a minute for each public set, then some embedded texts a row.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.gu2023 import setting
from divulge.studies.gu2023.published import PUBLIC

__all__ = ["ASKING"]

ACCESS = {
    "rows": {"adversary.access": ["EmbeddedRowsAccess"]},
    "rows and encoder": {"adversary.access": ["EmbeddedRowsAccess", "EmbeddingOracleAccess"]},
}
OURS_ALONE = (setting.OURS, setting.NEVER_ASKS)


def _axes() -> dict[str, Any]:
    named = {"data": setting.SETS, "setting": ("white-box", "black-box"), "texts": setting.TEXTS[:2]}
    return {**named, "access": tuple(ACCESS), "choice": ("own",)}


ASKING = setting.study(
    name="gu2023/asking",
    title="What asking the encoder is worth to who has unpooled rows",
    base={**setting.base(), "attacks": OURS_ALONE},
    axes=_axes(),
    grids=({"setting": ("white-box",), "texts": setting.TEXTS[:1]}, {"setting": ("black-box",)}),
    settings={"data": (), "setting": (), "texts": ()},
    variants={"data setting texts": setting.own_texts(), "access": ACCESS},
    readings={"choice": {}},
    metrics=("token_accuracy", "exact", "cosine", "order_printed", "bleu", "keyword_found"),
    copy_of={},
    note="all-MiniLM-L6-v2; first 15 word pieces of texts read up to 128; smaller Skytrax, Twitter and MT sets",
    scales=(
        setting.small(
            OURS_ALONE,
            axes={"data": ("cms",), "setting": ("white-box",), "texts": setting.TEXTS[:1]},
            grids=({},),
            variants={"data setting texts": {f"{data} {kind} {setting.TEXTS[0]}": {} for data, kind in PUBLIC}},
        ),
        setting.scale("quick", note=f"the whole public part, as at scale paper; {setting.WIKITEXT_NOTE}"),
        setting.scale("paper", note=setting.WIKITEXT_NOTE),
    ),
)
