"""Rows of vectors as an artefact: pooled ones in one array, unpooled ones end to end with their lengths."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.access import EmbeddedRowsAccess
from divulge.records import Artefact, FloatArray

__all__ = ["KeptRows", "stacked"]


def stacked(rows: Sequence[npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """The arrays of an artefact: `rows` (texts, d), or (all words, d) and `lengths`."""
    if all(row.ndim == 1 for row in rows):
        return {"rows": np.stack(rows) if rows else np.empty((0, 0))}
    return {"rows": np.concatenate(rows), "lengths": np.array([len(row) for row in rows], dtype=np.int64)}


class KeptRows(EmbeddedRowsAccess):
    """Rows as they were kept."""

    def __init__(self, artefact: Artefact) -> None:
        rows, lengths = np.asarray(artefact.arrays["rows"]), artefact.arrays.get("lengths")
        self._held = list(rows) if lengths is None else np.split(rows, np.cumsum(lengths))[:-1]

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self._held)

    def _rows(self, numbers: Sequence[int]) -> list[FloatArray]:
        return [self._held[number].astype(np.float64) for number in numbers]
