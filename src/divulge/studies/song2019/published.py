"""The numbers that song2019 prints, typed off its tables and its text; figures are printed without numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Literal

from divulge.spec import Published

__all__ = [
    "TABLE_1",
    "TABLE_2",
    "TABLE_3",
    "TABLE_5",
    "WHOLE",
    "anchor",
    "private",
    "shares",
    "table1",
    "table2",
    "table3",
    "table5",
]

COPY = "rank-histogram"
ACC, AUC, PRE, REC = "accuracy", "auc", "precision", "recall"
COLUMNS = (ACC, AUC, PRE, REC)

# Train and test accuracy, train and test perplexity, of models of 300 users.
TABLE_1: Mapping[str, tuple[float, float, float, float]] = {
    "next-word": (0.184, 0.206, 102.22, 113.14),
    "translation": (0.587, 0.535, 6.36, 10.28),
    "dialog": (0.283, 0.264, 45.57, 61.11),
}
TABLE_2: Mapping[str, tuple[float, float, float, float]] = {
    "next-word": (0.990, 0.993, 0.983, 0.996),
    "translation": (0.965, 0.981, 0.937, 0.996),
    "dialog": (0.978, 0.998, 0.958, 1.000),
}
# By task and the words shown: same domain, then cross domain.
TABLE_3: Mapping[str, Mapping[int, tuple[tuple[float, ...], tuple[float, ...]]]] = {
    "next-word": {
        1: ((0.545, 0.549, 0.574, 0.350), (0.505, 0.589, 0.667, 0.020)),
        5: ((0.550, 0.572, 0.553, 0.520), (0.490, 0.525, 0.495, 0.920)),
        10: ((0.580, 0.602, 0.582, 0.570), (0.500, 0.552, 0.500, 0.950)),
        50: ((0.605, 0.648, 0.606, 0.600), (0.505, 0.659, 0.503, 0.980)),
        100: ((0.725, 0.788, 0.765, 0.650), (0.585, 0.714, 0.549, 0.950)),
        500: ((0.970, 0.998, 0.970, 0.970), (0.905, 0.992, 0.988, 0.820)),
        1000: ((0.985, 0.999, 0.971, 1.000), (0.910, 0.999, 1.000, 0.820)),
    },
    "translation": {
        1: ((0.723, 0.785, 0.770, 0.637), (0.723, 0.785, 0.712, 0.750)),
        5: ((0.748, 0.838, 0.767, 0.713), (0.767, 0.834, 0.755, 0.790)),
        10: ((0.800, 0.880, 0.783, 0.830), (0.805, 0.878, 0.814, 0.790)),
        50: ((0.928, 0.973, 0.908, 0.953), (0.925, 0.979, 0.947, 0.900)),
        100: ((0.948, 0.981, 0.944, 0.953), (0.942, 0.978, 0.965, 0.917)),
        500: ((0.972, 0.988, 0.958, 0.987), (0.970, 0.988, 0.983, 0.957)),
        1000: ((0.960, 0.984, 0.939, 0.983), (0.967, 0.985, 0.973, 0.960)),
    },
    "dialog": {
        1: ((0.577, 0.618, 0.582, 0.547), (0.538, 0.618, 0.520, 0.977)),
        5: ((0.575, 0.642, 0.582, 0.530), (0.552, 0.643, 0.528, 0.970)),
        10: ((0.583, 0.645, 0.591, 0.543), (0.543, 0.638, 0.523, 0.977)),
        50: ((0.605, 0.660, 0.611, 0.580), (0.537, 0.610, 0.520, 0.963)),
        100: ((0.647, 0.714, 0.643, 0.660), (0.570, 0.669, 0.541, 0.920)),
        500: ((0.935, 0.975, 0.917, 0.957), (0.925, 0.969, 0.895, 0.963)),
        1000: ((0.972, 0.995, 0.955, 0.990), (0.962, 0.992, 0.948, 0.977)),
    },
}
WHOLE = 5000
# Untouched, by Google and by Yandex: English to Japanese and back.
TABLE_5: Mapping[str, tuple[float, float, float, float]] = {
    "none": (1.000, 1.000, 1.000, 1.000),
    "google": (0.580, 0.858, 0.944, 0.170),
    "yandex": (0.500, 0.782, 0.500, 0.010),
}
# Of the 20 % most frequent words: how much of the training texts they are, and how much of the others'.
SHARES: Mapping[str, tuple[float, float]] = {
    "next-word": (0.869, 0.881),
    "translation": (0.895, 0.904),
    "dialog": (0.931, 0.941),
}
PRIVATE = {"test_accuracy": 0.15, "epsilon": 4.129}


def table1() -> tuple[Published, ...]:
    """Table 1, cell by cell."""
    names = ("train_accuracy", "test_accuracy", "train_perplexity", "test_perplexity")
    return tuple(
        Published(cell={"task": task}, attack=None, metric=metric, value=value, arm="utility")
        for task, row in TABLE_1.items()
        for metric, value in zip(names, row, strict=True)
    )


def table2() -> tuple[Published, ...]:
    """Table 2, and the perfect score that the text tells of shadows like the target."""
    found = [_row({"task": task, "shadows": "other"}, row) for task, row in TABLE_2.items()]
    found += [_row({"task": task, "shadows": "same"}, (1.0,) * 4) for task in TABLE_2]
    return tuple(one for rows in found for one in rows)


def table3() -> tuple[Published, ...]:
    """Table 3, and the perfect score that the text tells of the whole output."""
    found: list[Published] = []
    for task, rows in TABLE_3.items():
        for shown, (same, cross) in rows.items():
            found += _row({"task": task, "output": shown, "domain": "same"}, same)
            found += _row({"task": task, "output": shown, "domain": "cross"}, cross)
        found += _row({"task": task, "output": WHOLE, "domain": "same"}, (1.0,) * 4)
    return tuple(found)


def table5(names: Mapping[str, tuple[str, str]]) -> tuple[Published, ...]:
    """Table 5: `names` tells which of ours stands beside which of theirs, and what to note."""
    return tuple(
        one for ours, (theirs, note) in names.items() for one in _row({"obfuscation": ours}, TABLE_5[theirs], note)
    )


def anchor(cell: Mapping[str, Any], value: float, note: str, metric: str = AUC) -> Published:
    """A number that the text tells of a figure."""
    return Published(cell=dict(cell), attack=COPY, metric=metric, value=value, note=note)


def shares() -> tuple[Published, ...]:
    """How much of all texts the most frequent words are."""
    return tuple(
        Published(
            cell={"task": task, "words": "frequent", "seen": seen},
            attack=None,
            metric="word_share",
            value=value,
            arm="utility",
        )
        for task, both in SHARES.items()
        for seen, value in zip((True, False), both, strict=True)
    )


def private(cell: Mapping[str, Any]) -> tuple[Published, ...]:
    """The model of section 6 that was trained with differential privacy: the audit is at chance."""
    note = "5,000 users, 300 rounds"
    told = [
        Published(cell=dict(cell), attack=None, metric=metric, value=value, arm=_arm_of(metric), note=note)
        for metric, value in PRIVATE.items()
    ]
    return (*told, anchor(cell, 0.5, f"near 0.5, the text says; {note}"))


def _arm_of(metric: str) -> Literal["probe", "utility"]:
    """The arm that a figure of the model itself has: an accountant's is no utility."""
    return "probe" if metric == "epsilon" else "utility"


def _row(cell: Mapping[str, Any], row: tuple[float, ...], note: str = "") -> Iterator[Published]:
    for metric, value in zip(COLUMNS, row, strict=True):
        yield Published(cell=dict(cell), attack=COPY, metric=metric, value=value, note=note)
