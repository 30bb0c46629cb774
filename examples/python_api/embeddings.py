"""Vectors from any encoder: can the sentences behind them be read back?

The encoder is a function from texts to vectors. Here it gives one vector for each word of a text.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

import divulge

WHO = ("anna", "omar", "clara", "hugo", "the nurse", "the doctor")
DID = ("called", "missed", "moved", "paid for")
WHAT = ("the appointment", "the scan", "the blood test", "the second dose")
SENTENCES = [f"{who} {did} {what}" for who in WHO for did in DID for what in WHAT]
PRIVATE, PUBLIC = SENTENCES[::3], [text for place, text in enumerate(SENTENCES) if place % 3]


def embed(texts: Sequence[str]) -> list[npt.NDArray[np.float64]]:
    """Stands for your encoder: one vector for each word, always the same for the same word."""
    return [np.stack([_vector(word) for word in text.split()]) for text in texts]


def _vector(word: str) -> npt.NDArray[np.float64]:
    return np.random.default_rng(list(word.encode())).normal(size=16)


result = divulge.audit(
    embed,
    data=PRIVATE,
    secrets={"kind": "rows", "count": 20},
    adversary={"background": {"corpus": PUBLIC}},  # sentences of the same kind that the adversary may embed
)

print(result.summary())
