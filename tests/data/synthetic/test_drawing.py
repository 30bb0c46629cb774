"""Weights, habits, different texts and splits."""

from __future__ import annotations

from collections import Counter
from itertools import cycle

import numpy as np
import pytest

from divulge.data.synthetic.drawing import cumulative, different, habit, skewed, with_splits
from divulge.records import Text


def test_skewed_weights() -> None:
    """With skew 1 three ranks weigh 1/2, 1/3, 1/4, that is 6, 4 and 3 of 13; with none all alike."""
    assert skewed(3, 1.0) == pytest.approx([6 / 13, 4 / 13, 3 / 13])
    assert skewed(4, 0.0) == pytest.approx([0.25] * 4)


def test_cumulative_ends_at_one() -> None:
    """Weights need not sum to one; their running sums do."""
    assert cumulative(np.array([2.0, 0.0, 6.0])) == pytest.approx([0.25, 0.25, 1.0])


def test_habits_are_even_on_average() -> None:
    """Over many persons a habit is the common weights again; a smaller evenness has stronger favourites."""
    rng = np.random.default_rng(0)
    weights = np.array([0.5, 0.3, 0.2])
    drawn = np.diff([habit(weights, 5.0, rng) for _ in range(2000)], prepend=0.0)
    # Normalising draws large shares slightly together, hence the tolerance.
    assert drawn.mean(axis=0) == pytest.approx(weights, abs=0.03)
    peaks = [
        np.diff([habit(np.full(10, 0.1), e, rng) for _ in range(300)], prepend=0.0).max(axis=1).mean()
        for e in (0.05, 1.0)
    ]
    assert peaks[0] > 0.7 > 0.4 > peaks[1]


def test_habits_survive_tiny_evenness() -> None:
    """Even where all gamma variables underflow the habit is a distribution."""
    drawn = habit(np.full(3, 1 / 3), 1e-6, np.random.default_rng(0))
    assert drawn[-1] == 1.0
    assert drawn == sorted(drawn)


def test_repeats_are_drawn_again() -> None:
    """A source that repeats each text five times gives different ones."""
    source = iter([Text(tokens=(str(i // 5),)) for i in range(100)])
    assert [text.tokens[0] for text in different(lambda: next(source), 4)] == ["0", "1", "2", "3"]


def test_an_exhausted_grammar_repeats() -> None:
    """Where there are only two texts, five are asked for and five come."""
    source = cycle([Text(tokens=("a",)), Text(tokens=("b",))])
    assert len(list(different(lambda: next(source), 5))) == 5


@pytest.mark.parametrize(
    ("count", "expected"),
    [(10, {"train": 8, "valid": 1, "test": 1}), (25, {"train": 21, "valid": 2, "test": 2}), (1, {"train": 1})],
)
def test_splits_by_share(count: int, expected: dict[str, int]) -> None:
    """Shares are rounded down and train takes the rest, so that it is never empty."""
    texts = with_splits(iter([Text(tokens=(str(i),)) for i in range(count)]), count, {"valid": 0.1, "test": 0.1})
    assert Counter(text.split for text in texts) == expected
    assert [text.tokens[0] for text in texts] == [str(i) for i in range(count)]
