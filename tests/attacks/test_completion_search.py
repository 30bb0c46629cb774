"""Ranking all completions, and the search beyond, against brute force."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from divulge.attacks.completion_scores import CompletionScores
from divulge.attacks.completion_search import CompletionSearch, Effort, Found, rank_all

Landscape = Callable[[np.ndarray], np.ndarray]
EFFORT = Effort(restarts=16, sweeps=20, generations=3, beam=4, top=1000, pairs_up_to=6000)


class Scores(CompletionScores):
    """Any function of numbers, with a count of what was asked and a limit."""

    def __init__(
        self, sizes: tuple[int, ...], landscape: Landscape, limit: int | None = None, blur: float | None = None
    ) -> None:
        self.sizes, self.landscape, self.limit, self.blur = sizes, landscape, limit, blur
        self.asked: list[tuple[int, ...]] = []
        self.sloped = 0

    @property
    def has_rough(self) -> bool:
        return self.blur is not None

    @property
    def magnified(self) -> float:
        return 1.0

    def rough(self, numbers: np.ndarray) -> np.ndarray:
        """Off by up to `blur`, by a rule that has nothing to do with the score."""
        odd = np.sin(1e3 * numbers @ np.arange(1, len(self.sizes) + 1))
        return self.landscape(numbers) + (self.blur or 0.0) * odd

    @property
    def affordable(self) -> int | None:
        return None if self.limit is None else self.limit - len(self.asked) - self.sloped

    def __call__(self, numbers: np.ndarray) -> np.ndarray:
        self.asked += [tuple(row) for row in numbers.tolist()]
        assert self.affordable is None or self.affordable >= 0
        return self.landscape(numbers)

    def slopes(self, numbers: np.ndarray, hole: int) -> np.ndarray:
        """The exact differences, as a gradient would tell of a linear landscape."""
        self.sloped += len(numbers)
        assert self.affordable is None or self.affordable >= 0
        moves = np.repeat(numbers[:, None], self.sizes[hole], axis=1)
        moves[:, :, hole] = np.arange(self.sizes[hole])
        return self.landscape(moves.reshape(-1, len(self.sizes))).reshape(len(numbers), -1)


def rough(seed: int, sizes: tuple[int, ...]) -> Landscape:
    """Every pair of holes has a table of its own: no hole can be settled alone."""
    rng = np.random.default_rng(seed)
    pairs = list(itertools.combinations(range(len(sizes)), 2))
    tables = {(a, b): rng.normal(size=(sizes[a], sizes[b])) for a, b in pairs}
    return lambda rows: sum(table[rows[:, a], rows[:, b]] for (a, b), table in tables.items())


def every(sizes: tuple[int, ...]) -> np.ndarray:
    return np.array(list(itertools.product(*(range(size) for size in sizes))))


def searched(scores: Scores, effort: Effort = EFFORT, keep: int = 5, seed: int = 0) -> Found:
    return CompletionSearch(scores, effort, np.random.default_rng(seed)).run(keep)


def test_all_are_ranked_as_brute_force_ranks_them() -> None:
    """Holes of 3, 4 and 2 candidates; the seven best of 24, each asked about once."""
    scores = Scores((3, 4, 2), rough(0, (3, 4, 2)))
    found = rank_all(scores, 7, np.random.default_rng(0))
    rows = every((3, 4, 2))
    losses = scores.landscape(rows)
    order = np.argsort(losses)[:7]
    assert found.numbers.tolist() == rows[order].tolist()
    assert found.scores.tolist() == losses[order].tolist()
    assert sorted(scores.asked) == [tuple(row) for row in rows.tolist()]


def test_ranking_in_chunks_is_ranking_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ties across chunks the order of numbers stands."""

    def steps(rows: np.ndarray) -> np.ndarray:
        return (rows.sum(axis=1) % 3).astype(float)

    whole = rank_all(Scores((5, 5), steps), 12, np.random.default_rng(0))
    monkeypatch.setattr("divulge.attacks.completion_search.CHUNK", 4)
    parts = rank_all(Scores((5, 5), steps), 12, np.random.default_rng(0))
    assert parts.numbers.tolist() == whole.numbers.tolist()
    slow = sorted(every((5, 5)).tolist(), key=lambda row: (sum(row) % 3, row))[:12]
    assert whole.numbers.tolist() == slow


def test_a_budget_below_the_space_is_spent_on_a_random_part() -> None:
    """Ten of 24, not the first ten."""
    scores = Scores((3, 4, 2), rough(0, (3, 4, 2)), limit=10)
    found = rank_all(scores, 100, np.random.default_rng(0))
    assert len(found.numbers) == len(set(scores.asked)) == 10
    assert set(scores.asked) != {tuple(row) for row in every((3, 4, 2))[:10].tolist()}


@pytest.mark.parametrize("seed", range(8))
def test_search_finds_the_least_of_a_rough_landscape(seed: int) -> None:
    """Six holes of six candidates with a random table for every pair: the least of 46,656, with far fewer asked."""
    scores = Scores((6,) * 6, rough(seed, (6,) * 6))
    found = searched(scores, seed=seed)
    assert found.scores[0] == scores.landscape(every((6,) * 6)).min()
    assert len(set(scores.asked)) == len(scores.asked) < 46_656 / 3


