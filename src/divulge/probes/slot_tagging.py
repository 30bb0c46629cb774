"""How good the tagger is, through what its users are shown."""

from __future__ import annotations

import numpy as np

from divulge.access import LabelAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import bootstrap, wilson
from divulge.metrics.spans import span_counts, span_f1
from divulge.probes.base import Probe
from divulge.records import FloatArray, Measurement, Text

__all__ = ["SlotTagging"]


class SlotTagging(Probe):
    """intent_accuracy and slot_f1 on the test split; planted texts do not count. Says nothing of a plain classifier.

    A slot counts if its kind and both its ends are right. Texts, not slots, are resampled for the interval.
    """

    name = "slot-tagging"
    summary = "intent accuracy and slot F1 of a tagger on the test split"
    requires = (LabelAccess,)
    of_taggers = True

    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures intent_accuracy and slot_f1."""
        target = access[LabelAccess]
        texts = [text for text in corpus.split("test") if text.tokens and text.tags is not None]
        if not target.tag_names or not texts:
            return []
        tagged = target.tags([text.tokens for text in texts])
        counts = np.array(
            [span_counts(text.tags or (), tags) for text, tags in zip(texts, tagged, strict=True)], dtype=np.float64
        )
        least, most = bootstrap(counts, _f1, rng) or (None, None)
        f1 = Measurement(metric="slot_f1", value=_f1(counts), low=least, high=most, n=len(texts), arm="utility")
        return [*_intents(target, [text for text in texts if text.label is not None]), f1]


def _intents(target: LabelAccess, texts: list[Text]) -> list[Measurement]:
    """The share of right labels, of a tagger that gives any."""
    if not target.labels or not texts:
        return []
    said = target.label([text.tokens for text in texts])
    right = sum(target.labels[int(number)] == text.label for number, text in zip(said, texts, strict=True))
    n = len(texts)
    low, high = wilson(right, n) or (None, None)
    return [Measurement(metric="intent_accuracy", value=right / n, low=low, high=high, n=n, arm="utility")]


def _f1(counts: FloatArray) -> float:
    return span_f1(*(float(total) for total in counts.sum(axis=0)))
