"""Vectors of words from the vectors of their character n-grams, as fastText has them.

Every n-gram of "<word>" has a place in a table, by its FNV-1a hash; a word outside the vocabulary gets the mean.
Paper: Bojanowski, Grave, Joulin, Mikolov 2017, "Enriching word vectors with subword information".
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from divulge.targets.vectors.base import VectorArray

__all__ = ["Subwords", "ngram_places", "ngrams"]

OFFSET, PRIME, BITS32 = 2166136261, 16777619, 0xFFFFFFFF  # of the 32-bit FNV-1a hash


@dataclass(frozen=True)
class Subwords:
    """The table of n-gram vectors, (places, width), and how many characters an n-gram has."""

    table: VectorArray
    shortest: int
    longest: int

    def of(self, word: str) -> VectorArray | None:
        """The mean vector of the word's n-grams; None if it has none."""
        places = ngram_places(word, self.shortest, self.longest, len(self.table))
        return self.table[places].mean(axis=0, dtype=np.float32) if places else None


def ngram_places(word: str, shortest: int, longest: int, places: int) -> list[int]:
    """The place of each n-gram in a table of so many; an n-gram that occurs twice is there twice."""
    return [_hash(ngram) % places for ngram in ngrams(word, shortest, longest)] if places else []


def ngrams(word: str, shortest: int, longest: int) -> list[str]:
    """The n-grams of "<word>", without its two marks alone.

    >>> ngrams("go", 3, 4)
    ['<go', '<go>', 'go>']
    """
    marked = f"<{word}>"
    return [
        marked[start : start + size]
        for start in range(len(marked))
        for size in range(shortest, min(longest, len(marked) - start) + 1)
        if size > 1 or 0 < start < len(marked) - 1
    ]


def _hash(ngram: str) -> int:
    """FNV-1a, with bytes above 127 as negative numbers: so did the first fastText, and its files rely on it."""
    found = OFFSET
    # A lone surrogate has no UTF-8 spelling: any stable bytes will do.
    for byte in ngram.encode("utf-8", errors="surrogatepass"):
        found = ((found ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * PRIME) & BITS32
    return found
