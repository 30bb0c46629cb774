"""fastText vectors trained on the texts themselves; afterwards every word has one, by its n-grams.

The library gensim is needed for the training alone: what is kept are arrays.
"""

from __future__ import annotations

import importlib
import zlib
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.errors import InputError
from divulge.seeds import seed_for
from divulge.targets.vectors.base import Kept, VectorArray, WordVectors
from divulge.targets.vectors.drawn import random_vectors
from divulge.targets.vectors.subwords import Subwords

__all__ = ["TrainedVectors", "fasttext_library", "train_vectors"]

# As the fastText program sets them, but for three: with texts as few as an audit's every word counts, and frequent
# ones are passed over less often; and n-grams have few places, so that their table is small (5,000 x 100: 2 MB).
SETTINGS = {"sg": 1, "window": 5, "negative": 5, "alpha": 0.05, "sample": 1e-3, "epochs": 5, "min_n": 3, "max_n": 6}
LEAST, PLACES = 1, 5000
TABLE, NGRAMS = "vectors.words", "vectors.ngrams"  # names of the kept arrays


class TrainedVectors(WordVectors):
    """Vectors of the words trained on, and n-gram vectors for all others."""

    def __init__(self, words: Sequence[str], table: VectorArray, subwords: Subwords, seed: int) -> None:
        self.width = int(table.shape[1])
        self.words = tuple(words)
        self.table = table
        self.subwords = subwords
        self.seed = seed
        self._rows = {word: row for row, word in enumerate(self.words)}

    def of(self, words: Sequence[str]) -> VectorArray:
        """The trained vector, else the mean of the word's n-grams."""
        found = [self._own(word) for word in words]
        lacking = [row for row, vector in enumerate(found) if vector is None]
        for row in lacking:
            found[row] = random_vectors([words[row]], self.width, self.seed)[0] * self._spread
        return np.array(found, dtype=np.float32).reshape(len(words), self.width)

    def lacking(self, words: Sequence[str]) -> list[str]:
        """Words without any n-gram: the empty one alone."""
        return [word for word in words if self._own(word) is None]

    def kept(self) -> Kept:
        """The words, and the two tables."""
        sizes = {"shortest": self.subwords.shortest, "longest": self.subwords.longest}
        values = {"kind": "fasttext", "seed": self.seed, "words": list(self.words), **sizes}
        return values, {TABLE: self.table, NGRAMS: self.subwords.table}

    @classmethod
    def reopened(cls, values: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> TrainedVectors:
        """What `kept` kept."""
        subwords = Subwords(arrays[NGRAMS], values["shortest"], values["longest"])
        return cls(values["words"], arrays[TABLE], subwords, values["seed"])

    @cached_property
    def _spread(self) -> np.float32:
        """The mean standard deviation of a dimension."""
        return np.float32(self.table.std(axis=0, dtype=np.float64).mean())

    def _own(self, word: str) -> VectorArray | None:
        row = self._rows.get(word)
        return self.subwords.of(word) if row is None else self.table[row]


def train_vectors(texts: Sequence[Sequence[str]], width: int, seed: int) -> TrainedVectors:
    """Trains skip-gram fastText vectors; one thread, so that texts and seed decide every number."""
    sentences = [list(text) for text in texts if text]
    if not sentences:
        raise InputError("vectors = 'fasttext' are trained on the training texts, but those hold no words")
    library = fasttext_library("vectors = 'fasttext'")
    model = library.FastText(
        sentences=sentences,
        vector_size=width,
        min_count=LEAST,
        bucket=PLACES,
        seed=seed_for(seed, "fasttext vectors") % 2**32,
        workers=1,
        hashfxn=_stable_hash,
        **SETTINGS,
    )
    vectors = model.wv
    subwords = Subwords(np.asarray(vectors.vectors_ngrams, dtype=np.float32), vectors.min_n, vectors.max_n)
    return TrainedVectors(vectors.index_to_key, np.asarray(vectors.vectors, dtype=np.float32), subwords, seed)


def fasttext_library(purpose: str) -> Any:
    """The fastText part of gensim; says what to install where it is missing."""
    try:
        return importlib.import_module("gensim.models.fasttext")
    except ImportError:
        raise InputError(f"{purpose} needs the library gensim: pip install 'divulge[vectors]'") from None


def _stable_hash(text: str) -> int:
    """In place of Python's own hash, which differs from process to process."""
    return zlib.crc32(text.encode("utf-8", errors="surrogatepass"))
