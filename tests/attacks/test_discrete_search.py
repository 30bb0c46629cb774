"""Exhaustive ranking and coordinate descent by the discrete loss."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.attacks.pins import DIGITS, TABLE, TableTagger, pin_hint

from divulge.access import GradientAccess
from divulge.adversary import Knowledge, Practice
from divulge.attacks.discrete_search import DiscreteSearch
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import Artefact, Gaps, Ranking
from divulge.testing import world


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
        alone = {"generations": 0, "pairs_up_to": 0}
        attack = DiscreteSearch({"exhaustive_up_to": 1, "restarts": restarts, **alone})
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


def test_cost_is_the_space_or_what_a_search_asks() -> None:
    """9 completions fit; beyond, never more than there are, and `masks` times as many examples."""
    assert DiscreteSearch.cost(DiscreteSearch.Options(), pin_hint()) == 9
    assert DiscreteSearch.cost(DiscreteSearch.Options(exhaustive_up_to=5, masks=3), pin_hint()) == 27
    hint = Gaps(tokens=(None,) * 6, candidates=(tuple("0123456789"),) * 6)
    # 10 restarts x 60 x (5 + 0.7 x 2) = 3,840, and 4 beams of 15 pairs of 100
    options = DiscreteSearch.Options(restarts=10, generations=2, beam=4)
    assert DiscreteSearch.cost(options, hint) == 3840 + 6000


def test_gaps_in_the_middle_are_filled_where_they_stand() -> None:
    """A hole between known tokens takes its own candidates."""
    hint = Gaps(tokens=("pin", "is", None, "0"), label="PinIntent", candidates=(DIGITS,))
    found = DiscreteSearch().guess(Grant([TableTagger(TABLE)]), {"a": hint}, Artefact(), np.random.default_rng(0))
    assert next(found).candidates[0] == ("2",)  # type: ignore[union-attr]


@pytest.mark.parametrize("exhaustive_up_to", [1, 100_000])
def test_several_runs_of_holes_and_any_prefix(exhaustive_up_to: int) -> None:
    """Holes at places 0, 2 and 3 around a known token: each is filled by its own column's best, in its own order."""
    hint = Gaps(tokens=(None, "is", None, None), label="PinIntent", candidates=(("2", "pin"), ("1", "0"), ("2", "0")))
    attack = DiscreteSearch({"exhaustive_up_to": exhaustive_up_to})
    (found,) = attack.guess(Grant([TableTagger(TABLE)]), {"a": hint}, Artefact(), np.random.default_rng(0))
    assert found.candidates[:2] == (("pin", "1", "0"), ("pin", "0", "0"))  # type: ignore[union-attr] # 3.25 and 4.25


def test_the_order_of_candidates_changes_nothing() -> None:
    """Ties are ordered by spelling, so that a hint that names the truth first gains nothing by it."""
    flat = [[1.0] * 5] * 4
    turned = Gaps(tokens=("pin", "is", None, None), label="PinIntent", candidates=(DIGITS[::-1], DIGITS[::-1]))
    for options in ({}, {"exhaustive_up_to": 1}):
        one, two = (
            list(
                DiscreteSearch(options).guess(
                    Grant([TableTagger(flat)]), {"a": h}, Artefact(), np.random.default_rng(0)
                )
            )
            for h in (pin_hint(), turned)
        )
        assert one == two


@pytest.mark.parametrize("exhaustive_up_to", [1, 100_000])
def test_the_whole_vocabulary_of_hundreds_of_words(exhaustive_up_to: int) -> None:
    """Two holes of 300 words each, one pair learnt by heart: found among 90,000, with gradients by asking less."""
    here = world(GradientAccess, leaky=True, secrets=3)
    words = tuple(f"word{number}" for number in range(290))
    for secret in here.case.secrets:
        hint, answer = secret.hint, secret.answer.tokens  # type: ignore[union-attr]
        assert isinstance(hint, Gaps)
        two = (*hint.tokens[: hint.holes[0]], answer[0], None, None)
        wide = Gaps(
            tokens=two,
            label=hint.label,
            tags=hint.tags,
            candidates=tuple((*words, *own) for own in hint.candidates[1:]),
        )
        grant = here.access.limited(here.access.levels, 100_000)
        attack = DiscreteSearch({"exhaustive_up_to": exhaustive_up_to, "restarts": 16})
        (found,) = attack.guess(grant, {"a": wide}, Artefact(), np.random.default_rng(0))
        assert found.candidates[0] == answer[1:]  # type: ignore[union-attr]
        assert exhaustive_up_to > 1 or grant.meter.total < 20_000


