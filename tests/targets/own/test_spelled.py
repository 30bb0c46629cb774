"""Answers of own code: what passes, what is refused, and that bytes give them back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from divulge.errors import ExecutionError
from divulge.targets.own.spelled import (
    array_of,
    bytes_of,
    names_from,
    names_of,
    number_array,
    one_each,
    probability_rows,
    sum_problem,
)


def test_numbers_come_back_exactly() -> None:
    """To the last bit, and in their shape."""
    rows = np.array([[0.1, 1 / 3], [np.pi, -0.0]])
    again = array_of(bytes_of(rows))
    assert again.tobytes() == rows.tobytes()
    assert again.shape == (2, 2)
    assert names_from(names_of(("B-name", "Ö"))) == ("B-name", "Ö")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (None, "Got NoneType"),
        ("ab", "Got str"),
        ({"a": 1, "b": 2}, "Got dict"),
        (3, "Got int"),
        ([1, 2, 3], "each of 2 texts. Got 3"),
    ],
)
def test_one_item_per_text(answer: Any, said: str) -> None:
    """Text and dicts have a length too, and are none."""
    with pytest.raises(ExecutionError, match=said):
        one_each(answer, 2, "mine:predict")


def test_tensors_and_lists_are_read_alike() -> None:
    """A tensor may still carry a gradient."""
    tensor = torch.tensor([[0.25, 0.75]], requires_grad=True)
    assert probability_rows(tensor, (1, 2), "labels", "mine:predict").tolist() == [[0.25, 0.75]]
    assert probability_rows([[0.25, 0.75]], (1, 2), "labels", "mine:predict").tolist() == [[0.25, 0.75]]
    assert one_each(np.eye(2), 2, "mine:predict")[1].tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([[0.5, 0.5]], r"shape \(2, 2\), one column for each of the labels. Got \(1, 2\)"),
        ([[0.5, 0.5], [1.0]], "rows of several lengths"),
        ([["a", "b"], ["c", "d"]], "numbers. Got an array"),
        ([[0.5, 0.5], [np.nan, 1.0]], "1 of 4 are NaN or infinite"),
        ([[0.5, 0.5], [-0.5, 1.5]], "Apply a softmax"),
        ([[0.5, 0.5], [0.5, 0.25]], r"1 of 2 rows do not sum to 1 \(sums from 0.750 to 1.000\)"),
        ([[0.5, 0.5], [0.75, 0.75]], r"1 of 2 rows do not sum to 1 \(sums from 1.000 to 1.500\)"),
    ],
)
def test_what_is_no_probability_is_told(answer: Any, said: str) -> None:
    """What was found and what is expected; no value of the answer."""
    with pytest.raises(ExecutionError, match=f"mine:predict must answer with.*{said}"):
        probability_rows(answer, (2, 2), "labels", "mine:predict")


def test_rounded_probabilities_pass() -> None:
    """Three thirds shown as 0.3 may come of probabilities; as 0.2 they may not: 0.6 and three times 0.05."""
    assert sum_problem(np.full((1, 3), 0.3)) is None
    assert sum_problem(np.full((1, 3), 0.2)) is not None
    assert sum_problem(np.empty((0, 3))) is None


def test_finite_numbers_are_read_as_they_are() -> None:
    """Whole numbers become real ones."""
    assert number_array([1, 2], "mine:embed").dtype == np.float64
