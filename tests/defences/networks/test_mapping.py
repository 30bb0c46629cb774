"""A game that can be watched: eight tokens, each in its own direction, and noise in the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch

from divulge.defences.networks.mapping import Game, _Sides, play

TOKENS, WIDTH = 8, 16


def material(count: int = 600) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """Vectors with 2 in the direction of their token and noise of size 1 in the last eight directions."""
    rng = np.random.default_rng(0)
    named = rng.integers(TOKENS, size=count)
    vectors = np.zeros((count, WIDTH), dtype=np.float32)
    vectors[np.arange(count), named] = 2.0
    vectors[:, TOKENS:] = rng.normal(size=(count, WIDTH - TOKENS))
    return vectors, named[:, None]


def played(strength: float, seed: int = 0, **options: Any) -> tuple[dict[str, Any], dict[str, float]]:
    game = Game(**{"strength": strength, "rounds": 8, "hidden": 32, "classes": TOKENS, **options})
    return play(*material(), game, np.random.default_rng(seed))


def moves(weights: dict[str, Any], vectors: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """f(z), by hand."""
    hidden = np.maximum(vectors @ weights["0.weight"].T + weights["0.bias"], 0)
    return np.asarray(hidden @ weights["2.weight"].T + weights["2.bias"])


def test_without_strength_nothing_moves() -> None:
    """Distortion alone is least where it starts, at none; the adversary reads everything."""
    _, ended = played(0.0)
    assert ended == {"distortion": pytest.approx(0.0, abs=1e-9), "adversary_accuracy": 1.0}


def test_what_names_the_token_is_taken_away_and_the_rest_left() -> None:
    """Class means come nearer to each other in the first eight directions; in the others little changes."""
    vectors, named = material()
    weights, ended = played(3.0)
    shown = vectors + moves(weights, vectors)
    means = lambda rows: np.stack([rows[named[:, 0] == token, :TOKENS].mean(axis=0) for token in range(TOKENS)])  # noqa: E731
    assert means(shown).var(axis=0).sum() < 0.5 * means(vectors).var(axis=0).sum()
    noise = np.mean((shown - vectors)[:, TOKENS:] ** 2) / np.mean(vectors[:, TOKENS:] ** 2)
    assert noise < 0.3
    assert ended["distortion"] == pytest.approx(np.sum((shown - vectors) ** 2) / np.sum(vectors**2), rel=1e-4)


def test_more_strength_distorts_more() -> None:
    """It is what the adversary's certainty is weighed with against distortion."""
    distortions = [played(strength)[1]["distortion"] for strength in (0.05, 0.5, 5.0)]
    assert distortions == sorted(distortions)
    assert distortions[2] > 2 * distortions[0]


def test_the_printed_game_makes_the_truth_unlikely_at_little_length() -> None:
    """The loss is worked by hand at the end: with strength the truth is less likely to the adversary than it was."""
    vectors, _ = material()
    weights, ended = played(3.0, zero_sum=True)
    step = moves(weights, vectors)
    assert ended["distortion"] == pytest.approx(np.sum(step**2) / np.sum(vectors**2), rel=1e-4)
    assert ended["distortion"] > 0.05
    assert np.mean(np.linalg.norm(step[:, :TOKENS], axis=1)) > 2 * np.mean(np.linalg.norm(step[:, TOKENS:], axis=1))
    even, _ = played(3.0)
    assert not np.allclose(even["2.weight"], weights["2.weight"])


def test_in_the_printed_game_nothing_moves_until_it_pays() -> None:
    """A length has the same slope everywhere: vectors that were ten times as long stay, at the same strength."""
    longer = {unit: played(3.0, zero_sum=True, unit=unit)[1]["distortion"] for unit in (1.0, 10.0)}
    assert longer[10.0] == pytest.approx(0.0, abs=1e-6)
    assert longer[1.0] > 0.5
    assert played(0.0, zero_sum=True)[1]["distortion"] == pytest.approx(0.0, abs=1e-6)


def test_losses_of_the_printed_game_are_those_that_are_printed() -> None:
    """The mean log-likelihood of the true class, and the mean length of the step."""
    vectors, named = (torch.from_numpy(one) for one in material(5))
    mapping, adversary = (torch.nn.Sequential(torch.nn.Linear(WIDTH, out)) for out in (WIDTH, TOKENS))
    sides = _Sides(mapping, adversary, vectors, named, Game(1.0, 1, 1, TOKENS, zero_sum=True, unit=2.0))
    scores = torch.randn(5, TOKENS, generator=torch.Generator().manual_seed(0))
    by_hand = np.mean([float(torch.softmax(row, 0)[one].log()) for row, one in zip(scores, named[:, 0], strict=True)])
    assert float(sides._told(scores, named)) == pytest.approx(by_hand, rel=1e-5)
    step = torch.full((5, WIDTH), 3.0)
    assert float(sides._distortion(vectors, step)) == pytest.approx(2.0 * 3.0 * WIDTH**0.5)
    assert sides._distortion(vectors, torch.zeros(5, WIDTH).requires_grad_()).isfinite()


def test_several_tokens_may_stand_behind_a_vector() -> None:
    """Filled up with -1, which is nobody: the game is the same as with the first column alone where that is all."""
    vectors, named = material()
    game = Game(1.0, 2, 16, TOKENS)
    padded = np.concatenate([named, np.full_like(named, -1)], axis=1)
    one, other = (play(vectors, known, game, np.random.default_rng(0)) for known in (named, padded))
    assert one[1] == pytest.approx(other[1])
    both = np.concatenate([named, (named + 1) % TOKENS], axis=1)
    assert play(vectors, both, game, np.random.default_rng(0))[1] != pytest.approx(one[1])


def test_the_same_generator_plays_the_same_game() -> None:
    """Whatever torch's own state and threads are, and these are left as they were."""
    torch.manual_seed(1)
    before, threads = torch.get_rng_state(), torch.get_num_threads()
    first, _ = played(1.0, rounds=2)
    assert torch.equal(torch.get_rng_state(), before)
    assert torch.get_num_threads() == threads
    torch.manual_seed(2)
    again, _ = played(1.0, rounds=2)
    other, _ = played(1.0, seed=1, rounds=2)
    assert all(np.array_equal(first[name], again[name]) for name in first)
    assert not np.array_equal(first["2.weight"], other["2.weight"])
