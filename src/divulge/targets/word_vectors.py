"""Where word vectors come from. For now: drawn at random by the word's own name, so that every word has one."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from divulge.seeds import generator

__all__ = ["random_vectors"]


def random_vectors(words: Sequence[str], width: int, seed: int) -> npt.NDArray[np.float32]:
    """A vector for each word, the same wherever and whenever the word is asked for; (words, width)."""
    rows = [generator(seed, "word vector", word).standard_normal(width, dtype=np.float32) for word in words]
    return np.stack(rows) if rows else np.empty((0, width), dtype=np.float32)
