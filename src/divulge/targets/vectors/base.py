"""What word vectors are: something that has a vector for any word."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["Kept", "VectorArray", "WordVectors"]

VectorArray = npt.NDArray[np.float32]
Kept = tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]


class WordVectors(ABC):
    """A vector of `width` numbers for any word, the same whenever the word is asked for."""

    width: int

    @abstractmethod
    def of(self, words: Sequence[str]) -> VectorArray:
        """The vectors of these words, a row each: (words, width)."""

    @abstractmethod
    def lacking(self, words: Sequence[str]) -> list[str]:
        """Those of the words that have no vector of their own and get a drawn one, in their order."""

    @abstractmethod
    def kept(self) -> Kept:
        """JSON values and arrays from which `reopened` makes the same vectors again."""
