"""The handshake of a tagger that labels no texts, whose tags stand where labels would; and that of a best label."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from tests.adapters import Likelihoods, Tagger, Tops, labelled_texts, tagged_texts

from divulge.handshake import OwnerSample

TEXTS = tagged_texts()
SAMPLE = OwnerSample(texts=TEXTS)


def failed(access: Tagger, sample: OwnerSample = SAMPLE) -> set[str]:
    """The checks that it fails."""
    return {check.name for check in access.handshake(sample) if check.passed is False}


def broken(**methods: Callable[..., Any]) -> Tagger:
    return type("Broken", (Tagger,), methods)()  # type: ignore[no-any-return]


def test_a_sound_tagger_passes_every_check() -> None:
    """Tags, likelihoods and gradient: seven checks, none of them left out."""
    checks = Tagger().handshake(SAMPLE)
    assert [check.passed for check in checks] == [True] * 7


@pytest.mark.parametrize(
    ("method", "answer", "fails"),
    [
        ("_tags", lambda self, texts: [("O",) * len(text) for text in texts], "tags are above chance"),
        ("_tags", lambda self, texts: [("B-LOC",) * len(text) for text in texts], "accuracy is above chance"),
        (
            "_tag_likelihoods",
            lambda self, texts: [2 * row for row in Tagger._tag_likelihoods(self, texts)],
            "probabilities normalise",
        ),
        (
            "_tag_likelihoods",
            lambda self, texts: [row[:, ::-1] for row in Tagger._tag_likelihoods(self, texts)],
            "tag is the likeliest",
        ),
        (
            "_tag_likelihoods",
            lambda self, texts: [
                np.full_like(r, 1 / 3) if len(texts) == 1 else r for r in Tagger._tag_likelihoods(self, texts)
            ],
            "same text, same probabilities",
        ),
        (
            "_loss",
            lambda self, inputs, labels: {k: v.detach() for k, v in Tagger._loss(self, inputs, labels).items()},
            "gradient matches finite differences",
        ),
    ],
)
def test_a_broken_one_fails(method: str, answer: Callable[..., Any], fails: str) -> None:
    """Each in its own check."""
    assert fails in failed(broken(**{method: answer}))


def test_tags_the_model_never_heard_of_are_told() -> None:
    """Most of the data's tags are unknown: another tag set."""
    others = [replace(text, tags=tuple(f"X-{tag}" for tag in text.tags or ())) for text in TEXTS]
    assert "tags are in their places" in failed(Tagger(), OwnerSample(texts=others))


def test_without_tagged_texts_nothing_can_be_tried() -> None:
    """Untried is not passed."""
    plain = OwnerSample(texts=[replace(text, tags=None) for text in TEXTS])
    checks = {check.name: check.passed for check in Tagger().handshake(plain)}
    assert checks["tags are above chance"] is None
    assert checks["gradient matches finite differences"] is None
    empty = {check.passed for check in Tagger().handshake(OwnerSample())}
    assert empty == {None}


def test_a_model_that_drops_units_is_not_asked_to_repeat_itself() -> None:
    """What varies by its own word is not held against it; what is said to be steady and is not, is."""

    class Wavering(Tagger):
        """Another answer every time."""

        varies = True
        asked = 0

        @property
        def answers_vary(self) -> bool:
            return self.varies

        def _tags(self, texts: Sequence[tuple[str, ...]]) -> list[tuple[str, ...]]:
            self.asked += 1
            found = super()._tags(texts)
            return found if self.asked % 2 else [tuple("O" for _ in tags) for tags in found]

    access = Wavering()
    assert failed(access) == set()
    access.varies = False
    assert "same text, same tags" in failed(access)


def test_a_best_label_with_its_probability_passes_every_check() -> None:
    """Three checks of the label and three of its probability; an access that shows all of them needs no such three."""
    sample = OwnerSample(texts=labelled_texts())
    assert [check.passed for check in Tops().handshake(sample)] == [True] * 6
    assert "TopLabelAccess" not in {check.access for check in Likelihoods().handshake(sample)}


@pytest.mark.parametrize(
    ("change", "fails"),
    [
        (lambda numbers, shown, texts: (numbers, shown / 10), "probability is of the best label"),
        (lambda numbers, shown, texts: (numbers, shown if len(texts) > 1 else 0 * shown + 1), "same text, same prob"),
        (lambda numbers, shown, texts: (numbers, shown + 1), "probability is of the best label"),
    ],
)
def test_a_probability_that_is_not_the_best_labels_is_seen(change: Callable[..., Any], fails: str) -> None:
    """Too small for a best label, another one when it is asked alone, or none at all."""

    class Wrong(Tops):
        """Shows something else."""

        def _top(self, texts: Sequence[tuple[str, ...]]) -> Any:
            return change(*super()._top(texts), texts)

    checks = Wrong().handshake(OwnerSample(texts=labelled_texts()))
    assert any(check.name.startswith(fails) and check.passed is False for check in checks)


def test_one_label_for_all_texts_may_be_a_model_that_learnt_nothing() -> None:
    """The owner is told to look there too, not only for mixed-up labels; of a sound model, not."""
    sample = OwnerSample(texts=labelled_texts())
    constant = type("Constant", (Tops,), {"_label": lambda self, texts: np.zeros(len(texts), dtype=int)})()
    said = {check.name: check for check in constant.handshake(sample)}["accuracy is above chance"]
    assert said.passed is False
    assert "learnt nothing" in said.detail
    sound = {check.name: check for check in Tops().handshake(sample)}["accuracy is above chance"]
    assert sound.passed
    assert "learnt nothing" not in sound.detail
