"""Intent accuracy and slot F1, counted by hand."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from tests.adapters import Labels

from divulge.data.corpus import Corpus
from divulge.grants import Grant
from divulge.metrics.intervals import wilson
from divulge.probes.slot_tagging import SlotTagging
from divulge.records import Text


class Tagger(Labels):
    """Labels by the first word; calls every word "there" a place."""

    tag_names = ("O", "B-place", "I-place")

    def _tags(self, texts: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
        return [tuple("B-place" if word == "there" else "O" for word in text) for text in texts]


CORPUS = Corpus(
    (
        Text(("pin", "there"), "pin", ("O", "B-place"), split="test"),  # 1 right of 1 found, 1 there
        Text(("pin", "there", "on"), "play", ("O", "B-place", "I-place"), split="test"),  # wrong end: 0 of 1, 1 there
        Text(("stop", "on"), "stop", ("O", "B-place"), split="test"),  # none found, 1 there
        Text(("go", "there"), "pin", ("O", "O"), split="train"),
        Text(("pin",), "pin", None, split="test"),
    )
)


def test_intents_and_slots_of_the_test_split() -> None:
    """2 of 3 intents; slots: 1 right, 2 found, 3 there, so F1 = 2 / 5. Untagged and training texts do not count."""
    found = SlotTagging().measure(Grant([Tagger()]), CORPUS, np.random.default_rng(0))
    intent, slots = found
    assert [(one.metric, one.n, one.arm) for one in found] == [
        ("intent_accuracy", 3, "utility"),
        ("slot_f1", 3, "utility"),
    ]
    assert (intent.value, intent.low, intent.high) == (2 / 3, *wilson(2, 3))
    assert slots.value == 0.4
    assert slots.low <= 0.4 <= slots.high


def test_a_plain_classifier_has_no_slots() -> None:
    """No figure, not a zero."""
    assert SlotTagging().measure(Grant([Labels()]), CORPUS, np.random.default_rng(0)) == []


def test_without_tagged_test_texts_there_is_nothing_to_measure() -> None:
    """The training split does not stand in."""
    assert SlotTagging().measure(Grant([Tagger()]), CORPUS.split("train"), np.random.default_rng(0)) == []
