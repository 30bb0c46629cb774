"""Ranks that a generator gave, kept beside the store: audits at several output limits ask it once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

from divulge.records import Passage
from divulge.targets.own.answers_kept import KeptAnswers

__all__ = ["KeptRanks"]

Ranks = list[npt.NDArray[np.int64]]


class KeptRanks:
    """The rank of each word by passage, each passage asked about once.

    Args:
        key: 64 hex digits for all that an answer depends on but the passage; None keeps them in memory alone.
        ask: Gives the ranks of passages.
    """

    def __init__(self, key: str | None, ask: Callable[[Sequence[Passage]], Ranks]) -> None:
        self._kept, self._ask = KeptAnswers(key), ask

    def __call__(self, passages: Sequence[Passage]) -> Ranks:
        """The ranks of passages, those kept and those asked for now."""
        spelt = ["\n".join((*one.context, "", *one.tokens)) for one in passages]  # no word is empty
        known = self._kept.get(list(dict.fromkeys(spelt)))
        new = {name: one for name, one in zip(spelt, passages, strict=True) if name not in known}
        if new:
            rows = self._ask(list(new.values()))
            known |= (fresh := {name: row.astype("<i4").tobytes() for name, row in zip(new, rows, strict=True)})
            self._kept.put(fresh)
        return [np.frombuffer(known[name], dtype="<i4").astype(np.int64) for name in spelt]
