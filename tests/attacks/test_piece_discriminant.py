"""The decision about the token behind each vector, against a slow version that follows the definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from divulge.attacks import piece_discriminant
from divulge.attacks.piece_discriminant import PRIOR, RIDGE, PieceDiscriminant, around, fit_discriminant

WIDTH, PIECES = 5, ("a", "b", "c", "d", "e", "f")


def made_rows(
    texts: int, seed: int, means: np.ndarray, share: float = 0.4
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Vectors of texts of one to four tokens: the token's mean, a part of the one before, and noise."""
    rng = np.random.default_rng(seed)
    labels = [rng.integers(len(means), size=rng.integers(1, 5)) for _ in range(texts)]
    rows = [means[names] + 0.1 * rng.normal(size=(len(names), means.shape[1])) for names in labels]
    for row, names in zip(rows, labels, strict=True):
        row[1:] += share * means[names[:-1]]
    return [row.astype(np.float32) for row in rows], labels


MEANS = np.random.default_rng(3).normal(size=(len(PIECES), WIDTH))
ROWS, LABELS = made_rows(80, 0, MEANS)
COMMON = np.bincount(np.concatenate(LABELS), minlength=len(PIECES)).astype(float)


def fitted(rank: int = WIDTH, shrinkage: float = 0.1) -> PieceDiscriminant:
    return fit_discriminant(ROWS, LABELS, PIECES, COMMON, shrinkage=shrinkage, rank=rank)


def slow_scores(tests: list[np.ndarray], shrinkage: float) -> np.ndarray:
    """Loops over positions: regression on neighbours, shrunk means, and Mahalanobis distances."""
    names = np.concatenate(LABELS)
    own, near = slow_around(ROWS)
    means = np.stack([own[names == piece].mean(axis=0) for piece in range(len(PIECES))])
    gram = near.T @ near
    ridge = RIDGE * np.trace(gram) / len(gram) + 1e-9
    weights = np.linalg.inv(gram + ridge * np.eye(len(gram))) @ near.T @ (own - means[names])
    freed = own - near @ weights
    means = np.stack([freed[names == piece].mean(axis=0) for piece in range(len(PIECES))])
    noise = sum(np.outer(v - means[n], v - means[n]) for v, n in zip(freed, names, strict=True))
    noise = noise / (len(names) - len(PIECES))
    middle = means.mean(axis=0)
    apart = np.mean([np.sum((mean - middle) ** 2) for mean in means]) - np.trace(noise) * np.mean(1 / COMMON)
    strength = np.trace(noise) / apart
    means = np.stack([(n * mean + strength * middle) / (n + strength) for n, mean in zip(COMMON, means, strict=True)])
    inverse = np.linalg.inv((1 - shrinkage) * noise + shrinkage * np.trace(noise) / WIDTH * np.eye(WIDTH))
    prior = PRIOR * np.log((COMMON + 1) / np.sum(COMMON + 1))
    own, near = slow_around(tests)
    return np.array(
        [[prior[p] - 0.5 * (v - means[p]) @ inverse @ (v - means[p]) for p in range(6)] for v in own - near @ weights]
    )


