"""Made-up texts of a domain: public sentences spliced at a shared piece, and damaged a little."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from divulge.attacks.public_sentences import Numbers

__all__ = ["made_up_texts"]

SPLICED = 0.8  # the share of texts that are the beginning of one sentence and the end of another


def made_up_texts(
    texts: Sequence[Numbers], count: int, vocabulary: int, longest: int, rng: np.random.Generator
) -> list[Numbers]:
    """Makes texts that read nearly as the given ones do; some hold a piece drawn from the whole vocabulary."""
    places: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for number, text in enumerate(texts):
        for place, piece in enumerate(text):
            places[piece].append((number, place))
    return [_made_up(texts, places, vocabulary, rng)[:longest] for _ in range(count)]


def _made_up(
    texts: Sequence[Numbers],
    places: dict[int, list[tuple[int, int]]],
    vocabulary: int,
    rng: np.random.Generator,
) -> Numbers:
    text = list(texts[int(rng.integers(len(texts)))])
    if rng.random() < SPLICED:
        cut = int(rng.integers(len(text)))
        others = places[text[cut]]
        other, start = others[rng.integers(len(others))]
        text = [*text[:cut], *texts[other][start:]]
    damage, place = rng.random(), int(rng.integers(len(text)))
    if damage < 0.2 and len(text) > 2:
        del text[place]
    elif damage < 0.4:
        text[place] = int(rng.integers(vocabulary))
    elif damage < 0.5:
        donor = texts[int(rng.integers(len(texts)))]
        text[place] = donor[rng.integers(len(donor))]
    elif damage < 0.6 and len(text) > 2:
        other = int(rng.integers(len(text)))
        text[place], text[other] = text[other], text[place]
    return tuple(text)
