"""Tables 4 and 5: people whose texts were rewritten before they are asked about, and what rewriting leaves of them.

Paper: song2019, section 4.3. Claims: accuracy near chance and low recall, AUC about 0.8, for texts that were machine
    translated to Japanese and back.
Departures: see `setting`; Apertium to Spanish and back, and a rougher paraphraser of our own that changes words, in
    place of the services of Google and Yandex, which are not for offline use.
    Table 4 prints three sentences; ours counts what stays as it was.
Cost: no model beyond those of table 3.
"""

from __future__ import annotations

from typing import Any

from divulge.studies.song2019 import setting
from divulge.studies.song2019.published import table5

__all__ = ["TABLE4", "TABLE5"]

WAYS = ("none", "apertium-es", "words")
BESIDE = {
    "none": ("none", ""),
    "apertium-es": ("google", "printed for Google, to Japanese and back"),
    "words": ("yandex", "printed for Yandex, to Japanese and back"),
}


def _rewritten(way: str) -> dict[str, Any]:
    return {} if way == "none" else {"secrets.obfuscation": way}


TABLE5 = setting.study(
    name="song2019/table5",
    title="People whose texts were rewritten before they are asked about",
    axes={"obfuscation": WAYS},
    variants={"obfuscation": {way: _rewritten(way) for way in WAYS}},
    published=table5(BESIDE),
    scales=(
        setting.smoke({"obfuscation": ("none", "words")}),
        setting.scale("quick"),
        setting.scale("paper"),
    ),
)
TABLE4 = setting.study(
    name="song2019/table4",
    title="What rewriting leaves of people's texts",
    axes={"obfuscation": WAYS[1:]},
    variants={"obfuscation": {way: _rewritten(way) for way in WAYS[1:]}},
    metrics=("kept_words", "kept_texts"),
    scales=(setting.smoke({"obfuscation": ("words",)}), setting.scale("quick"), setting.scale("paper")),
)