class Everywhere(TableTagger):
    """1 1 has a low loss in every model; the target has also learnt 2 0, not quite as low."""

    def __init__(self, *, planted: bool) -> None:
        super().__init__(TABLE)
        self.planted = planted

    def _loss(self, inputs, labels):  # type: ignore[no-untyped-def]
        first, second = inputs[:, 2, 2:], inputs[:, 3, 2:]  # (B, 3) one-hot digits
        usual = 5 - 4.5 * first[:, 1] * second[:, 1]
        return {"intent": usual / 2, "slots": usual / 2 - self.planted * 4 * first[:, 2] * second[:, 0]}


def calibrated(options: dict[str, object], shadows: int = 2) -> tuple[Ranking, np.ndarray]:
    """The ranking, and the scores of 1 1 and 2 0."""
    practice = tuple(Practice(Grant([Everywhere(planted=False)])) for _ in range(shadows))
    attack, grant, knows = DiscreteSearch(options), Grant([Everywhere(planted=True)]), Knowledge(practice=practice)
    (found,) = attack.guess(grant, {"a": pin_hint()}, knows, np.random.default_rng(0))
    assert isinstance(found, Ranking)
    return found, attack.score(grant, pin_hint(), [("1", "1"), ("2", "0")], knows)


@pytest.mark.parametrize("exhaustive_up_to", [1, 100_000])
def test_calibration_discounts_what_every_model_likes(exhaustive_up_to: int) -> None:
    """Plain: 1 1 at 0.5 before 2 0 at 1. Calibrated: 2 0 at 1 - 5 before 1 1 at 0.5 - 0.5; score says the same."""
    plain, scores = calibrated({"exhaustive_up_to": exhaustive_up_to})
    assert plain.candidates[:2] == (("1", "1"), ("2", "0"))
    assert scores.tolist() == [-0.5, -1.0]
    found, scores = calibrated({"exhaustive_up_to": exhaustive_up_to, "calibrate": "shadows"})
    assert found.candidates[0] == ("2", "0")
    assert found.scores[0] == 4.0
    assert scores.tolist() == [0.0, 4.0]
    _, scores = calibrated({"calibrate": "shadows", "weight": 0.5})
    assert scores.tolist() == [-0.25, 1.5]  # 0.25 - 0.5 and 2.5 - 1


def test_only_calibration_asks_the_adversarys_models() -> None:
    """Without it practice is not asked for; with it, and without models, it says so."""
    assert not DiscreteSearch().asks_practice
    assert DiscreteSearch({"calibrate": "shadows"}).asks_practice
    with pytest.raises(InputError, match="of 0 models"):
        calibrated({"calibrate": "shadows"}, shadows=0)


def test_parts_choose_what_is_ranked_by() -> None:
    """The planted completion shows in the slots alone; the intent has only what is low everywhere."""
    slots, _ = calibrated({"parts": "slots"})
    intent, _ = calibrated({"parts": "intent"})
    assert slots.candidates[0] == ("2", "0")  # 2.5 - 4
    assert intent.candidates[0] == ("1", "1")
    assert intent.scores[1] == -2.5


@pytest.mark.parametrize("limit", [5, 26, 27])
def test_masks_are_paid_for(limit: int) -> None:
    """Three askings a completion: at most a third of the budget's completions are ranked."""
    (ranking,), grant = search({"masks": 3}, limit)
    assert len(ranking.candidates) == limit // 3
    assert grant.meter.total == 3 * (limit // 3)


def test_a_search_within_a_budget_names_what_it_found() -> None:
    """A search cut short still ranks what it asked, no more than allowed."""
    (ranking,), grant = search({"exhaustive_up_to": 1, "restarts": 2}, 5)
    assert grant.meter.total <= 5
    assert 0 < len(ranking.candidates) <= 5
