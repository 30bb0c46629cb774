"""One name, two questions: whole tuples and membership."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.metrics.accuracy import Accuracy
from divulge.metrics.base import Scored
from divulge.metrics.intervals import wilson
from divulge.records import Gaps, Guess, LeakedRow, Member, Ranking, Tokens, UserTexts, Verdict


def test_accuracy_of_whole_tuples() -> None:
    """One right, one nearly right, one not guessed: a third. Chance with 3 x 4 completions is a twelfth."""
    hint = Gaps(tokens=(None, "and", None), candidates=(("a", "b", "c"), ("a", "b", "c", "d")))
    scored = Scored(
        answers={name: Tokens(tokens=("a", "d")) for name in "xyz"},
        hints=dict.fromkeys("xyz", hint),
        guesses={
            "x": Ranking(secret_id="x", candidates=(("a", "d"), ("a", "c"))),
            "y": Ranking(secret_id="y", candidates=(("a", "c"), ("a", "d"))),
        },
    )
    metric = Accuracy()
    assert metric.applies(scored)
    outcomes = metric.outcomes(scored)
    assert [outcome.value for outcome in outcomes] == [1.0, 0.0, 0.0]
    (found,) = metric.measure(scored, outcomes, "attack", np.random.default_rng(0))
    assert (found.value, found.low, found.high) == pytest.approx((1 / 3, *wilson(1, 3)))
    assert metric.baseline(scored)[0].value == pytest.approx(1 / 12)


def test_accuracy_of_verdicts() -> None:
    """A member above zero and another at zero are right; the reverse, and silence, are wrong."""
    members = {"a": True, "b": True, "c": False, "d": False, "e": True, "f": False}
    statistics = {"a": 0.5, "b": -0.5, "c": 0.0, "d": 2.0}
    guesses: dict[str, Guess] = {name: Verdict(secret_id=name, statistic=value) for name, value in statistics.items()}
    scored = Scored(
        answers={name: Member(used=used) for name, used in members.items()},
        hints=dict.fromkeys(members, UserTexts(examples=())),
        guesses=guesses,
    )
    metric = Accuracy()
    assert metric.applies(scored)
    assert [outcome.value for outcome in metric.outcomes(scored)] == [1.0, 0.0, 1.0, 0.0, 0.0, 0.0]
    assert metric.baseline(scored)[0].value == 0.5


def test_accuracy_is_not_about_rows() -> None:
    """Sentences behind rows have `exact` and `token_accuracy` instead."""
    scored = Scored(answers={"a": Tokens(tokens=("x",))}, hints={"a": LeakedRow(row=0)})
    assert not Accuracy().applies(scored)
