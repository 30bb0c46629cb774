"""What a metric sees, and what it need not provide."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from divulge.metrics.base import Metric, Scored


class Silent(Metric):
    """A metric without a closed-form baseline."""

    name = "silent"
    summary = "Nothing."


def test_a_metric_without_a_closed_form_has_no_baseline() -> None:
    """`baseline` is optional."""
    assert Silent().baseline(Scored(answers={}, hints={})) == ()


def test_what_is_scored_cannot_be_swapped_afterwards() -> None:
    """Guesses and answers stay as the runner put them together."""
    scored = Scored(answers={}, hints={})
    with pytest.raises(FrozenInstanceError):
        scored.guesses = {}  # type: ignore[misc]
