"""What a generator has memorised: where true words stand in its predictions, by how frequent they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
from pydantic import Field

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import Interval
from divulge.metrics.ratios import ratio, ratio_interval
from divulge.probes.base import Probe
from divulge.probes.word_frequencies import (
    Frequencies,
    Reading,
    mean_figure,
    reading,
    share_figure,
    sums_by_person,
)
from divulge.records import FloatArray, Measurement, Record

__all__ = ["WordStanding"]

LOWEST = -12  # all log-probabilities up to it share a bin
FIRST_BIN = 50  # words; the second bin is as wide, then each ends at twice the rank of the one before


class WordStanding(Probe):
    """How likely true words are found, and how they rank, in texts that were trained on (seen) and others (unseen).

    song2019, section 5: a model that generalises treats both alike; a gap for rare words is memory. Frequent words are
    the first 20 % by count in the training split, of the words that the model knows and that occur there; the rest are
    rare. Words that it does not know, or that no training text has, are left out; they would make unseen texts look
    harder than they are. Only `word_share` is a share of all tokens: what both kinds leave of 1 is such words.

    Ranks count from 0; behind a limited output, words not shown have the rank of that limit. Frequency ranks count from
    1. Seen texts are the split "train", unseen ones "test"; of an audit of users those are people who were not in.
    People are resampled (texts, where it is not known whose they are); n is how many have such words, or, of
    `word_share`, any. For a median the interval of the share of words up to it is turned into ranks (Woodruff's).
    """

    name = "word-standing"
    summary = "likelihood and rank of true words, frequent and rare ones, in texts seen in training and in others"
    requires = (RankedTokensAccess,)
    on_request = True

    class Options(Record):
        """Which words are frequent; what is told: of both kinds of words, their histograms, words by frequency rank."""

        frequent: Annotated[float, Field(gt=0, lt=1)] = 0.2
        by: Annotated[tuple[Literal["words", "density", "frequency"], ...], Field(min_length=1)] = ("words",)

    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures log_probability, word_rank, median_rank and word_share; density; word_rank and frequency_rank."""
        target, likely = access[RankedTokensAccess], access.get(TokenLikelihoodAccess)
        training = reading(corpus.split("train"), target)
        frequencies = Frequencies(training.tokens, target.vocabulary)
        found: dict[str, list[Measurement]] = {"words": [], "density": [], "frequency": []}
        for seen, texts in ((True, training), (False, reading(corpus.split("test"), target))):
            if not len(frequencies) or not texts.passages:
                continue
            stood = _stood(texts, frequencies, target, likely if set(self.options.by) & {"words", "density"} else None)
            for words, chosen in frequencies.groups(stood.frequency, self.options.frequent).items():
                group = {"words": words, "seen": seen}
                if "words" in self.options.by:
                    found["words"] += _standing(stood, chosen, group, rng)
                if "density" in self.options.by:
                    found["density"] += _densities(stood, chosen, group, rng)
            if "frequency" in self.options.by:
                found["frequency"] += _by_frequency(stood, len(frequencies), seen=seen, rng=rng)
        return [one for figures in found.values() for one in figures]


class _Stood(NamedTuple):
    """Tokens in a row: whose, how frequent (0 = left out), the rank and, where shown, the log-likelihood of each."""

    person: npt.NDArray[np.int64]
    frequency: npt.NDArray[np.int64]
    rank: npt.NDArray[np.int64]
    log_likelihood: FloatArray | None


def _stood(
    texts: Reading, frequencies: Frequencies, target: RankedTokensAccess, likely: TokenLikelihoodAccess | None
) -> _Stood:
    ranks = np.concatenate(target.ranks(texts.passages))
    logs = None if likely is None else np.concatenate(likely.log_likelihoods(texts.passages))
    return _Stood(texts.person, frequencies.ranks(texts.tokens), ranks, logs)


def _standing(
    stood: _Stood, chosen: npt.NDArray[np.bool_], group: dict[str, Any], rng: np.random.Generator
) -> Iterator[Measurement]:
    if chosen.any():
        if stood.log_likelihood is not None:
            sums = sums_by_person(stood.person, np.where(chosen, stood.log_likelihood, 0.0), chosen)
            yield mean_figure("log_probability", sums, group, rng)
        yield mean_figure("word_rank", sums_by_person(stood.person, stood.rank * chosen, chosen), group, rng)
        yield _median(stood, chosen, group, rng)
    yield share_figure("word_share", sums_by_person(stood.person, chosen, np.ones(len(chosen))), group, rng)


def _median(
    stood: _Stood, chosen: npt.NDArray[np.bool_], group: dict[str, Any], rng: np.random.Generator
) -> Measurement:
    ranks = stood.rank[chosen]
    value = float(np.median(ranks))
    sums = sums_by_person(stood.person, chosen & (stood.rank <= value), chosen)
    between, share = ratio_interval(sums, rng), ratio(sums)
    ends: Interval | None = None
    if between is not None:
        # As far as the share of ranks up to the median may be off, so far from the middle the median may lie.
        below, above = max(between.high - share, 0.0), max(share - between.low, 0.0)
        low, high = np.quantile(ranks, [max(0.5 - below, 0.0), min(0.5 + above, 1.0)])
        ends = Interval(min(float(low), value), max(float(high), value))
    low, high = ends or (None, None)
    return Measurement(metric="median_rank", value=value, low=low, high=high, n=len(sums), arm="utility", group=group)


def _densities(
    stood: _Stood, chosen: npt.NDArray[np.bool_], group: dict[str, Any], rng: np.random.Generator
) -> Iterator[Measurement]:
    """The share of these words in each bin of a nat; its upper end is part of a bin, its lower end is not."""
    if stood.log_likelihood is None or not chosen.any():
        return
    ends = np.ceil(np.clip(stood.log_likelihood, LOWEST, 0.0)).astype(np.int64)
    for end in range(LOWEST, 1):
        sums = sums_by_person(stood.person, chosen & (ends == end), chosen)
        name = f"{end - 1}..{end}" if end > LOWEST else f"-inf..{end}"
        yield share_figure("density", sums, {**group, "bin": name}, rng)


def _by_frequency(stood: _Stood, words: int, *, seen: bool, rng: np.random.Generator) -> Iterator[Measurement]:
    """Predicted and frequency ranks of the words in bins of frequency ranks, means over their tokens."""
    start, end = 1, FIRST_BIN
    while start <= words:
        chosen = (stood.frequency >= start) & (stood.frequency <= end)
        if chosen.any():
            group = {"frequency": f"{start}-{end}", "seen": seen}
            for metric, ranks in (("word_rank", stood.rank), ("frequency_rank", stood.frequency)):
                yield mean_figure(metric, sums_by_person(stood.person, ranks * chosen, chosen), group, rng)
        start, end = end + 1, 2 * end
