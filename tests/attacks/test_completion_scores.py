"""Scores of completions, plain and calibrated."""

from __future__ import annotations

import numpy as np
import pytest
from tests.attacks.pins import TABLE, TableTagger, pin_hint
from tests.attacks.tables import TableLabels

from divulge.adversary import Practice
from divulge.attacks.completion_loss import CompletionLoss
from divulge.attacks.completion_scores import CompletionScores, references_for
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Gaps

OTHER = (TABLE[0], TABLE[1], (9, 9, 1.0, 1.0, 3.0), (9, 9, 0.5, 0.5, 2.5))
ROWS = np.array([[2, 0], [0, 0]])


def loss(table: tuple[tuple[float, ...], ...]) -> CompletionLoss:
    return CompletionLoss(TableTagger(table), pin_hint())


def test_the_score_is_the_loss_minus_the_weighted_mean_of_the_references() -> None:
    """Target 2.25 and 4.25; references 2.25, 4.25 and (0.75 + 3 + 0.5) 4.25, (0.75 + 1 + 0.5) 2.25: mean 3.25 both."""
    scores = CompletionScores(loss(TABLE), [loss(TABLE), loss(OTHER)], 0.5)
    assert scores(ROWS).tolist() == [2.25 - 1.625, 4.25 - 1.625]
    assert CompletionScores(loss(TABLE))(ROWS).tolist() == [2.25, 4.25]


def test_slopes_are_calibrated_too() -> None:
    """Hole 0: 3 2 1 less twice the reference's 1 1 3."""
    scores = CompletionScores(loss(TABLE), [loss(OTHER)], 2.0)
    assert scores.slopes(ROWS[:1], 0).tolist() == [[1.0, 0.0, -5.0]]


def test_what_is_affordable_counts_the_askings_of_one_completion() -> None:
    """Ten examples are three completions at three askings each."""
    from divulge.access import GradientAccess

    target = Grant([TableTagger(TABLE)], 10)[GradientAccess]
    assert CompletionScores(CompletionLoss(target, pin_hint(), masks=3)).affordable == 3
    assert CompletionScores(loss(TABLE)).affordable is None


class Named(TableTagger):
    """Knows other labels, or tags."""

    def __init__(self, labels: tuple[str, ...], tags: tuple[str, ...] = ()) -> None:
        super().__init__(TABLE)
        self._named, self._tagged = labels, tags

    @property
    def labels(self) -> tuple[str, ...]:
        return self._named

    @property
    def tag_names(self) -> tuple[str, ...]:
        return self._tagged


def test_only_models_that_know_label_and_tags_are_references() -> None:
    """Of five models, one lacks the label, one a tag, one has no gradients; two are left."""
    hint = Gaps(tokens=("pin", None), label="PinIntent", tags=("O", "B"), candidates=(("0",),))
    models = [
        Named(("PinIntent",), ("O", "B", "I")),
        Named(("Other",), ("O", "B")),
        Named(("PinIntent",), ("O",)),
        TableLabels({}, labels=("PinIntent", "b", "c")),
        Named(("PinIntent",)),
    ]
    found = references_for(hint, [Practice(Grant([model])) for model in models])
    assert [access.inner for access in found] == [models[0], models[4]]  # type: ignore[attr-defined]


@pytest.mark.parametrize("models", [[], [Named(("Other",))]])
def test_without_any_reference_it_says_what_to_do(models: list[Named]) -> None:
    """Calibration against nothing is refused."""
    with pytest.raises(InputError, match=f"of {len(models)} models .* none .*calibrate to 'none'"):
        references_for(pin_hint(), [Practice(Grant([model])) for model in models])
