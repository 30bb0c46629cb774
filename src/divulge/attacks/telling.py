"""Which words of a person speak most for use: by their places and by two numbers each, without the words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from divulge.pieces import word_places
from divulge.records import FloatArray, Passage, Telling, UserTexts

__all__ = ["telling_words"]

MOST = 10
NOTICED = 0.25  # of a logarithm: whoever is asked about, half of all words are a little better known than usual
LARGEST = 50.0  # of a logarithm: beyond that, a number is only "very large"


def telling_words(
    hint: UserTexts,
    asked: Sequence[Passage],
    pieces: Sequence[tuple[str, ...]],
    expected: Sequence[FloatArray],
    found: Sequence[FloatArray],
    *,
    by: Literal["rank", "chance"],
    rare: float = 0.0,
) -> tuple[Telling, ...]:
    """The words with the largest gap between what is usual and what was found, weighted as the statistic weighs them.

    Args:
        hint: All texts of the person: words are told by their place there.
        asked: The texts that were asked about.
        pieces: The tokens that the model reads each of them in.
        expected: Of each token of each text, what reference models make of it: log(1 + rank) or minus log-likelihood.
        found: The same of the model.
        by: Which of the two it is.
        rare: The power of what is expected that a gap is weighted by.
    """
    places: dict[Passage, int] = {}
    for number, passage in enumerate(hint.examples):
        places.setdefault(passage, number)
    best: list[tuple[float, Telling]] = []
    for passage, cut, usual, mine in zip(asked, pieces, expected, found, strict=True):
        for word, own in enumerate(_words(passage, cut)):
            # Of a word in pieces, its chance is that of all of them; by rank, the piece that was hardest to guess.
            before, here = (float(row[own].sum() if by == "chance" else row[own].max()) for row in (usual, mine))
            weight = max(before, 0.0) ** rare
            if before > here + NOTICED:
                told = Telling(text=places[passage], word=word, expected=_number(before), found=_number(here), by=by)
                best.append(((before - here) * weight, told))
    best.sort(key=lambda one: (-one[0], one[1].text, one[1].word))
    return tuple(told for _, told in best[:MOST])


def _words(passage: Passage, cut: tuple[str, ...]) -> list[list[int]]:
    """The places of each word's tokens; none where a tokenizer cuts so that words cannot be told again."""
    if cut == passage.tokens:
        return [[place] for place in range(len(cut))]
    found = word_places(cut)
    return found if len(found) == len(passage.tokens) else []


def _number(logarithm: float) -> float:
    return float(np.exp(np.clip(logarithm, 0.0, LARGEST)))