def slow_around(rows: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    own, near = [], []
    for row in rows:
        for place, vector in enumerate(row):
            before = row[place - 1] if place > 0 else np.zeros(WIDTH)
            behind = row[place + 1] if place + 1 < len(row) else np.zeros(WIDTH)
            own.append(vector)
            near.append(np.concatenate([before, behind]))
    return np.array(own, dtype=np.float64), np.array(near, dtype=np.float64)


def test_neighbours_stand_beside_each_vector() -> None:
    """Texts of 2, 0 and 1 vectors: zeros at the ends of each, nothing of another text."""
    own, near = around([np.array([[1.0], [2.0]]), np.empty((0, 1)), np.array([[5.0]])])
    assert own.tolist() == [[1.0], [2.0], [5.0]]
    assert near.tolist() == [[0.0, 2.0], [1.0, 0.0], [0.0, 0.0]]


def test_scores_are_those_of_the_definition() -> None:
    """At full rank all six scores of each position agree up to a constant, and so does their order."""
    tests, _ = made_rows(20, 1, MEANS)
    decision, slow = fitted(), slow_scores(tests, 0.1)
    listed = decision.shortlist(decision.points(tests), 6)
    assert np.array_equal(listed.places, np.argsort(-slow, axis=1))
    expected = np.take_along_axis(slow, listed.places, axis=1)
    np.testing.assert_allclose(listed.scores - listed.scores[:, :1], expected - expected[:, :1], rtol=1e-3, atol=1e-2)


def test_neighbours_are_taken_into_account() -> None:
    """The right token is named nearly always; without the regression on neighbours, less often."""
    tests, labels = made_rows(200, 2, MEANS, share=1.0)
    truth = np.concatenate(labels)
    decision = fit_discriminant(*made_rows(400, 0, MEANS, share=1.0), PIECES, np.ones(6), shrinkage=0.01, rank=WIDTH)
    named = decision.shortlist(decision.points(tests), 1).places[:, 0]
    alone = replace(decision, nearby=np.zeros_like(decision.nearby))
    unaware = alone.shortlist(alone.points(tests), 1).places[:, 0]
    assert np.mean(named == truth) > 0.9
    assert np.mean(unaware == truth) < np.mean(named == truth) - 0.1


def test_the_directions_kept_are_those_in_which_tokens_differ() -> None:
    """Means that differ in two directions of five, under noise in all: rank 2 decides as full rank does."""
    flat = np.zeros((6, WIDTH))
    flat[:, [1, 3]] = [[2, 0], [-2, 0], [0, 2], [0, -2], [2, 2], [-2, -2]]
    rows, labels = made_rows(300, 4, flat)
    decisions = [
        fit_discriminant(rows, labels, PIECES, np.ones(6), shrinkage=0.01, rank=rank) for rank in (WIDTH, 2, 1)
    ]
    whole, two, one = (decision.shortlist(decision.points(rows), 1).places[:, 0] for decision in decisions)
    assert decisions[1].own.shape == (WIDTH, 2)
    assert np.mean(whole == two) > 0.99
    assert np.mean(whole == one) < 0.9


def test_a_token_never_seen_lies_in_the_middle() -> None:
    """It has no evidence: its point is the mean of all others', not of nowhere."""
    decision = fit_discriminant(ROWS, LABELS, (*PIECES, "unseen"), np.append(COMMON, 0), shrinkage=0.1, rank=3)
    np.testing.assert_allclose(decision.piece_points[6], np.zeros(3), atol=1e-6)
    assert np.linalg.norm(decision.piece_points[:6], axis=1).min() > 0.1


def test_rare_tokens_are_drawn_to_the_middle() -> None:
    """The same mean seen once counts for less than seen often."""
    rng = np.random.default_rng(0)
    means = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    labels = [np.array([place]) for place in (*[0] * 50, *[1] * 50, 2)]
    rows = [(means[names] + rng.normal(size=(1, 2))).astype(np.float32) for names in labels]
    rows[-1][:] = means[2]
    decision = fit_discriminant(rows, labels, ("a", "b", "c"), np.ones(3), shrinkage=1.0, rank=2)
    middle = np.mean([np.mean(rows[:50], axis=0)[0], np.mean(rows[50:100], axis=0)[0], means[2]], axis=0)
    plain = np.linalg.norm((means[2] - middle) @ decision.own)
    assert np.linalg.norm(decision.piece_points[2]) < 0.8 * plain


def test_equal_scores_stand_in_the_order_of_the_pieces() -> None:
    """A tie between all: the first ones, in order, whatever the length of the list."""
    tied = replace(fitted(), piece_points=np.zeros((6, WIDTH), np.float32), prior=np.zeros(6, np.float32))
    assert tied.shortlist(np.zeros((1, WIDTH)), 6).places.tolist() == [[0, 1, 2, 3, 4, 5]]
    assert tied.shortlist(np.zeros((1, WIDTH)), 1).places.tolist() == [[0]]
    assert tied.shortlist(np.zeros((1, WIDTH)), 99).places.shape == (1, 6)


def test_what_is_kept_decides_alike() -> None:
    """Points in half precision name the same tokens."""
    decision, (tests, _) = fitted(3), made_rows(50, 6, MEANS)
    again = PieceDiscriminant.from_arrays(PIECES, decision.arrays())
    assert decision.arrays()["piece_points"].dtype == np.float16
    assert again.width == WIDTH
    first, second = (one.shortlist(one.points(tests), 1).places for one in (decision, again))
    assert np.mean(first == second) > 0.99


@pytest.mark.parametrize("count", [1, 3])
def test_many_positions_are_decided_in_parts(count: int) -> None:
    """More positions than are taken at once: the same as one by one."""
    decision = fitted()
    points = np.random.default_rng(0).normal(size=(1100, WIDTH)) * 5
    together = decision.shortlist(points, count).places
    single = [decision.shortlist(points[place : place + 1], count).places[0].tolist() for place in (0, 511, 512, 1099)]
    assert [together[place].tolist() for place in (0, 511, 512, 1099)] == single


@pytest.mark.parametrize("count", [1, 3, 6])
def test_tokens_are_scored_in_parts(count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two at once, of six: the same as sorting the distances of all, ties in the order of the pieces."""
    monkeypatch.setattr(piece_discriminant, "TILE", 2)
    decision, points = fitted(), np.random.default_rng(1).normal(size=(40, WIDTH)) * 5
    every = np.array([[-0.5 * np.sum((point - one) ** 2) for one in decision.piece_points] for point in points])
    slow = np.argsort(-(every + decision.prior), axis=1, kind="stable")[:, :count]
    np.testing.assert_array_equal(decision.shortlist(points, count).places, slow)
    tied = replace(decision, piece_points=np.zeros((6, WIDTH), np.float32), prior=np.zeros(6, np.float32))
    assert tied.shortlist(points[:1], count).places.tolist() == [list(range(count))]


def test_points_that_half_precision_cannot_hold_are_kept_whole() -> None:
    """Vectors without any noise put tokens very far apart."""
    decision = fitted(3)
    far = replace(decision, piece_points=decision.piece_points * np.float32(1e9))
    assert far.arrays()["piece_points"].dtype == np.float32
    assert np.isfinite(far.arrays()["piece_points"]).all()


def test_masked_vectors_say_nothing_of_their_tokens() -> None:
    """Texts of one token whose vector is zeros change nothing; where all vectors are, there is still a decision."""
    masked = [np.zeros((1, WIDTH), dtype=np.float32)] * 40
    named = [np.array([number % len(PIECES)]) for number in range(40)]
    how = {"shrinkage": 0.1, "rank": WIDTH}
    found = fit_discriminant([*ROWS, *masked], [*LABELS, *named], PIECES, COMMON, **how)
    np.testing.assert_allclose(found.piece_points, fitted().piece_points, rtol=1e-4, atol=1e-4)
    blank = fit_discriminant(masked, named, PIECES, COMMON, **how)
    assert np.isfinite(blank.piece_points).all()
