"""How good the generator is, through what its users are shown."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from divulge.access import RankedTokensAccess, TokenLikelihoodAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import bootstrap
from divulge.probes.base import Probe
from divulge.records import FloatArray, Measurement, Passage

__all__ = ["TokenAccuracy"]


class TokenAccuracy(Probe):
    """The share of words that rank first, and the perplexity where likelihoods are shown, per split.

    Perplexity is 2 to the cross-entropy in bits, as song2019's table 1 has it. Texts, not words, are resampled.
    """

    name = "token-accuracy"
    revision = 2
    summary = "share of words ranked first, and perplexity, on the train and test splits"
    requires = (RankedTokensAccess,)

    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures train_accuracy, test_accuracy and, where likelihoods are granted, the perplexities."""
        found = []
        for split in ("train", "test"):
            passages = [Passage(context=t.context, tokens=t.tokens) for t in corpus.split(split) if t.tokens]
            if not passages:
                continue
            ranks = access[RankedTokensAccess].ranks(passages)
            first = np.array([[np.sum(row == 0), len(row)] for row in ranks], dtype=np.float64)
            found.append(_measured(f"{split}_accuracy", first, _share, rng))
            if TokenLikelihoodAccess in access:
                rows = access[TokenLikelihoodAccess].log_likelihoods(passages)
                bits = np.array([[-np.sum(row) / np.log(2), len(row)] for row in rows])
                found.append(_measured(f"{split}_perplexity", bits, _perplexity, rng))
        return found


def _share(sums: FloatArray) -> float:
    return float(sums[:, 0].sum() / sums[:, 1].sum())


def _perplexity(sums: FloatArray) -> float:
    return float(2 ** _share(sums))


def _measured(
    metric: str, sums: FloatArray, statistic: Callable[[FloatArray], float], rng: np.random.Generator
) -> Measurement:
    if not np.isfinite(sums).all():  # a word held to be impossible: the perplexity has no value
        return Measurement(metric=metric, value=None, n=len(sums), arm="utility")
    low, high = bootstrap(sums, statistic, rng) or (None, None)
    return Measurement(metric=metric, value=statistic(sums), low=low, high=high, n=len(sums), arm="utility")
