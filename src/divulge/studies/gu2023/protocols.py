"""Our own studies: the paper's decoder at its full length, and the notebooks' protocol beside a clean one (CMS).

Paper: gu2023, section 9.3: 100 epochs on the whole public set. Its authors' notebooks take the vocabulary from public
    and private texts together and start every generation from three true tokens.
Idea: `full` has the paper's decoder trained as long as printed, so that ours is compared with it fairly; `protocol`
    shows what being told so much is worth.
Departures: see `setting`.
Cost: 100 epochs over 4,453 sentences and 20 over those with keywords, once.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.gu2023 import setting

__all__ = ["FULL", "PROTOCOL"]

DECODER = "decoder-pretrained"
COMPARED: tuple[dict[str, Any], ...] = ({"name": DECODER}, {"name": "parallel-decoder"}, {"name": "random"})
COUNTED = ("count", "unique")
ALL_METRICS = (*COUNTED, *setting.SENTENCE_METRICS)
QUICK = setting.shortened(COMPARED, setting.DECODER_QUICK)


def _base() -> dict[str, Any]:
    return {**setting.base(), "attacks": [dict(attack) for attack in COMPARED]}


FULL = setting.study(
    name="gu2023/full",
    title="The paper's decoder trained for 12 and for 100 epochs, beside ours (CMS, white box)",
    base=_base(),
    axes={"training": ("quick", "full"), "choice": ("own", "oracle")},
    grids=(),
    settings={},
    variants={
        "training": {
            "quick": {"attacks": QUICK, "adversary.background.corpus": setting.public("cms", setting.PUBLIC_QUICK)},
            "full": {"attacks": COMPARED, "adversary.background.corpus": setting.public("cms")},
        }
    },
    readings={"choice": {}},
    metrics=ALL_METRICS,
    note=setting.ALONE_NOTE,
    scales=(
        setting.small(COMPARED, axes={"training": ("quick",)}, variants={"training": {"quick": {}}}),
        setting.scale(
            "quick",
            note="quick: 2,000 public sentences, 12 epochs, 4 on those with keywords; full: 4,453, 100 and 20",
        ),
        setting.scale("paper", axes={"training": ("full",)}),
    ),
)
PROTOCOL = setting.study(
    name="gu2023/protocol",
    title="What the notebooks' protocol tells the decoder: three true tokens and the vocabulary (CMS, white box)",
    base=_base(),
    axes={"protocol": ("clean", "as published"), "choice": ("own", "oracle")},
    grids=(),
    settings={},
    variants={"protocol": {"clean": {}, "as published": {"attacks.0.options.as_published": True}}},
    readings={"choice": {}},
    metrics=ALL_METRICS,
    note=setting.ALONE_NOTE,
    scales=(
        setting.small(COMPARED),
        setting.scale(
            "quick",
            settings={
                "attacks": QUICK,
                "adversary.background.corpus": setting.public("cms", setting.PUBLIC_QUICK),
            },
            note="2,000 public sentences, 12 epochs and 4 on those with keywords",
        ),
        setting.scale("paper"),
    ),
)
