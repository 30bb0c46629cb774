"""How good the classifier is, through what its users are shown."""

from __future__ import annotations

import numpy as np

from divulge.access import LabelAccess
from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import wilson
from divulge.probes.base import Probe
from divulge.records import Measurement

__all__ = ["LabelAccuracy"]


class LabelAccuracy(Probe):
    """The share of texts whose label is right, on the training, validation and test splits; planted ones do not count.

    A text of a label that the model does not know cannot be right.
    """

    name = "label-accuracy"
    summary = "share of right labels on the train, valid and test splits"
    requires = (LabelAccess,)
    of_labels = True

    def measure(self, access: Grant, corpus: Corpus, rng: np.random.Generator) -> list[Measurement]:
        """Measures train_accuracy, valid_accuracy and test_accuracy, of the splits that there are."""
        del rng
        target, found = access[LabelAccess], []
        if not target.labels:
            return []
        for split in ("train", "valid", "test"):
            texts = [t for t in corpus.split(split) if t.label is not None and not t.planted]
            if texts:
                said = target.label([text.tokens for text in texts])
                right = sum(target.labels[int(i)] == text.label for i, text in zip(said, texts, strict=True))
                low, high = wilson(right, len(texts)) or (None, None)
                metric, share = f"{split}_accuracy", right / len(texts)
                found.append(Measurement(metric=metric, value=share, low=low, high=high, n=len(texts), arm="utility"))
        return found
