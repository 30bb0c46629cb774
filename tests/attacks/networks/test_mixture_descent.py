"""The descent over mixtures of words, beside exhaustive search."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.attacks.networks.mixture_descent import descend


def test_with_orthogonal_words_the_right_word_wins() -> None:
    """Each word's own vector is reached by that word alone."""
    found = descend(np.eye(6), np.eye(6), steps=100, rate=0.3, temperature=1.0)
    assert found.argmax(axis=1).tolist() == list(range(6))
    assert np.exp(found.max(axis=1)).min() > 0.95


def test_it_finds_the_word_that_trying_all_finds() -> None:
    """Noisy vectors of random words: the same word as the smallest |W_v - m|^2 over all v."""
    rng = np.random.default_rng(0)
    words = rng.normal(size=(20, 12))
    wanted = words[rng.integers(20, size=50)] + 0.2 * rng.normal(size=(50, 12))
    tried = ((wanted[:, None] - words[None]) ** 2).sum(axis=2).argmin(axis=1)
    assert np.array_equal(descend(words, wanted, steps=150, rate=0.3, temperature=1.0).argmax(axis=1), tried)


def test_a_mixture_is_found_too() -> None:
    """0.7 of one word and 0.3 of another: the shares come out, the best p over a grid of all pairs."""
    found = np.exp(descend(np.eye(3), np.array([[0.7, 0.3, 0.0]]), steps=400, rate=0.1, temperature=1.0))
    assert found[0] == pytest.approx([0.7, 0.3, 0.0], abs=0.02)


def test_the_first_step_goes_downhill() -> None:
    """The gradient in z_j is 2 p_j (W_j - W'p).(W'p - m): the word where it is least rises, where it is most falls."""
    rng = np.random.default_rng(1)
    words, wanted = rng.normal(size=(5, 3)), rng.normal(size=(4, 3))
    mixture = words.mean(axis=0)
    gradient = ((words - mixture) @ (mixture - wanted).T).T  # (wanted, words)
    found = descend(words, wanted, steps=1, rate=1e-3, temperature=1.0)
    # Adam's first step is `rate` in size whatever the gradient's, so log p falls or rises by that.
    moved = found - np.median(found, axis=1, keepdims=True)
    highest, lowest = gradient.argmin(axis=1), gradient.argmax(axis=1)
    assert (
        np.take_along_axis(moved, highest[:, None], 1) >= np.take_along_axis(moved, lowest[:, None], 1) + 1e-3
    ).all()


def test_answers_are_log_probabilities_and_do_not_depend_on_batches() -> None:
    """Rows sum to one, and a position's answer is its own."""
    rng = np.random.default_rng(2)
    words, wanted = rng.normal(size=(7, 4)), rng.normal(size=(9, 4))
    whole = descend(words, wanted, steps=20, rate=0.3, temperature=2.0)
    cut = descend(words, wanted, steps=20, rate=0.3, temperature=2.0, batch=4)
    assert np.allclose(np.exp(whole).sum(axis=1), 1, atol=1e-5)
    assert np.allclose(whole, cut, atol=1e-4)
    assert descend(words, wanted[:0], steps=2, rate=0.3, temperature=1.0).shape == (0, 7)


def test_a_higher_temperature_spreads_the_shares() -> None:
    """With as many steps of the same size, the free numbers count for less."""
    cold, hot = (descend(np.eye(4), np.eye(4), steps=20, rate=0.1, temperature=t) for t in (1.0, 5.0))
    assert np.exp(cold).max() > np.exp(hot).max()
