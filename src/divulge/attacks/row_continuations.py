"""What an adversary does about the part of a text that it has no vectors of: it shows in those it has.

An encoder reads on behind the last leaked vector, so that the right text, embedded alone, does not give the leaked row.
What other continuations do to the vectors of the same text tells in which directions the unknown one can have moved
them: public texts have continuations enough. What is left without those directions is due to wrong tokens.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from divulge.access import EmbeddingOracleAccess, TokenTuple
from divulge.records import FloatArray, Text

__all__ = ["NOTHING_UNREAD", "Continuations", "Unread", "public_rests"]

RIDGE = 0.03  # of the fit to the directions, as a share of their mean square
TRIED = 8  # public texts that show whether continuations matter at all
ALIKE = 1e-3  # relative difference below which vectors count as the same


@dataclass(frozen=True)
class Continuations:
    """Public continuations, and the length of rows whose texts may go on; none where that changes no vector."""

    length: int
    rests: tuple[TokenTuple, ...]

    @classmethod
    def known(
        cls,
        texts: Sequence[TokenTuple],
        rests: Sequence[TokenTuple],
        rows: Sequence[npt.NDArray[Any]],
        oracle: EmbeddingOracleAccess | None,
        *,
        most: int,
        rng: np.random.Generator,
    ) -> Continuations:
        """Draws up to `most` of the rests of public texts, if the adversary's own encoder shows that they matter."""
        longer = [number for number, rest in enumerate(rests) if rest]
        if not longer or oracle is None or not most:
            return cls(0, ())
        drawn = [longer[place] for place in rng.permutation(len(longer)).tolist()]
        alone = oracle.embed([texts[number] for number in drawn[:TRIED]])
        apart = [_apart(one, rows[number]) for one, number in zip(alone, drawn, strict=False)]
        if max(apart) <= ALIKE:  # a causal encoder, or one without any context
            return cls(0, ())
        kept = list(dict.fromkeys(rests[number] for number in drawn))[:most]
        return cls(max(len(texts[number]) for number in longer), tuple(kept))

    def values(self) -> dict[str, Any]:
        """As plain values."""
        return {"length": self.length, "rests": [list(rest) for rest in self.rests]}

    @classmethod
    def from_values(cls, values: Mapping[str, Any]) -> Continuations:
        """Reads what `values` gave."""
        return cls(values["length"], tuple(tuple(rest) for rest in values["rests"]))

    def concern(self, row: FloatArray) -> bool:
        """Whether the text behind a row may go on unseen."""
        return bool(self.rests) and len(row) == self.length


NOTHING_UNREAD = Continuations(0, ())


@dataclass(frozen=True)
class Unread:
    """The directions in which continuations move all vectors of one text together; (directions, tokens x r)."""

    directions: FloatArray

    @classmethod
    def shown(cls, alone: FloatArray, continued: Sequence[FloatArray]) -> Unread:
        """From the text embedded alone (tokens, r), and with each continuation."""
        return cls(np.stack([(one - alone).ravel() for one in continued]))

    def without(self, errors: FloatArray) -> FloatArray:
        """Errors (tokens, r), less what continuations explain of them."""
        gram = self.directions @ self.directions.T
        level = RIDGE * float(np.trace(gram)) / len(gram) + 1e-12
        shares = np.linalg.solve(gram + level * np.eye(len(gram)), self.directions @ errors.ravel())
        return np.asarray(errors - (shares @ self.directions).reshape(errors.shape))


def public_rests(texts: Sequence[TokenTuple], corpus: Sequence[Text]) -> list[TokenTuple]:
    """How each of the adversary's own texts goes on behind its row, in their order."""
    found: dict[TokenTuple, list[TokenTuple]] = {}
    for text in corpus:
        found.setdefault(text.tokens, []).append(text.rest)
    # Of texts that begin alike each has its own rest; both lists are in the order of the corpus.
    return [(rests.pop(0) if len(rests) > 1 else rests[0]) if (rests := found.get(text)) else () for text in texts]


def _apart(one: npt.NDArray[Any], other: npt.NDArray[Any]) -> float:
    if one.shape != other.shape:
        return float("inf")
    return float(np.linalg.norm(one - other) / max(float(np.linalg.norm(other)), 1e-12))
