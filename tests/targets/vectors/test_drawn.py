"""Vectors by name."""

from __future__ import annotations

import numpy as np

from divulge.targets.vectors.drawn import DrawnVectors, random_vectors

NUMBERS = [1.5252881, -0.7506524, -0.52952933]  # of "jazz", width 3, seed 5: as first released


def test_a_word_has_one_vector_wherever_it_stands() -> None:
    """It hangs on the word and the seed, not on the other words."""
    together = random_vectors(["go", "on"], 50, 3)
    assert together.shape == (2, 50)
    assert np.array_equal(random_vectors(["on"], 50, 3)[0], together[1])
    assert not np.array_equal(together[0], together[1])
    assert not np.array_equal(random_vectors(["on"], 50, 4)[0], together[1])
    assert random_vectors([], 50, 3).shape == (0, 50)


def test_vectors_are_standard_normal() -> None:
    """20,000 numbers: mean 0 and variance 1, to five standard errors."""
    found = random_vectors([f"word-{number}" for number in range(200)], 100, 0)
    assert abs(float(found.mean())) < 5 / np.sqrt(20_000)
    assert abs(float(found.var()) - 1) < 5 * np.sqrt(2 / 20_000)


def test_the_numbers_stay_the_same() -> None:
    """Models that were trained on them are still in stores."""
    expected = np.array(NUMBERS, dtype=np.float32)
    assert np.array_equal(random_vectors(["jazz"], 3, 5)[0], expected)


def test_every_word_is_drawn() -> None:
    """None has a vector of its own."""
    vectors = DrawnVectors(3, 5)
    assert vectors.lacking(["jazz", "rock"]) == ["jazz", "rock"]
    assert np.array_equal(vectors.of(["jazz"])[0], np.array(NUMBERS, dtype=np.float32))
