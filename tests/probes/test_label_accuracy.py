"""Right labels, counted by hand."""

from __future__ import annotations

import numpy as np
from tests.adapters import Gradients, Labels

from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import wilson
from divulge.probes.label_accuracy import LabelAccuracy
from divulge.records import Measurement, Text


def text(says: str, label: str | None, split: str = "train", **more: bool) -> Text:
    """A text that the adapter calls `says` and whose label is `label`."""
    return Text(tokens=(says, "go"), label=label, split=split, **more)


CORPUS = Corpus(
    (
        text("pin", "pin"),
        text("pin", "play"),
        text("stop", "stop"),
        text("rate", "rate"),
        text("pin", "unheard-of"),  # five count, three are right
        text("pin", None),
        text("stop", "stop", planted=True),
        text("play", "play", "test"),
        text("play", "pin", "test"),  # two count, one is right
        text("play", "play", "valid"),
    )
)


def measured(*texts: Text) -> dict[str, Measurement]:
    found = LabelAccuracy().measure(Grant([Labels()]), Corpus(texts), np.random.default_rng(0))
    return {one.metric: one for one in found}


def test_the_share_of_right_labels_per_split() -> None:
    """3 of 5 in training, 1 of 1 to validate, 1 of 2 to test; planted and unlabelled texts are out."""
    found = measured(*CORPUS)
    assert list(found) == ["train_accuracy", "valid_accuracy", "test_accuracy"]
    assert (found["valid_accuracy"].value, found["valid_accuracy"].n) == (1.0, 1)
    train, test = found["train_accuracy"], found["test_accuracy"]
    assert (train.value, train.n, train.arm) == (0.6, 5, "utility")
    assert (test.value, test.n, test.arm) == (0.5, 2, "utility")
    assert (train.low, train.high) == wilson(3, 5)


def test_a_split_without_texts_is_left_out() -> None:
    """Nothing to count is no figure."""
    assert set(measured(text("pin", "pin", "test"))) == {"test_accuracy"}
    assert measured(text("pin", None)) == {}


def test_a_stronger_grant_serves() -> None:
    """The probe asks for labels, whatever else is granted, and pays for labels only."""
    grant = Grant([Gradients()])
    LabelAccuracy().measure(grant, CORPUS, np.random.default_rng(0))
    assert grant.meter.asked == {"LabelAccess": 8}
