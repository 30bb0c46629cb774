"""What an object of this process is asked, and what becomes of its faults."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from divulge.errors import ExecutionError, OwnCodeError
from divulge.targets.own.example_ids import example_id
from divulge.targets.own.handed_access import BATCH, HandedEncoder, HandedLabels, HandedProbabilities

TEXTS = [("good", "day"), ("bad",), ("good", "day")]


def shares(texts: list[str]) -> list[list[float]]:
    """More "good" where there are more letters."""
    return [[len(text) / 10, 1 - len(text) / 10] for text in texts]


def test_probabilities_come_in_the_order_of_the_texts() -> None:
    """Words are joined by spaces: "good day" has 8 letters, "bad" 3."""
    access = HandedProbabilities(shares, ["good", "bad"], "mine")
    assert access.likelihoods(TEXTS).tolist() == [[0.8, pytest.approx(0.2)], [0.3, 0.7], [0.8, pytest.approx(0.2)]]
    assert access.label(TEXTS).tolist() == [0, 1, 0]
    assert access.likelihoods([]).shape == (0, 2)


def test_a_text_is_asked_about_once_and_in_batches() -> None:
    """600 texts, 500 of them different, come in batches of 256 at most."""
    asked: list[int] = []

    def counting(texts: list[str]) -> np.ndarray:
        asked.append(len(texts))
        return np.full((len(texts), 2), 0.5)

    texts = [(f"w{number % 500}",) for number in range(600)]
    assert HandedProbabilities(counting, ["a", "b"], "mine").likelihoods(texts).shape == (600, 2)
    assert asked == [BATCH, 500 - BATCH]


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ([[0.5, 0.5, 0.0]] * 2, r"shape \(2, 2\).*Got \(2, 3\)"),
        ([[3.0, -1.0]] * 2, "probabilities: some are negative"),
        ([[float("nan"), 1.0]] * 2, "finite numbers"),
        (None, "must answer"),
        ([["a", "b"]] * 2, "with numbers"),
    ],
)
def test_wrong_probabilities_are_told(answer: Any, said: str) -> None:
    """By the name of the function and what is wrong, without a value."""
    access = HandedProbabilities(lambda texts: answer, ["a", "b"], "mine")
    with pytest.raises(ExecutionError, match=f"^mine .*{said}"):
        access.likelihoods(TEXTS)


def test_a_function_that_raises_is_told_with_the_example() -> None:
    """By its id, never by its text nor by the words of the error, which may quote it."""

    def raising(texts: list[str]) -> list[list[float]]:
        if "bad" in texts:
            raise ValueError(f"cannot read {texts}")
        return shares(texts)

    with pytest.raises(OwnCodeError) as raised:
        HandedProbabilities(raising, ["a", "b"], "mine").likelihoods(TEXTS)
    assert f"mine raised ValueError at example {example_id('bad')} (test_handed_access.py, line" in str(raised.value)
    assert "good" not in str(raised.value)
    assert "cannot read" not in str(raised.value)


def test_a_batch_that_fails_is_tried_one_by_one() -> None:
    """A function that takes no batches is asked text by text."""

    def single(texts: list[str]) -> list[list[float]]:
        if len(texts) > 1:
            raise MemoryError
        return shares(texts)

    assert HandedProbabilities(single, ["a", "b"], "mine").label(TEXTS).tolist() == [0, 1, 0]


def test_labels_are_numbers_of_their_names() -> None:
    """Whatever a label is, its spelling counts: 1 is "1"."""
    access = HandedLabels(lambda texts: np.array([len(text) % 2 for text in texts]), ["1", "0"], "mine")
    assert access.label(TEXTS).tolist() == [1, 0, 1]
    with pytest.raises(ExecutionError, match="one of its 1 labels. It gave another at example"):
        HandedLabels(lambda texts: ["other"] * len(texts), ["a"], "mine").label(TEXTS)


def test_vectors_are_pooled_or_one_for_each_word() -> None:
    """Both shapes are taken, each text its own."""
    pooled = HandedEncoder(lambda texts: np.array([[len(text), 1.0] for text in texts]), "mine")
    assert [row.tolist() for row in pooled.embed(TEXTS)] == [[8.0, 1.0], [3.0, 1.0], [8.0, 1.0]]
    unpooled = HandedEncoder(lambda texts: [np.ones((len(text.split()), 3)) for text in texts], "mine")
    assert [row.shape for row in unpooled.embed(TEXTS)] == [(2, 3), (1, 3), (2, 3)]


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda texts: [np.ones((3, 2)) for _ in texts], r"\(words, d\) for each text. Got \(3, 2\) for 2 words"),
        (lambda texts: [np.ones(len(text)) for text in texts], "vectors of one width"),
        (lambda texts: [1.0 for _ in texts], r"Got \(\)"),
        (lambda texts: [np.ones(2)], "one item for each of 2 texts. Got 1"),
    ],
)
def test_wrong_vectors_are_told(function: Any, said: str) -> None:
    """A shape that does not belong to the text, or not to the others."""
    with pytest.raises(ExecutionError, match=said):
        HandedEncoder(function, "mine").embed(TEXTS)
