"""Texts an adversary makes up to see how an encoder spells every token: public ones with random tokens put in."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

__all__ = ["vocabulary_texts"]

SHARE = 0.5  # of the positions that are overwritten: half real context, half every token there is


def vocabulary_texts(
    texts: Sequence[tuple[str, ...]],
    pieces: Sequence[str],
    sightings: int,
    rng: np.random.Generator,
    rests: Sequence[tuple[str, ...]] | None = None,
) -> list[tuple[str, ...]]:
    """Public texts, half of whose tokens are replaced, until every one of `pieces` was put in `sightings` times.

    `rests` tell how each of the texts goes on, which stays as it is.
    """
    wanted = sightings * len(pieces)
    order = np.concatenate([rng.permutation(len(pieces)) for _ in range(sightings)]) if wanted else np.empty(0, int)
    mean_length = sum(len(text) for text in texts) / max(1, len(texts))
    if not wanted or not mean_length:
        return []
    made: list[tuple[str, ...]] = []
    used = 0
    while used < wanted:
        drawn = rng.integers(len(texts), size=math.ceil((wanted - used) / (SHARE * mean_length)))
        for number in drawn.tolist():
            text = list(texts[number])
            places = np.flatnonzero(rng.random(len(text)) < SHARE)[: wanted - used]
            for place in places.tolist():
                text[place] = pieces[order[used]]
                used += 1
            if len(places):
                made.append((*text, *(() if rests is None else rests[number])))
    return made
