"""Figure 4: what defences take from keyword inference, and from a downstream task (Skytrax).

Paper: gu2023, section 10.4; a picture without numbers: privacy-preserving mapping, random masking and pooling, against
    the pre-trained decoder, with the F1 of a single-layer RNN that finds the keywords as utility.
Idea: Each defence at several strengths, against an adversary who learns on plain vectors (`static`), one who learns on
    defended ones (`adaptive`), and one who may also ask the defended encoder (`adaptive, asking`). Beyond the print:
    noise, quantisation, fewer dimensions and a secret rotation, and our attack beside the paper's.
Departures: see `setting`; which strengths are drawn is not printed.
Cost: at scale quick 400 rows, a decoder for each defended encoder that the adversary learns on.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.gu2023 import setting

__all__ = ["ADVERSARIES", "DEFENDED", "FIGURE4"]

# By defence and strength: its name and options.
DEFENDED: dict[tuple[str, Any], dict[str, Any] | None] = {
    ("none", None): None,
    **{("mapping", value): {"name": "privacy-mapping", "options": {"strength": value}} for value in (0.1, 1.0, 10.0)},
    **{("masking", value): {"name": "masking", "options": {"share": value}} for value in (0.1, 0.3, 0.5, 0.7, 0.9)},
    ("pooling", None): {"name": "pooled-rows"},
    **{("noise", value): {"name": "gaussian-noise", "options": {"strength": value}} for value in (0.5, 1.0, 2.0)},
    ("int8", None): {"name": "quantisation", "options": {"to": "int8"}},
    ("binary", None): {"name": "quantisation", "options": {"to": "binary"}},
    **{("dimensions", value): {"name": "dimension-cut", "options": {"kept": value}} for value in (0.5, 0.1)},
    ("rotation", None): {"name": "rotation"},
}
ROWS, ORACLE = "EmbeddedRowsAccess", "EmbeddingOracleAccess"
ADVERSARIES: dict[str, dict[str, Any]] = {
    "static": {"adversary.access": [ROWS]},
    "adaptive": {"adversary.access": [ROWS], "adversary.knows_defence": True},
    "adaptive, asking": {"adversary.access": [ROWS, ORACLE], "adversary.knows_defence": True},
}
UNPOOLED = tuple(
    attack for attack in setting.KEYWORD_ATTACKS if attack["name"] in ("decoder-pretrained", "parallel-decoder")
)
POOLED: tuple[dict[str, Any], ...] = ({"name": "dnn"}, {"name": "pooled-inverter"}, {"name": "nearest-sentence"})


def defended() -> dict[str, Any]:
    """What a defence at a strength does; rows of another shape need other attacks."""
    found: dict[str, Any] = {}
    for (name, strength), part in DEFENDED.items():
        key = f"{name} {'null' if strength is None else strength}"
        attacks = {"attacks": POOLED} if name == "pooling" else {}
        found[key] = {"defences": [] if part is None else [part], **attacks}
    return found


def grids(adversaries: tuple[str, ...] = tuple(ADVERSARIES)) -> tuple[dict[str, Any], ...]:
    """Which values go together. Who learnt on plain, unpooled vectors can make nothing of pooled ones."""
    return tuple(
        {
            "defence": (name,),
            "strength": (strength,),
            "adversary": tuple(one for one in adversaries if name != "pooling" or one != "static"),
        }
        for name, strength in DEFENDED
    )


def _base() -> dict[str, Any]:
    return {
        **setting.base("skytrax"),
        "attacks": [dict(attack) for attack in UNPOOLED],
        "probes": [{"name": "entity-recognition"}, {"name": "row-retrieval", "options": {"missing": 4}}],
    }


FIGURE4 = setting.study(
    name="gu2023/figure4",
    title="What defences take from keyword inference, and from a downstream task (Skytrax)",
    base=_base(),
    axes={
        "defence": tuple(dict.fromkeys(name for name, _ in DEFENDED)),
        "strength": tuple(dict.fromkeys(strength for _, strength in DEFENDED)),
        "adversary": tuple(ADVERSARIES),
    },
    grids=grids(),
    settings={"defence": (), "strength": ()},
    variants={"defence strength": defended(), "adversary": ADVERSARIES},
    copy_of={**setting.COPY_OF, "pooled-inverter": "nearest-sentence"},
    note=f"{setting.ALONE_NOTE}; smaller Skytrax set; strengths are ours, the print tells none",
    metrics=("count", "unique", "cosine", "token_accuracy", "entity_f1", "recall_at_10"),
    scales=(
        setting.small(
            UNPOOLED,
            axes={"defence": ("none", "masking", "rotation"), "strength": (None, 0.5)},
            grids=(
                {"defence": ("none", "rotation"), "strength": (None,)},
                {"defence": ("masking",), "strength": (0.5,)},
            ),
        ),
        setting.scale(
            "quick",
            settings={
                "attacks": setting.shortened(UNPOOLED, setting.DECODER_QUICK),
                "secrets.count": 400,
                "adversary.background.corpus": setting.public("skytrax", setting.PUBLIC_QUICK),
            },
            note="400 private rows, 2,000 public sentences, decoders of 12 epochs and 4 on those with keywords",
        ),
        setting.scale("paper"),
    ),
)
