"""What probes of words share: how frequent each word is in the training texts, and figures summed up by person.

Words that the model does not know, or that no training text has, have no frequency and are left out of such figures.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.access import RankedTokensAccess, TokenTuple
from divulge.data.corpus import Corpus
from divulge.metrics.intervals import Interval, hull, wilson
from divulge.metrics.ratios import ratio, ratio_interval
from divulge.records import FloatArray, Measurement, Passage, Text

__all__ = ["Frequencies", "Reading", "mean_figure", "reading", "share_figure", "sums_by_person"]

UNKNOWN = "<unk>"  # some data sets have it as a word; it stands for any word, and so for none


class Reading(NamedTuple):
    """Texts as the model reads them: passages, the tokens of each, and for every token the number of its person."""

    passages: list[Passage]
    tokens: list[TokenTuple]
    person: npt.NDArray[np.int64]


class Frequencies:
    """Ranks the words that a model knows by how often they occur in texts: 1 is the most frequent."""

    def __init__(self, texts: Iterable[TokenTuple], vocabulary: Iterable[str]) -> None:
        counts = Counter(token for tokens in texts for token in tokens)
        known = [word for word in dict.fromkeys(vocabulary) if counts[word] and word != UNKNOWN]
        known.sort(key=lambda word: (-counts[word], word))
        self._place = {word: place for place, word in enumerate(known, start=1)}

    def __len__(self) -> int:
        return len(self._place)

    def ranks(self, texts: Sequence[TokenTuple]) -> npt.NDArray[np.int64]:
        """The frequency rank of each token, texts in a row; 0 if it has none."""
        return np.array([self._place.get(token, 0) for tokens in texts for token in tokens], dtype=np.int64)

    def groups(self, ranks: npt.NDArray[np.int64], share: float) -> dict[str, npt.NDArray[np.bool_]]:
        """Which tokens are of the most frequent words, this share of all but at least one, and which of the rest."""
        last = max(1, round(share * len(self)))
        return {"frequent": (ranks > 0) & (ranks <= last), "rare": ranks > last}


def reading(texts: Corpus | Sequence[Text], access: RankedTokensAccess) -> Reading:
    """Texts that have a word, in the tokens that the model reads; a text of nobody's is a person of its own."""
    spoken = [text for text in texts if text.tokens]
    passages = [Passage(context=text.context, tokens=text.tokens) for text in spoken]
    tokens = access.pieces(passages)
    names = [("text", str(number)) if text.user is None else ("user", text.user) for number, text in enumerate(spoken)]
    numbers = {name: number for number, name in enumerate(sorted(set(names)))}
    each = np.array([numbers[name] for name in names], dtype=np.int64)
    return Reading(passages, tokens, np.repeat(each, [len(row) for row in tokens]))


def sums_by_person(person: npt.NDArray[np.int64], values: npt.ArrayLike, weights: npt.ArrayLike) -> FloatArray:
    """The sums of values and of weights over each person's tokens, of people whose tokens weigh something; (P, 2)."""
    sums = [np.bincount(person, np.asarray(column, dtype=np.float64)) for column in (values, weights)]
    found = np.stack(sums, axis=1)
    return np.asarray(found[found[:, 1] > 0], dtype=np.float64)


def mean_figure(metric: str, sums: FloatArray, group: Mapping[str, Any], rng: np.random.Generator) -> Measurement:
    """A mean over tokens, n people; no value where a token has none, such as the logarithm of nothing."""
    if not np.isfinite(sums).all():
        return Measurement(metric=metric, value=None, n=len(sums), arm="utility", group=dict(group))
    return _figure(metric, sums, ratio_interval(sums, rng), group)


def share_figure(
    metric: str,
    sums: FloatArray,
    group: Mapping[str, Any],
    rng: np.random.Generator,
    more: Interval | None = None,
) -> Measurement:
    """A share of tokens, n people, never surer than if each token were a trial of its own, nor than `more` allows."""
    by_person = ratio_interval(sums, rng)
    plain = wilson(float(sums[:, 0].sum()), float(sums[:, 1].sum()))
    return _figure(metric, sums, None if by_person is None else hull(by_person, plain, more), group)


def _figure(metric: str, sums: FloatArray, interval: Interval | None, group: Mapping[str, Any]) -> Measurement:
    value = ratio(sums)
    low, high = (None, None) if interval is None else (min(interval.low, value), max(interval.high, value))
    return Measurement(metric=metric, value=value, low=low, high=high, n=len(sums), arm="utility", group=dict(group))
