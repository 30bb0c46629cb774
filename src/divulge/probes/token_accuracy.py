"""How good the generator is, through what its users are shown."""

from __future__ import annotations

import numpy as np

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import Interval
from divulge.metrics.ratios import difference_interval, ratio, ratio_interval
from divulge.probes.base import Probe
from divulge.probes.word_frequencies import reading, sums_by_person
from divulge.records import FloatArray, Measurement

__all__ = ["TokenAccuracy"]


class TokenAccuracy(Probe):
    """The share of words that rank first, per split and how much less it is on new texts; perplexity where it shows.

    Perplexity is 2 to the cross-entropy in bits, as song2019's table 1 has it. People, not words or texts, are
    resampled: what one of them wrote is alike. A text of nobody's is a person of its own.
    """

    name = "token-accuracy"
    revision = 3
    summary = "share of words ranked first, and perplexity, on the train and test splits"
    requires = (RankedTokensAccess,)

    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures train_accuracy, test_accuracy, the gap and, where likelihoods are granted, the perplexities."""
        found: list[Measurement] = []
        right: dict[str, FloatArray] = {}
        for split in ("train", "test"):
            read = reading(corpus.split(split), access[RankedTokensAccess])
            if not read.passages:
                continue
            ranks = np.concatenate(access[RankedTokensAccess].ranks(read.passages))
            right[split] = sums_by_person(read.person, ranks == 0, np.ones(len(ranks)))
            found.append(_figure(f"{split}_accuracy", right[split], ratio_interval(right[split], rng)))
            if TokenLikelihoodAccess in access:
                bits = -np.concatenate(access[TokenLikelihoodAccess].log_likelihoods(read.passages)) / np.log(2)
                found.append(_perplexity(split, sums_by_person(read.person, bits, np.ones(len(bits))), rng))
        return [*found, _gap(right["train"], right["test"], rng)] if len(right) == 2 else found


def _gap(train: FloatArray, test: FloatArray, rng: np.random.Generator) -> Measurement:
    low, high = difference_interval(train, test, rng) or (None, None)
    value, n = ratio(train) - ratio(test), min(len(train), len(test))
    return Measurement(metric="accuracy_gap", value=value, low=low, high=high, n=n, arm="utility")


def _perplexity(split: str, sums: FloatArray, rng: np.random.Generator) -> Measurement:
    metric = f"{split}_perplexity"
    if not np.isfinite(sums).all():  # a word held to be impossible: the perplexity has no value
        return Measurement(metric=metric, value=None, n=len(sums), arm="utility")
    low, high = ratio_interval(sums, rng) or (None, None)
    ends = (None if end is None else float(2**end) for end in (ratio(sums), low, high))
    value, least, most = ends
    return Measurement(metric=metric, value=value, low=least, high=most, n=len(sums), arm="utility")


def _figure(metric: str, sums: FloatArray, interval: Interval | None) -> Measurement:
    low, high = interval or (None, None)
    return Measurement(metric=metric, value=ratio(sums), low=low, high=high, n=len(sums), arm="utility")
