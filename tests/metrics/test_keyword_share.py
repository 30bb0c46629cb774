"""The share of keywords found, and false alarms, by hand."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.metrics.base import Scored
from divulge.metrics.intervals import wilson
from divulge.metrics.keyword_share import KeywordFound
from divulge.records import Keywords, LeakedRow, Measurement, Ranking

FOUND = [
    (("london",), "a flight to london"),
    (("london", "paris"), "from paris to rome"),
    (("rome",), "a flight to paris"),
    ((), "london again"),
]


def rows(found: list[tuple[tuple[str, ...], str]]) -> Scored:
    """Rows with their keywords and the sentence guessed."""
    names = [f"r{number}" for number in range(len(found))]
    return Scored(
        answers={name: Keywords(words=tuple(sorted(words))) for name, (words, _) in zip(names, found, strict=True)},
        hints={name: LeakedRow(row=number) for number, name in enumerate(names)},
        guesses={
            name: Ranking(secret_id=name, candidates=(tuple(guess.split()),))
            for name, (_, guess) in zip(names, found, strict=True)
        },
    )


def measured(scored: Scored, **options: object) -> Measurement:
    """The one figure."""
    metric = KeywordFound(options)
    (found,) = metric.measure(scored, metric.outcomes(scored), "attack", np.random.default_rng(0))
    return found


def test_every_keyword_of_every_row_is_a_trial() -> None:
    """London of the first row and Paris of the second, of four in all: 2 / 4."""
    found = measured(rows(FOUND))
    assert (found.value, found.n) == (0.5, 4)
    assert [outcome.value for outcome in KeywordFound().outcomes(rows(FOUND))] == [1.0, 0.5, 0.0, 0.0]


def test_one_keyword_is_looked_for_in_the_rows_that_have_it() -> None:
    """London is in two rows and found in one; with Wilson's interval for 1 of 2. Spelling does not matter."""
    found = measured(rows(FOUND), only=["London"])
    expected = wilson(1, 2)
    assert expected is not None
    assert (found.value, found.n) == (0.5, 2)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_false_alarms_are_of_rows_without_the_keyword() -> None:
    """London is not in the third row and the fourth, and named in the fourth: 1 / 2, by Wilson."""
    found = measured(rows(FOUND), only=["london"], among="without")
    expected = wilson(1, 2)
    assert expected is not None
    assert (found.value, found.n) == (0.5, 2)
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high))


def test_without_a_name_all_keywords_are_looked_for() -> None:
    """Of three: 0 of paris, rome; 1 of rome; 1 of london, paris; 1 of all three: (0 + 1 + 1/2 + 1/3) / 4 = 11/24."""
    found = measured(rows(FOUND), among="without")
    assert found.value == pytest.approx(11 / 24)
    assert found.n == 4


def test_a_keyword_that_no_row_has_gives_no_figure() -> None:
    """There is nothing to find, and so no share; it can be named by mistake all the same."""
    assert (measured(rows(FOUND), only=["oslo"]).value, measured(rows(FOUND), only=["oslo"]).n) == (None, 0)
    assert measured(rows(FOUND), only=["oslo"], among="without").value == 0


def test_keywords_of_one_row_are_not_independent() -> None:
    """Ten rows of four keywords, all or none found: the interval is that of ten, not of forty."""
    words = ("london", "oslo", "paris", "rome")
    together = measured(rows([(words, " ".join(words) if n < 5 else "x") for n in range(10)]))
    apart = measured(rows([((words[n % 4],), words[n % 4] if n < 20 else "x") for n in range(40)]))
    assert together.value == apart.value == 0.5
    assert None not in (together.low, together.high, apart.low, apart.high)
    assert together.high - together.low > 1.5 * (apart.high - apart.low)
