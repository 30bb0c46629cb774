"""Exhaustive ranking and coordinate descent by the discrete loss."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.attacks.pins import DIGITS, TABLE, TableTagger, pin_hint

from divulge.attacks.discrete_search import DiscreteSearch
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Ranking


def search(options: dict[str, int], limit: int | None = None, seed: int = 0) -> tuple[list[Ranking], Grant]:
    grant = Grant([TableTagger(TABLE)], limit)
    found = DiscreteSearch(options).guess(grant, {"a": pin_hint()}, Artefact(), np.random.default_rng(seed))
    return list(found), grant  # type: ignore[arg-type]


def test_every_completion_is_ranked_by_its_loss() -> None:
    """Best first: 2 0 (2.25), then 1 0 (3.25), then 2 2 and 0 0 (4.25 each, in order of spelling)."""
    (ranking,), grant = search({})
    assert ranking.candidates[:4] == (("2", "0"), ("1", "0"), ("0", "0"), ("2", "2"))
    assert ranking.scores[:4] == (-2.25, -3.25, -4.25, -4.25)
    assert len(ranking.candidates) == 9
    assert grant.meter.asked == {"GradientAccess": 9}


def test_only_so_many_completions_are_named() -> None:
    """`keep` cuts the list after the best."""
    (ranking,), _ = search({"keep": 2})
    assert ranking.candidates == (("2", "0"), ("1", "0"))


def test_beyond_the_limit_it_descends_hole_by_hole() -> None:
    """With no exhaustive search one restart finds the best completion of a loss without valleys."""
    (ranking,), grant = search({"exhaustive_up_to": 1, "restarts": 1})
    assert ranking.candidates[0] == ("2", "0")
    assert grant.meter.total <= 9


def test_descent_keeps_each_hole_to_its_own_candidates() -> None:
    """The first hole is offered no 2, the second no 0: 1 2 is best of what is allowed, and nothing else is tried."""
    hint = Gaps(tokens=("pin", "is", None, None), label="PinIntent", candidates=(("0", "1"), ("1", "2")))
    attack = DiscreteSearch({"exhaustive_up_to": 1, "restarts": 3})
    (found,) = attack.guess(Grant([TableTagger(TABLE)]), {"a": hint}, Artefact(), np.random.default_rng(0))
    assert found.candidates[0] == ("1", "2")  # type: ignore[union-attr]
    assert all(a in ("0", "1") and b in ("1", "2") for a, b in found.candidates)  # type: ignore[union-attr]


def test_restarts_leave_a_valley() -> None:
    """A loss with two valleys: one restart may stay in the worse one, twenty find the better."""

    class Valleys(TableTagger):
        def _loss(self, inputs, labels):  # type: ignore[no-untyped-def]
            first, second = inputs[:, 2, 2:], inputs[:, 3, 2:]  # (B, 3) one-hot digits
            agree = (first * second).sum(dim=1)  # equal digits form valleys; 0 0 is the deepest
            return {"slots": 5 - 3 * agree - first[:, 0] * second[:, 0]}

    def best(restarts: int, seed: int) -> tuple[str, ...]:
        attack = DiscreteSearch({"exhaustive_up_to": 1, "restarts": restarts})
        found = attack.guess(Grant([Valleys(TABLE)]), {"a": pin_hint()}, Artefact(), np.random.default_rng(seed))
        return next(found).candidates[0]  # type: ignore[union-attr]

    assert {best(1, seed) for seed in range(12)} == {("0", "0"), ("1", "1"), ("2", "2")}
    assert {best(20, seed) for seed in range(12)} == {("0", "0")}


@pytest.mark.parametrize("limit", [1, 4, 8])
def test_a_budget_below_the_space_is_spent_on_a_random_part(limit: int) -> None:
    """It asks exactly what it may, and ranks what it asked."""
    (ranking,), grant = search({}, limit)
    assert grant.meter.total == limit
    assert len(ranking.candidates) == limit


def test_score_is_minus_the_loss() -> None:
    """The best completion has the largest score."""
    grant = Grant([TableTagger(TABLE)])
    scores = DiscreteSearch().score(grant, pin_hint(), list(itertools.product(DIGITS, DIGITS)), Artefact())
    assert scores.max() == scores[6] == -2.25  # 2 0 is number 6 of the product


def test_cost_is_the_space_or_a_few_sweeps() -> None:
    """9 completions fit; with exhaustive_up_to 5 the estimate is 20 restarts x 4 sweeps x 6 moves."""
    assert DiscreteSearch.cost(DiscreteSearch.Options(), pin_hint()) == 9
    assert DiscreteSearch.cost(DiscreteSearch.Options(exhaustive_up_to=5), pin_hint()) == 480


def test_gaps_in_the_middle_are_filled_where_they_stand() -> None:
    """A hole between known tokens takes its own candidates."""
    hint = Gaps(tokens=("pin", "is", None, "0"), label="PinIntent", candidates=(DIGITS,))
    found = DiscreteSearch().guess(Grant([TableTagger(TABLE)]), {"a": hint}, Artefact(), np.random.default_rng(0))
    assert next(found).candidates[0] == ("2",)  # type: ignore[union-attr]
