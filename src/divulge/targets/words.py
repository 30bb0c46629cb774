"""The words a model knows, by number; the rest are one unknown word."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["PADDING", "UNKNOWN", "Words", "frequent_words"]

PADDING, UNKNOWN = "<pad>", "<unk>"


def frequent_words(texts: Iterable[Sequence[str]], most: int | None = None) -> list[str]:
    """All words, or the `most` frequent ones, in the order of the alphabet."""
    counts = Counter(token for text in texts for token in text)
    ranked = sorted(counts, key=lambda word: (-counts[word], word))
    return sorted(ranked if most is None else ranked[:most])


class Words:
    """Numbers words: 0 is padding, 1 the unknown word, then the words given."""

    def __init__(self, words: Sequence[str]) -> None:
        self.words = (PADDING, UNKNOWN, *words)
        self._place = {word: number for number, word in enumerate(self.words) if number > 1}

    def __len__(self) -> int:
        return len(self.words)

    def number(self, word: str) -> int:
        """The number of a word; 1 if it is not known."""
        return self._place.get(word, 1)

    def numbers(self, texts: Sequence[Sequence[str]]) -> npt.NDArray[np.int64]:
        """All texts, padded on the right to the longest; (texts, longest)."""
        width = max((len(text) for text in texts), default=0)
        padded = np.zeros((len(texts), width), dtype=np.int64)
        for row, text in zip(padded, texts, strict=True):
            row[: len(text)] = [self.number(token) for token in text]
        return padded
