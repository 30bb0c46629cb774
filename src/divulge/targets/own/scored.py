"""What a text generator of your own says of one text: the protocol of `own-generator`, and how to make it of logits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

__all__ = ["Scored", "from_logits"]


@dataclass(frozen=True)
class Scored:
    """One text as the model reads it, without its context: four lists of one length. A dict of these keys will do.

    `pieces` are the tokens of the text in the model's own vocabulary, or its words. `ranks` are the places of the true
    tokens in the model's order at their positions, from 0, and `best` the tokens at place 0, each given the true tokens
    before. `log_likelihoods` are natural logarithms; None where the model shows no more than an order.
    """

    pieces: Sequence[str]
    ranks: Sequence[int]
    best: Sequence[str]
    log_likelihoods: Sequence[float] | None = None


def from_logits(logits: npt.ArrayLike, ids: Sequence[int], vocabulary: Sequence[str]) -> Scored:
    """Scores the tokens `ids` of a text by the logits at their positions; (tokens, vocabulary).

    Row i must be what the model says *before* it sees token i: of a causal model, its output one position earlier.
    Of equal logits the token that comes first in the vocabulary ranks first.

    >>> from_logits([[0.0, 0.0], [2.0, 2.0]], [0, 1], ["a", "b"]).ranks
    (0, 1)
    """
    rows = np.asarray(logits, dtype=np.float64)
    if rows.shape != (len(ids), len(vocabulary)):
        raise ValueError(f"logits must have shape ({len(ids)}, {len(vocabulary)}). Got {rows.shape}")
    if not len(ids):
        return Scored((), (), (), ())
    shifted = rows - rows.max(axis=1, keepdims=True)
    normal = shifted - np.log(np.exp(shifted).sum(axis=1, keepdims=True))
    places = np.asarray(ids)
    true = rows[np.arange(len(ids)), places][:, None]
    before = (rows == true) & (np.arange(rows.shape[1]) < places[:, None])
    ranks = (rows > true).sum(axis=1) + before.sum(axis=1)
    return Scored(
        pieces=tuple(vocabulary[place] for place in ids),
        ranks=tuple(int(rank) for rank in ranks),
        best=tuple(vocabulary[int(place)] for place in rows.argmax(axis=1)),
        log_likelihoods=tuple(float(one) for one in normal[np.arange(len(ids)), places]),
    )
