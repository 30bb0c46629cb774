"""Figures 3 and 6: how often single keywords are inferred, and one classifier for each beside that.

Paper: gu2023, section 9.4 and appendix A.2; pictures without numbers. Figure 3 shows the ten most frequent keywords of
    Skytrax and CMS, figure 6 binary classifiers for ten keywords of Twitter and MT. Claim: they are better than the
    decoder in the white box, and lose in the black box.
Idea: The share of the rows with a keyword in which it is named (`among` with), and the share of the rows without it in
    which it is named all the same (`among` without).
Departures: see `setting`. Which ten keywords figure 6 draws is not printed: ten that both sets of the domain have.
Cost: none beyond table 1 but for the classifiers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from divulge.spec import Study
from divulge.studies.gu2023 import setting
from divulge.studies.gu2023.published import ENCODERS

__all__ = ["FIGURE3", "FIGURE6"]

# As section 9.4 names them.
MOST_FREQUENT = {
    "skytrax": (
        *("London", "Paris", "Bangkok", "Toronto", "Sydney"),
        *("Hong Kong", "Manchester", "Dubai", "Melbourne", "Singapore"),
    ),
    "cms": ("tissue", "spinal", "muscle", "skin", "bladder", "heart", "bone", "blood", "brain", "eye"),
}
IN_BOTH = {
    "twitter-airline": (
        *("Chicago", "Dallas", "Denver", "Boston", "Houston"),
        *("Newark", "Miami", "Orlando", "Seattle", "Phoenix"),
    ),
    "mt": ("artery", "bladder", "heart", "abdomen", "eye", "skin", "tumor", "nerve", "brain", "tissue"),
}
BINARY: dict[str, Any] = {"name": "binary-classifiers"}
DECODING = tuple(
    attack for attack in setting.KEYWORD_ATTACKS if attack["name"] not in ("decision-tree", "knn", "dnn", "gei")
)
AMONG = ("with", "without")


def readings(keywords: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """The same guesses, read for one keyword after the other."""
    every = [word for words in keywords.values() for word in words]
    return {
        "keyword": {word: {"keyword_found": {"only": (word,)}} for word in every},
        "among": {among: {"keyword_found": {"among": among}} for among in AMONG},
    }


def told(keywords: Mapping[str, tuple[str, ...]], limit: int | None) -> dict[str, Any]:
    """As elsewhere, with the words that binary classifiers are made for."""
    found = setting.variants(limit)
    for key, fields in found["data setting"].items():
        words = keywords.get(key.split()[0])
        if words is not None:
            fields["attacks.0.options.words"] = words
    return found


def _axes(keywords: Mapping[str, tuple[str, ...]], settings: tuple[str, ...]) -> dict[str, Any]:
    every = tuple(word for words in keywords.values() for word in words)
    return {**setting.axes(tuple(keywords), settings), "keyword": every, "among": AMONG}


def _of_its_set(
    keywords: Mapping[str, tuple[str, ...]], grids: Sequence[Mapping[str, Any]]
) -> tuple[dict[str, Any], ...]:
    """Each grid is of one set, and read for the keywords of that set alone."""
    return tuple({**grid, "keyword": keywords[grid["data"][0]]} for grid in grids)


FIGURE3: Study = setting.study(
    name="gu2023/figure3",
    title="How often each of the ten most frequent keywords is inferred (Skytrax, CMS)",
    axes=_axes(MOST_FREQUENT, ("white-box",)),
    grids=_of_its_set(MOST_FREQUENT, setting.paired(tuple(MOST_FREQUENT), ("white-box",))),
    readings=readings(MOST_FREQUENT),
    metrics=("keyword_found",),
    note=setting.WHITE_NOTE,
    scales=(
        setting.smoke(setting.KEYWORD_ATTACKS),
        setting.quick(
            setting.KEYWORD_ATTACKS,
            grids=_of_its_set(MOST_FREQUENT, setting.paired(tuple(MOST_FREQUENT), ("white-box",), small=True)),
            note="SmolLM2 on CMS only",
        ),
        setting.scale("paper"),
    ),
)
FIGURE6: Study = setting.study(
    name="gu2023/figure6",
    title="One classifier for each of ten keywords beside the decoders (Twitter, MT)",
    axes=_axes(IN_BOTH, ("white-box", "black-box")),
    grids=_of_its_set(IN_BOTH, setting.paired(tuple(IN_BOTH))),
    variants=told(IN_BOTH, None),
    readings=readings(IN_BOTH),
    metrics=("keyword_found",),
    scales=(
        setting.smoke(({**BINARY, "options": {"fewest": 1, "keywords": 2}}, *DECODING), {"data": "mt"}),
        setting.quick(
            (BINARY, *DECODING),
            axes={"encoder": (ENCODERS["BERT"],), "stands_for": ("BERT",)},
            variants=told(IN_BOTH, setting.PUBLIC_QUICK),
            note="all-MiniLM-L6-v2 only",
        ),
        setting.scale("paper", settings={"attacks": (BINARY, *DECODING)}),
    ),
)
