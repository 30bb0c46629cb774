"""Classifiers that need no library: one that knows its training texts by heart, and texts to train it on."""

from __future__ import annotations

import numpy as np

from divulge.records import Text

WORDS = ("river", "castle", "lemon", "otter", "violet", "copper", "tulip", "comet", "raven", "maple")


def texts(count: int, split: str = "train", start: int = 0) -> list[Text]:
    """Texts of two labels, told by their first word; no two are the same."""
    found = []
    for number in range(start, start + count):
        label = "ab"[number % 2]
        found.append(Text((f"{label}-word", WORDS[number % 10], f"n{number}"), label=label, split=split))
    return found


class ByHeart:
    """Sure of texts it has seen, less sure of others; fitted as scikit-learn's are."""

    classes_: list[str]

    def fit(self, known: list[str], labels: list[str]) -> ByHeart:
        """Learns by heart."""
        self.classes_, self._seen = sorted(set(labels)), dict(zip(known, labels, strict=True))
        return self

    def predict_proba(self, asked: list[str]) -> np.ndarray:
        """By heart, or by the first word."""
        rows = np.zeros((len(asked), len(self.classes_)))
        for row, text in zip(rows, asked, strict=True):
            label, sure = self._seen.get(text, text[:1]), 0.99 if text in self._seen else 0.7
            place = self.classes_.index(label) if label in self.classes_ else 0
            row[:] = (1 - sure) / (len(row) - 1)
            row[place] = sure
        return rows
