"""How much of what people wrote an obfuscation leaves as it was: the owner's look, beside what it takes away."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from divulge.metrics.ratios import ratio, ratio_interval
from divulge.records import FloatArray, Measurement, Passage, Secret, UserTexts

__all__ = ["what_is_kept"]


def what_is_kept(written: Sequence[Secret], asked: Sequence[Secret], rng: np.random.Generator) -> list[Measurement]:
    """The share of words that stay in their place, and that of texts that stay whole; people are resampled.

    `written` are people with their texts as they wrote them, `asked` the same people as they are asked about.
    """
    pairs = [(_texts(one), _texts(other)) for one, other in zip(written, asked, strict=True)]
    words = np.array([np.sum([_words(*each) for each in zip(old, new, strict=True)], axis=0) for old, new in pairs])
    texts = np.array([[sum(map(_same, old, new)), len(old)] for old, new in pairs], dtype=np.float64)
    return [_measured("kept_words", words.astype(np.float64), rng), _measured("kept_texts", texts, rng)]


def _words(old: Passage, new: Passage) -> tuple[int, int]:
    """How many words of a text stand where they stood, and how many it has."""
    return sum(map(str.__eq__, old.tokens, new.tokens)), len(old.tokens)


def _same(old: Passage, new: Passage) -> bool:
    return old.tokens == new.tokens


def _texts(secret: Secret) -> tuple[Passage, ...]:
    assert isinstance(secret.hint, UserTexts)
    return secret.hint.examples


def _measured(metric: str, sums: FloatArray, rng: np.random.Generator) -> Measurement:
    low, high = ratio_interval(sums, rng) or (None, None)
    return Measurement(metric=metric, value=ratio(sums), low=low, high=high, n=len(sums), arm="utility")
