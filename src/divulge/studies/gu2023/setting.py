"""What all studies of gu2023 share: encoders, public and private texts, attacks, so that they share what was learnt.

Paper: gu2023, sections 7 to 9. "White box" and "black box" there are no access levels: the public texts are the other
    80 % of the private set, or those of the other set of the domain.
Departures: BERT and GPT-2 are not to be had here: all-MiniLM-L6-v2 (BERT's architecture, six layers, 384 wide) and
    SmolLM2-135M (a Llama, dequantised from four bits) stand in. Skytrax, Twitter and MT are smaller than the paper's.
    Texts are read up to 128 word pieces and the vectors of the first 15 are attacked, as printed; what classifiers see
    is the mean of those 15, and not of all 128 (which pooling is not printed), so that all attacks have the same rows.
    In the black box the same private fifth is attacked as in the white box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.spec import Scale, Study, StudyScale
from divulge.studies.gu2023.published import ENCODERS, PUBLIC

__all__ = [
    "ALONE_NOTE",
    "COPY_OF",
    "DECODER_QUICK",
    "KEYWORD_ATTACKS",
    "LABELS",
    "MADE_UP",
    "MORE_NOTE",
    "NEVER_ASKS",
    "NOTE",
    "OURS",
    "PAPER",
    "PUBLIC_QUICK",
    "ROWS",
    "SENTENCE_ATTACKS",
    "SENTENCE_METRICS",
    "SETS",
    "TEXTS",
    "WHITE_NOTE",
    "WIKITEXT_NOTE",
    "axes",
    "base",
    "learnt",
    "own_texts",
    "paired",
    "private",
    "public",
    "quick",
    "scale",
    "shortened",
    "small",
    "smoke",
    "study",
    "variants",
    "with_own_texts",
]

PAPER = "gu2023"
SETS = ("skytrax", "twitter-airline", "cms", "mt")
FOLDERS = {"mt": "mtsamples"}  # where the name in tables is not the folder's
ROWS = {"skytrax": 1664, "twitter-airline": 159, "cms": 1113, "mt": 481}  # private sentences: a fifth of each set
MADE_UP = "synthetic-sentences"
WIDTH = 15  # content tokens that are attacked, as printed
CONTEXT = 128  # word pieces that the encoder reads, as printed

DECODER_QUICK = {"epochs": 12, "tuning_epochs": 4}
PUBLIC_QUICK = 2000

BASELINES: tuple[dict[str, Any], ...] = (
    {"name": "decision-tree"},
    {"name": "knn"},
    {"name": "dnn"},
    {"name": "gei"},
)
DECODERS: tuple[dict[str, Any], ...] = ({"name": "decoder-vanilla"}, {"name": "decoder-pretrained"})
OURS: dict[str, Any] = {"name": "parallel-decoder"}
NEVER_ASKS: dict[str, Any] = {"name": "random"}
KEYWORD_ATTACKS = (*BASELINES, *DECODERS, OURS, NEVER_ASKS)
SENTENCE_ATTACKS = (BASELINES[3], *DECODERS, OURS, NEVER_ASKS)
FIRST = {
    "data": "cms",
    "setting": "white-box",
    "encoder": ENCODERS["BERT"],
    "stands_for": "BERT",
}
TEXTS = ("public", "public and wikitext", "public and more wikitext")
WIKITEXT = {"name": "wikitext", "limit": 4000}
# Tried on 400 sentences of MT's public part: 0.951 of the tokens in place, 0.943 with 4,000 sentences and 2 sightings.
MORE_WIKITEXT, MORE_SIGHTINGS = {"name": "wikitext", "limit": 12000}, 4
WIKITEXT_NOTE = "public and wikitext: 4,000 sentences of WikiText besides, for our attack only"
MORE_NOTE = "public and more wikitext: 12,000, and each token of the vocabulary in 4 made-up texts instead of 2, for MT"
LABELS = {"data": (), "setting": (), "stands_for": ()}  # what they do is told together, or by the encoder
COPY_OF = {"parallel-decoder": "decoder-pretrained"}
SENTENCE_METRICS = ("cosine", "order_printed", "order", "bleu", "bleu2", "rouge", "exact", "token_accuracy", "token_f1")
ALONE_NOTE = "all-MiniLM-L6-v2 in BERT's place; first 15 word pieces of texts read up to 128"
WHITE_NOTE = (
    "all-MiniLM-L6-v2 in BERT's place, SmolLM2-135M (dequantised from 4 bits) in GPT-2's; first 15 word pieces of "
    "texts read up to 128; smaller Skytrax, Twitter and MT sets"
)
NOTE = f"{WHITE_NOTE}; black box: the private fifth, as in the white box"


def base(data: str = "cms") -> dict[str, Any]:
    """The audit file that cells start from: the private fifth of one set, the other part public."""
    recipe = {"model": ENCODERS["BERT"], "tokens": WIDTH, "context": CONTEXT}
    return {
        "target": {"kind": "sentence-encoder", "recipe": recipe},
        "data": private(data),
        "secrets": {"kind": "rows", "count": ROWS[data]},
        "adversary": {"background": {"corpus": public(data)}},
        "attacks": [dict(attack) for attack in KEYWORD_ATTACKS],
    }


def private(data: str, **options: Any) -> dict[str, Any]:
    """The private part of a set: what was embedded and leaked."""
    return {"name": FOLDERS.get(data, data), "splits": ["test"], "options": options}


def public(data: str, limit: int | None = None, **options: Any) -> dict[str, Any]:
    """The public part of a set: what the adversary has."""
    return {"name": FOLDERS.get(data, data), "splits": ["train"], "options": options, "limit": limit}


def paired(
    data: Sequence[str] = SETS, settings: Sequence[str] = ("white-box", "black-box"), *, small: bool = False
) -> tuple[dict[str, Any], ...]:
    """Which values go together: each encoder with what it stands for; `small`: the second for medical sets only."""
    return tuple(
        {
            "data": (name,),
            "setting": (setting,),
            "encoder": (encoder,),
            "stands_for": (stands_for,),
        }
        for name in data
        for setting in settings
        for stands_for, encoder in ENCODERS.items()
        if not small or stands_for == "BERT" or name in ("cms", "mt")
    )


def variants(limit: int | None = None) -> dict[str, Any]:
    """What the values of the shared axes do; `limit` is how many public sentences are learnt from."""
    return {
        "data setting": learnt(limit),
        "encoder": {name: {"target.recipe.model": name} for name in ENCODERS.values()},
    }


def learnt(limit: int | None = None) -> dict[str, Any]:
    """Which texts are private and which public, by the set and the setting."""
    return {
        f"{data} {setting}": {
            "data": private(data),
            "secrets.count": ROWS[data],
            "adversary.background.corpus": public(own, limit),
        }
        for (data, setting), own in PUBLIC.items()
    }


def own_texts(limit: int | None = None) -> dict[str, Any]:
    """As `learnt`, by the adversary's texts too: the public set alone, or with running text that anyone has.

    Only our attack learns on that: the paper's decoders would need three times the epochs' time, and its classifiers
    have nothing to learn from sentences without keywords.
    """
    found: dict[str, Any] = {}
    for key, fields in learnt(limit).items():
        found[f"{key} {TEXTS[0]}"] = fields
        more = {**OURS, "options": {"sightings": MORE_SIGHTINGS}}
        for name, running, ours in ((TEXTS[1], WIKITEXT, OURS), (TEXTS[2], MORE_WIKITEXT, more)):
            parts = [fields["adversary.background.corpus"], running]
            joined = {"name": "several", "options": {"parts": parts}}
            attacks = [ours, NEVER_ASKS]
            found[f"{key} {name}"] = {**fields, "adversary.background.corpus": joined, "attacks": attacks}
    return found


def with_own_texts(grids: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """Each grid with the public set alone; black boxes of the smaller encoder also with text of the adversary's own.

    With more of it MT only, whose sentences say what CMS, a catalogue, never does.
    """
    own = {"setting": ("black-box",), "stands_for": ("BERT",)}
    most = {**own, "data": ("mt",)}
    return tuple(
        {**grid, "texts": TEXTS[: 1 + (own.items() <= grid.items()) + (most.items() <= grid.items())]} for grid in grids
    )


def study(**fields: Any) -> Study:
    """A study of the paper over private sets, settings and encoders, with what all of them share unless it is told."""
    shared: dict[str, Any] = {
        "paper": PAPER,
        "base": base(),
        "axes": axes(),
        "grids": paired(),
        "settings": LABELS,
        "variants": variants(),
        "copy_of": COPY_OF,
    }
    return Study(**{**shared, "note": NOTE, **fields})


def axes(data: Sequence[str] = SETS, settings: Sequence[str] = ("white-box", "black-box")) -> dict[str, Any]:
    """The axes that tables 1 and 2 share."""
    encoded = {"encoder": tuple(ENCODERS.values()), "stands_for": tuple(ENCODERS)}
    return {"data": tuple(data), "setting": tuple(settings), **encoded}


def scale(name: Scale, **fields: Any) -> StudyScale:
    """A scale of a study."""
    return StudyScale(name=name, **fields)


def quick(attacks: Sequence[Mapping[str, Any]], **fields: Any) -> StudyScale:
    """At most 2,000 public sentences, and decoders of 12 epochs on them and 4 on those with keywords."""
    note, encoders = fields.pop("note", ""), fields.get("axes", {}).get("encoder", ENCODERS.values())
    settings = {"attacks": shortened(attacks, DECODER_QUICK), **fields.pop("settings", {})}
    told = dict(fields.pop("variants", None) or variants(PUBLIC_QUICK))
    names = [attack["name"] for attack in attacks]
    if "encoder" in told and OURS["name"] in names:
        # Its vocabulary of 49,000 pieces would take an hour to show.
        path, wide = f"attacks.{names.index(OURS['name'])}.options.sightings", ENCODERS["GPT-2"]
        told["encoder"] = {**told["encoder"], wide: {**told["encoder"][wide], path: 0}}
    said = f"at most {PUBLIC_QUICK:,} public sentences, decoders of 12 epochs and 4 on sentences with keywords"
    rare = "no made-up texts for SmolLM2's rare pieces" if ENCODERS["GPT-2"] in encoders else ""
    return scale("quick", settings=settings, variants=told, note="; ".join(filter(None, (said, rare, note))), **fields)


def smoke(attacks: Sequence[Mapping[str, Any]], cell: Mapping[str, Any] | None = None, **fields: Any) -> StudyScale:
    """A scale that shows in about a minute that all parts fit; its figures mean nothing.

    `cell` is what further axes are set to; of the shared ones, each has one value, which does nothing.
    """
    one = {name: (value,) for name, value in {**FIRST, **(cell or {})}.items()}
    idle: dict[str, Any] = {"encoder": {FIRST["encoder"]: {}}}
    joint = fields.pop("joint", "data setting")
    idle[joint] = {f"{data} {setting}{' public' * ('texts' in joint)}": {} for data, setting in PUBLIC}
    return small(
        attacks,
        axes={**one, **fields.pop("axes", {})},
        grids=({},),
        variants={**idle, **fields.pop("variants", {})},
        **fields,
    )


def small(attacks: Sequence[Mapping[str, Any]], **fields: Any) -> StudyScale:
    """A scale of made-up sentences, for a study with whatever axes."""
    settings = {
        "target": {"kind": "fake-encoder", "recipe": {"leaks": True}},
        "data": {"name": MADE_UP, "options": {"size": 60}},
        "secrets.count": 20,
        "adversary.background.corpus": {"name": MADE_UP, "options": {"size": 200, "seed": 1}},
        "attacks": [{**attack, "options": {**attack.get("options", {}), **_small(attack)}} for attack in attacks],
        **fields.pop("settings", {}),
    }
    note = "made-up sentences, an encoder that leaks everything, tiny decoders: shows that all parts fit"
    return scale("smoke", settings=settings, note=note, **fields)


def _small(attack: Mapping[str, Any]) -> dict[str, Any]:
    return SMALL.get(attack["name"], {})


def shortened(attacks: Sequence[Mapping[str, Any]], decoder: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The attacks, with decoders trained for fewer epochs."""
    names = {one["name"] for one in DECODERS}
    return [
        {**attack, "options": {**attack.get("options", {}), **decoder}} if attack["name"] in names else dict(attack)
        for attack in attacks
    ]


SMALL: dict[str, dict[str, Any]] = {
    "decoder-vanilla": {"layers": 1, "epochs": 2, "tuning_epochs": 1, "feed_forward": 64},
    "decoder-pretrained": {"layers": 1, "epochs": 2, "tuning_epochs": 1, "feed_forward": 64},
    "dnn": {"epochs": 3},
    "gei": {"steps": 5},
    "binary-classifiers": {"epochs": 3},
}