@pytest.mark.parametrize(("pairs_up_to", "finds"), [(6000, True), (0, False)])
def test_two_tokens_that_must_change_together_are_found_by_pairs(pairs_up_to: int, finds: bool) -> None:
    """Ten holes: all zeros is a valley; holes 3 and 7 at 5 together are better, either alone is much worse."""

    def trap(rows: np.ndarray) -> np.ndarray:
        first, second = rows[:, 3] == 5, rows[:, 7] == 5
        others = (np.delete(rows, [3, 7], axis=1) != 0).sum(axis=1)
        here = np.where(first & second, -1.0, np.where(first | second, 50.0, (rows[:, [3, 7]] != 0).sum(axis=1)))
        return others + here

    effort = EFFORT._replace(restarts=2, generations=0, pairs_up_to=pairs_up_to)
    found = searched(Scores((10,) * 10, trap), effort)
    assert (found.numbers[0].tolist() == [0, 0, 0, 5, 0, 0, 0, 5, 0, 0]) == finds


def test_crossings_join_what_two_descents_found() -> None:
    """Blocks of three holes that are right only together: no single start has all, their children do."""
    answer = np.arange(9) % 4

    def blocks(rows: np.ndarray) -> np.ndarray:
        right = (rows == answer).reshape(len(rows), 3, 3).sum(axis=2)
        return np.array([3.0, 3.5, 3.2, 0.0])[right].sum(axis=1)

    def best(generations: int, seed: int) -> float:
        effort = EFFORT._replace(restarts=6, generations=generations, pairs_up_to=0, beam=6)
        return float(searched(Scores((4,) * 9, blocks), effort, seed=seed).scores[0])

    without, crossed = (np.mean([best(count, seed) for seed in range(6)]) for count in (0, 6))
    assert crossed < without


@pytest.mark.parametrize("top", [1, 4])
def test_in_a_large_hole_only_what_the_gradient_likes_is_asked(top: int) -> None:
    """Two holes of 500 words: found with at most top + 1 questions a hole, row and sweep, and one for the slope."""
    table = np.random.default_rng(0).normal(size=(2, 500))
    scores = Scores((500, 500), lambda rows: table[0, rows[:, 0]] + table[1, rows[:, 1]])
    found = searched(scores, EFFORT._replace(restarts=3, generations=0, top=top))
    assert found.numbers[0].tolist() == table.argmin(axis=1).tolist()
    assert len(scores.asked) <= 3 * 2 * 2 * (top + 1) + 3


@pytest.mark.parametrize("limit", [1, 2, 7, 40, 333])
@pytest.mark.parametrize("top", [2, 1000])
def test_a_spent_budget_leaves_what_was_found(limit: int, top: int) -> None:
    """Never more than the limit (the scores assert it), and the best of what was asked comes first."""
    scores = Scores((6,) * 6, rough(1, (6,) * 6), limit)
    found = searched(scores, EFFORT._replace(top=top), keep=3)
    assert len(scores.asked) + scores.sloped <= limit
    assert found.scores.tolist() == sorted(scores.landscape(np.array(scores.asked)))[:3]


def test_same_seed_same_search() -> None:
    """Equal generators ask the same in the same order."""
    one, two = (Scores((5,) * 7, rough(2, (5,) * 7)) for _ in range(2))
    assert searched(one, seed=3).numbers.tolist() == searched(two, seed=3).numbers.tolist()
    assert one.asked == two.asked


def test_a_flat_landscape_ends_at_once_and_is_listed_in_order() -> None:
    """All equal: nothing is better, the list follows the numbers."""
    found = searched(Scores((4,) * 3, lambda rows: np.zeros(len(rows))), keep=100)
    assert found.numbers.tolist() == sorted(found.numbers.tolist())


def test_one_hole_is_searched_too() -> None:
    """No pairs, nothing to cross."""
    table = np.random.default_rng(5).normal(size=50)
    assert searched(Scores((50,), lambda rows: table[rows[:, 0]])).numbers[0, 0] == table.argmin()


def test_a_rough_score_changes_nothing_but_what_is_asked_precisely() -> None:
    """Blurred by less than it may err, all and searched alike end in the exact scores of the exact best."""
    landscape = rough(3, (6, 6, 6, 6))
    rows = every((6, 6, 6, 6))
    best = rows[np.argsort(landscape(rows))[:5]].tolist()
    for found in (rank_all(Scores((6, 6, 6, 6), landscape, blur=9e-5), 5, np.random.default_rng(0)),
                  searched(Scores((6, 6, 6, 6), landscape, blur=9e-5))):  # fmt: skip
        assert found.numbers[0].tolist() == best[0]
        assert found.scores.tolist() == landscape(found.numbers).tolist()
    few = Scores((6, 6, 6, 6), landscape, blur=9e-5)
    assert rank_all(few, 5, np.random.default_rng(0)).numbers.tolist() == best
    assert len(few.asked) < 20  # of 1,296


def test_where_all_are_equally_good_all_are_asked_precisely() -> None:
    """Losses that saturate: a rough score cannot tell the best, so it must leave out none."""
    scores = Scores((4, 4, 4), lambda at: 1e-9 * (at @ np.array([1, 4, 16]) * 37 % 64), blur=9e-5)
    found = rank_all(scores, 3, np.random.default_rng(0))
    assert len(scores.asked) == 64
    assert found.scores.tolist() == pytest.approx([0.0, 1e-9, 2e-9])
