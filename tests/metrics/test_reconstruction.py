"""Likeness over rows: the attack's own choice, the oracle's, and silence."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.metrics.base import Scored
from divulge.metrics.reconstruction import (
    Bleu,
    BleuOfPairs,
    Cosine,
    ExactSentence,
    OrderAsPrinted,
    OrderSimilarity,
    Rouge,
    TokenAccuracy,
    TokenF1,
)
from divulge.records import Gaps, LeakedRow, Measurement, Ranking, RowContent, Tokens

TRUTH = ("a", "dog", "jumps", "over", "the", "fox")
SWAPPED = ("a", "fox", "jumps", "over", "the", "dog")
WRONG = ("no", "word", "of", "it")


def rows(*rankings: tuple[tuple[str, ...], ...] | None) -> Scored:
    """Rows that all hold the same sentence, and what was guessed about each; None for nothing."""
    names = [f"r{number}" for number in range(len(rankings))]
    return Scored(
        answers={name: RowContent(tokens=TRUTH) for name in names},
        hints={name: LeakedRow(row=number) for number, name in enumerate(names)},
        guesses={
            name: Ranking(secret_id=name, candidates=found)
            for name, found in zip(names, rankings, strict=True)
            if found is not None
        },
    )


def measured(metric, scored: Scored) -> tuple[Measurement, ...]:
    """All figures of a metric."""
    return metric.measure(scored, metric.outcomes(scored), "attack", np.random.default_rng(0))


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (Cosine(), 1.0),  # the same set of words
        (OrderSimilarity(), 1 - 32 / 332),
        (OrderAsPrinted(), 1 - (32 / 332) ** 0.5),
        (BleuOfPairs(), (6 / 6 * 2 / 5) ** 0.5),  # pairs in common: jumps over, over the
        (Bleu(), (1 * 2 / 5 * 1 / 4 * 1 / 6) ** 0.25),  # one triple of four; no run of four, smoothed to 1/(2 x 3)
        (Rouge(), 4 / 6),  # a jumps over the
        (ExactSentence(), 0.0),
        (TokenAccuracy(), 4 / 6),
        (TokenF1(), 1.0),
    ],
)
def test_each_metric_measures_its_own_likeness(metric, expected: float) -> None:
    """Swapping dog and fox is seen differently by every metric, and each sees it its own way."""
    (found,) = measured(metric, rows((SWAPPED,), (SWAPPED,)))
    assert found.value == pytest.approx(expected)
    assert found.metric == metric.name
    assert found.n == 2


def test_silence_counts_as_nothing_recovered() -> None:
    """A row without a guess, and one with an empty ranking, have likeness 0."""
    assert [outcome.value for outcome in Rouge().outcomes(rows((TRUTH,), None, ()))] == [1.0, 0.0, 0.0]


def test_the_oracle_is_reported_beside_the_attackers_own_choice() -> None:
    """The truth in second place counts for the oracle only; outcomes are the attacker's own."""
    scored = rows((WRONG, TRUTH), (TRUTH, WRONG), (WRONG,), None)
    own, oracle = measured(ExactSentence(), scored)
    assert (own.value, dict(own.group)) == (0.25, {})
    assert (oracle.value, dict(oracle.group)) == (0.5, {"choice": "oracle"})
    assert [outcome.value for outcome in ExactSentence().outcomes(scored)] == [0.0, 1.0, 0.0, 0.0]


def test_the_oracle_chooses_among_ten() -> None:
    """An eleventh guess is beyond "best of 10"."""
    _, tenth = measured(ExactSentence(), rows((*[WRONG] * 9, TRUTH)))
    _, eleventh = measured(ExactSentence(), rows((*[WRONG] * 10, TRUTH)))
    assert (tenth.value, eleventh.value) == (1.0, 0.0)


def test_there_is_no_oracle_without_a_choice() -> None:
    """One guess for each row gives one figure."""
    assert len(measured(Cosine(), rows((SWAPPED,), None))) == 1


def test_sentences_behind_rows_only() -> None:
    """Tokens that fill holes have metrics of their own."""
    hole = Gaps(tokens=(None,), candidates=(("a", "b"),))
    assert Cosine().applies(rows(None))
    assert not Cosine().applies(Scored(answers={"a": Tokens(tokens=("a",))}, hints={"a": hole}))
