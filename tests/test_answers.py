"""What an adapter may answer, and each way in which it may not."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from divulge import answers
from divulge.errors import ExecutionError

PASSAGES = (("a", "b"), ("c",), ())


def refused(check: Any, *arguments: Any) -> str:
    """The message of a refusal; it names the method."""
    with pytest.raises(ExecutionError, match=r"^Own\._method must ") as caught:
        check(*arguments, "Own._method")
    return str(caught.value)


def test_label_numbers_are_numbers_of_labels() -> None:
    """Any kind of whole numbers, one per text, from 0 to the last label."""
    found = answers.label_numbers([0, 2], 2, 3, "m")
    assert found.dtype == np.int64
    assert found.tolist() == [0, 2]
    assert answers.label_numbers([], 0, 3, "m").shape == (0,)
    assert answers.label_numbers(torch.tensor([1]), 1, 3, "m").tolist() == [1]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([0], r"shape (2,). Got (1,)"),
        ([[0, 1]], r"shape (2,). Got (1, 2)"),
        (3, r"shape (2,). Got ()"),
        ([0, 3], "from 0 to 2"),
        ([0, -1], "from 0 to 2"),
        ([0.0, 1.0], "whole numbers. Got an array of float64"),
        ([True, False], "whole numbers. Got an array of bool"),
        (["PinIntent", "hunter2"], "with numbers. Got an array of"),
        ([[0], [1, 2]], "an array. Got list"),
        (None, "with numbers. Got an array of object"),
    ],
)
def test_wrong_label_numbers_are_refused(answer: Any, said: str) -> None:
    """Shapes are told, values are not."""
    message = refused(answers.label_numbers, answer, 2, 3)
    assert said in message
    assert "hunter2" not in message


def test_probabilities_have_a_row_per_text() -> None:
    """(texts, labels), finite; whether they sum to 1 is for the handshake to tell."""
    assert answers.probabilities([[1, 0], [0.5, 0.5]], 2, 2, "m").dtype == np.float64
    assert answers.probabilities(np.empty((0, 3)), 0, 3, "m").shape == (0, 3)
    assert "shape (2, 3). Got (3, 2)" in refused(answers.probabilities, np.ones((3, 2)), 2, 3)
    assert "finite numbers" in refused(answers.probabilities, [[np.nan, 1.0]], 1, 2)
    assert "an array. Got Tensor" in refused(answers.probabilities, torch.ones(1, 2, requires_grad=True), 1, 2)


def test_ranks_are_one_per_token() -> None:
    """As many rows as passages, as many ranks as tokens, none below 0."""
    found = answers.token_ranks([[0, 5], [3], []], PASSAGES, "m")
    assert [row.tolist() for row in found] == [[0, 5], [3], []]
    assert "for each of 3 questions. Got 2" in refused(answers.token_ranks, [[0, 5], [3]], PASSAGES)
    assert "shape (2,). Got (1,)" in refused(answers.token_ranks, [[0], [3], []], PASSAGES)
    assert "shape (2,). Got (1, 2)" in refused(answers.token_ranks, [[[0, 1]], [3], []], PASSAGES)
    assert "ranks from 0 on" in refused(answers.token_ranks, [[0, -1], [3], []], PASSAGES)
    assert "whole numbers" in refused(answers.token_ranks, [[0.5, 1], [3], []], PASSAGES)


def test_best_tokens_are_one_per_position() -> None:
    """Texts, as many as there are positions; one text is not a row of letters."""
    assert answers.token_texts([["x", "y"], ("z",), []], PASSAGES, "m") == [("x", "y"), ("z",), ()]
    for wrong in ([["x"], ["z"], []], ["xy", ["z"], []], [[1, 2], ["z"], []], [["x", "y"], ["z"]]):
        refused(answers.token_texts, wrong, PASSAGES)


def test_log_likelihoods_may_be_minus_infinity_only() -> None:
    """A model may hold a token to be impossible; NaN and plus infinity are faults."""
    found = answers.token_numbers([[-1, -np.inf], [0.0], []], PASSAGES, "m")
    assert found[0].tolist() == [-1.0, -np.inf]
    assert all(row.dtype == np.float64 for row in found)
    for wrong in (np.nan, np.inf):
        assert "below infinity" in refused(answers.token_numbers, [[-1, wrong], [0.0], []], PASSAGES)
    assert "shape (1,). Got (2,)" in refused(answers.token_numbers, [[-1, -2], [0.0, 1.0], []], PASSAGES)
    assert "Got 1" in refused(answers.token_numbers, [[-1, -2]], PASSAGES)


def test_vectors_are_all_of_one_width() -> None:
    """(d,) for all or (tokens, d) for all; lengths may differ, widths may not."""
    assert [row.shape for row in answers.vector_rows([np.ones((2, 3)), np.ones((0, 3))], 2, "m")] == [(2, 3), (0, 3)]
    assert [row.shape for row in answers.vector_rows([[1, 2]], 1, "m")] == [(2,)]
    assert answers.vector_rows([], 0, "m") == []
    for wrong in ([np.ones(3), np.ones((1, 3))], [np.ones((2, 3)), np.ones((2, 4))], [np.ones((1, 1, 3))] * 2, [1, 2]):
        assert "all of one width" in refused(answers.vector_rows, wrong, 2)
    assert "finite" in refused(answers.vector_rows, [[np.inf]], 1)
    assert "Got 1" in refused(answers.vector_rows, [[1.0]], 2)
    assert "Got 3" in refused(answers.vector_rows, [[1.0]] * 3, 2)


def test_input_vectors_are_one_per_token() -> None:
    """(tokens, d)."""
    assert answers.input_vectors(torch.ones(2, 3), 2, "m").shape == (2, 3)
    assert "shape (2, d). Got (3, 2)" in refused(answers.input_vectors, torch.ones(3, 2), 2)
    assert "shape (2, d). Got (2,)" in refused(answers.input_vectors, torch.ones(2), 2)


def test_losses_are_one_per_text() -> None:
    """At least one part, none of them averaged over the batch."""
    assert set(answers.losses({"intent": torch.ones(2), "slots": torch.zeros(2)}, 2, "m")) == {"intent", "slots"}
    assert "part 'slots' in shape (2,). Got ()" in refused(
        answers.losses, {"intent": torch.ones(2), "slots": torch.tensor(1.0)}, 2
    )
    assert "at least one part" in refused(answers.losses, {}, 2)
