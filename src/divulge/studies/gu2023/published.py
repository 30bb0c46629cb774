"""The numbers that gu2023 prints, typed off its tables 1 and 2; its figures are pictures and give none.

BERT's numbers stand beside those of all-MiniLM-L6-v2 (the same architecture, six layers), GPT-2's beside those of
SmolLM2 (a Llama architecture): other encoders, so that a print is context and no target.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from divulge.spec import Published

__all__ = ["ENCODERS", "PUBLIC", "SETTINGS", "TABLE_1", "TABLE_2", "keywords_published", "sentences_published"]

ENCODERS = {"BERT": "all-MiniLM-L6-v2", "GPT-2": "SmolLM2-135M-Instruct"}
SETTINGS = ("white-box", "black-box")
# The public set: the same in the white box, the other one of the domain in the black box.
PUBLIC: Mapping[tuple[str, str], str] = {
    ("skytrax", "white-box"): "skytrax",
    ("skytrax", "black-box"): "twitter-airline",
    ("twitter-airline", "white-box"): "twitter-airline",
    ("twitter-airline", "black-box"): "skytrax",
    ("cms", "white-box"): "cms",
    ("cms", "black-box"): "mt",
    ("mt", "white-box"): "mt",
    ("mt", "black-box"): "cms",
}
# By data and attack: count and unique count for white box BERT, white box GPT-2, black box BERT, black box GPT-2.
TABLE_1: Mapping[str, Mapping[str, tuple[int, ...]]] = {
    "skytrax": {
        "decision-tree": (112, 52, 218, 75, 68, 11, 101, 14),
        "knn": (266, 92, 219, 35, 80, 11, 73, 6),
        "dnn": (627, 124, 1120, 173, 174, 12, 430, 16),
        "gei": (128, 49, 159, 51, 74, 11, 132, 12),
        "decoder-vanilla": (421, 63, 679, 84, 192, 32, 391, 28),
        "decoder-pretrained": (835, 158, 1190, 179, 322, 45, 513, 48),
    },
    "twitter-airline": {
        "decision-tree": (51, 13, 76, 15, 13, 4, 0, 0),
        "knn": (92, 15, 67, 12, 27, 6, 0, 0),
        "dnn": (187, 16, 331, 17, 58, 5, 0, 0),
        "gei": (87, 13, 91, 14, 12, 4, 0, 0),
        "decoder-vanilla": (203, 15, 215, 15, 23, 3, 9, 2),
        "decoder-pretrained": (326, 20, 387, 19, 87, 9, 30, 5),
    },
    "cms": {
        "decision-tree": (206, 49, 208, 51, 127, 20, 73, 13),
        "knn": (446, 104, 195, 54, 361, 23, 117, 12),
        "dnn": (531, 94, 488, 93, 380, 31, 511, 32),
        "gei": (221, 50, 201, 47, 117, 32, 109, 30),
        "decoder-vanilla": (602, 98, 374, 59, 431, 67, 389, 60),
        "decoder-pretrained": (1093, 203, 814, 163, 647, 135, 592, 114),
    },
    "mt": {
        "decision-tree": (465, 107, 325, 92, 38, 13, 44, 10),
        "knn": (519, 113, 546, 127, 148, 23, 19, 12),
        "dnn": (967, 109, 1280, 119, 293, 36, 136, 27),
        "gei": (527, 95, 603, 99, 51, 16, 59, 15),
        "decoder-vanilla": (842, 136, 791, 128, 351, 70, 213, 34),
        "decoder-pretrained": (1250, 157, 1463, 201, 694, 104, 484, 88),
    },
}
# By data and attack: cosine, order, BLEU and ROUGE of the white box, then of the black box; BERT, then GPT-2.
TABLE_2: Mapping[str, Mapping[str, tuple[tuple[float, ...], tuple[float, ...]]]] = {
    "skytrax": {
        "gei": ((0.07, 0.10, 0.01, 0.01, 0.01, 0.02, 0.00, 0.00), (0.06, 0.10, 0.01, 0.01, 0.02, 0.04, 0.00, 0.00)),
        "decoder-vanilla": (
            (0.10, 0.33, 0.05, 0.06, 0.07, 0.15, 0.02, 0.03),
            (0.12, 0.35, 0.05, 0.07, 0.05, 0.13, 0.02, 0.02),
        ),
        "decoder-pretrained": (
            (0.25, 0.52, 0.13, 0.12, 0.18, 0.40, 0.10, 0.11),
            (0.21, 0.51, 0.11, 0.12, 0.17, 0.37, 0.10, 0.10),
        ),
    },
    "twitter-airline": {
        "gei": ((0.05, 0.11, 0.01, 0.01, 0.03, 0.05, 0.00, 0.00), (0.06, 0.10, 0.01, 0.01, 0.02, 0.04, 0.00, 0.00)),
        "decoder-vanilla": (
            (0.09, 0.21, 0.04, 0.05, 0.05, 0.09, 0.02, 0.02),
            (0.08, 0.18, 0.03, 0.05, 0.03, 0.06, 0.01, 0.01),
        ),
        "decoder-pretrained": (
            (0.22, 0.50, 0.11, 0.13, 0.15, 0.39, 0.08, 0.10),
            (0.20, 0.45, 0.10, 0.12, 0.14, 0.35, 0.07, 0.10),
        ),
    },
    "cms": {
        "gei": ((0.12, 0.20, 0.02, 0.03, 0.05, 0.06, 0.00, 0.01), (0.10, 0.18, 0.01, 0.03, 0.03, 0.05, 0.00, 0.00)),
        "decoder-vanilla": (
            (0.20, 0.35, 0.10, 0.12, 0.11, 0.30, 0.04, 0.05),
            (0.17, 0.31, 0.09, 0.11, 0.10, 0.26, 0.03, 0.05),
        ),
        "decoder-pretrained": (
            (0.36, 0.59, 0.16, 0.19, 0.22, 0.41, 0.11, 0.11),
            (0.30, 0.53, 0.14, 0.15, 0.19, 0.38, 0.09, 0.09),
        ),
    },
    "mt": {
        "gei": ((0.12, 0.23, 0.01, 0.01, 0.05, 0.08, 0.01, 0.01), (0.11, 0.20, 0.01, 0.01, 0.05, 0.10, 0.00, 0.00)),
        "decoder-vanilla": (
            (0.23, 0.46, 0.14, 0.15, 0.10, 0.19, 0.06, 0.05),
            (0.25, 0.49, 0.16, 0.16, 0.11, 0.24, 0.07, 0.05),
        ),
        "decoder-pretrained": (
            (0.38, 0.59, 0.20, 0.21, 0.19, 0.45, 0.12, 0.11),
            (0.42, 0.61, 0.22, 0.22, 0.17, 0.44, 0.13, 0.12),
        ),
    },
}
SIMILARITIES = ("cosine", "order_printed", "bleu", "rouge")
# How many private sentences the paper's counts are over, by its section 7 and an 80/20 split; ours are n.
PRIVATE = {"skytrax": "about 6,000", "twitter-airline": "about 1,000", "cms": "1,114", "mt": "about 2,400"}


def keywords_published() -> tuple[Published, ...]:
    """Table 1, row by row."""
    return tuple(_keywords())


def sentences_published() -> tuple[Published, ...]:
    """Table 2, row by row: the best of ten generations by the truth, so that it stands beside `choice` oracle."""
    return tuple(_sentences())


def _keywords() -> Iterator[Published]:
    for data, rows in TABLE_1.items():
        for attack, printed in rows.items():
            for place, (setting, stands_for) in enumerate((s, e) for s in SETTINGS for e in ENCODERS):
                note = f"printed for {stands_for}, over {PRIVATE[data]} private sentences of that set as it was"
                for metric, value in zip(("count", "unique"), printed[2 * place : 2 * place + 2], strict=True):
                    cell = _cell(data, setting, stands_for)
                    yield Published(cell=cell, attack=attack, metric=metric, value=float(value), note=note)


def _sentences() -> Iterator[Published]:
    for data, rows in TABLE_2.items():
        for attack, by_encoder in rows.items():
            for stands_for, printed in zip(ENCODERS, by_encoder, strict=True):
                for place, setting in enumerate(SETTINGS):
                    cell = {**_cell(data, setting, stands_for), "choice": "oracle"}
                    note = f"printed for {stands_for}, the best of ten by the truth"
                    for metric, value in zip(SIMILARITIES, printed[4 * place : 4 * place + 4], strict=True):
                        yield Published(cell=cell, attack=attack, metric=metric, value=value, note=note)


def _cell(data: str, setting: str, stands_for: str) -> dict[str, str]:
    named = {"data": data, "encoder": ENCODERS[stands_for], "stands_for": stands_for, "setting": setting}
    return {**named, "texts": "public"}
