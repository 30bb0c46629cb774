"""Rows and encoder behind one change of vectors: what all defences of vectors have in common."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from divulge.access import Access, EmbeddedRowsAccess, EmbeddingOracleAccess, TokenTuple
from divulge.errors import InputError
from divulge.grants import ForwardOracle, ForwardRows, Grant
from divulge.handshake import OwnerSample
from divulge.records import Check, FloatArray

__all__ = ["Change", "changed_vectors", "owners_rows"]

# Takes an answer, (d,) or (tokens, d), and the question it answers: the number of a row, or the tokens of a text.
Change = Callable[[FloatArray, object], FloatArray]


def changed_vectors(access: Access, change: Change, *, steps: bool = False) -> Access:
    """Passes every vector through `change`; an access that shows none comes back as it is.

    With `steps` the change jumps somewhere, as rounding does: two answers of an encoder that differ in their last digit
    may then differ by a whole step, and whether it answers alike is tried on the encoder behind the change.
    """
    if isinstance(access, EmbeddedRowsAccess):
        return _ChangedRows(access, change)
    if isinstance(access, EmbeddingOracleAccess):
        return _ChangedOracle(access, change, steps=steps)
    return access


def owners_rows(name: str, access: Grant, most: int | None = None) -> list[FloatArray]:
    """The leaked rows, the first `most` of them, that the defence called `name` is fitted on."""
    if EmbeddedRowsAccess not in access:
        raise InputError(f"{name} needs leaked rows to be fitted on")
    leaked = access[EmbeddedRowsAccess]
    return leaked.rows(range(leaked.count if most is None else min(most, leaked.count)))


class _ChangedRows(ForwardRows):
    def __init__(self, inner: EmbeddedRowsAccess, change: Change) -> None:
        super().__init__(inner)
        self._change = change

    def _rows(self, numbers: Sequence[int]) -> list[FloatArray]:
        clear = self.inner._rows(numbers)
        return [self._change(np.asarray(row, np.float64), int(n)) for row, n in zip(clear, numbers, strict=True)]


class _ChangedOracle(ForwardOracle):
    def __init__(self, inner: EmbeddingOracleAccess, change: Change, *, steps: bool) -> None:
        super().__init__(inner)
        self._change, self._steps = change, steps

    def handshake(self, sample: OwnerSample) -> list[Check]:
        return self.inner.handshake(sample) if self._steps else super().handshake(sample)

    def _embed(self, texts: Sequence[TokenTuple]) -> list[FloatArray]:
        clear = self.inner._embed(texts)
        return [self._change(np.asarray(row, np.float64), list(t)) for row, t in zip(clear, texts, strict=True)]
