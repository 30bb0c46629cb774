"""What is proven beside what is claimed, and only where a coin decided."""

from __future__ import annotations

import math

import pytest

from divulge.auditing.privacy_loss import accounted, allowed_epsilon, claim_of, privacy_loss, refutation
from divulge.data.cases import Case
from divulge.data.corpus import Corpus
from divulge.metrics.epsilon import epsilon_lower_bound
from divulge.records import Planting, Standing


def standings(exposures: list[float]) -> dict[str, Standing]:
    return {str(n): Standing(secret_id=str(n), rank=1, among=2, space=9, exposure=e) for n, e in enumerate(exposures)}


def case(*, coin: bool = True, copies: int = 1) -> Case:
    plantings = (Planting(secret_id="0", text=("a",), copies=copies),)
    return Case(Corpus((), "none"), (), (), plantings, coin)


INSIDE, OUTSIDE = [5.0 + number for number in range(100)], [0.01 * number for number in range(100)]


def test_the_bound_is_one_sided_and_stands_beside_the_claim() -> None:
    """Its upper end is open; the claim is the owner's, not the attack's."""
    bound, claimed = privacy_loss(case(), standings(INSIDE), standings(OUTSIDE), {"epsilon": 1.0, "delta": 1e-6})
    wanted = epsilon_lower_bound(INSIDE, OUTSIDE, 1e-6).epsilon
    assert (bound.metric, bound.arm, bound.n) == ("epsilon_lower_bound", "attack", 200)
    assert bound.value == bound.low == pytest.approx(wanted)
    assert bound.high is None
    assert (claimed.metric, claimed.arm, claimed.value) == ("epsilon", "probe", 1.0)
    assert dict(bound.group) == dict(claimed.group) == {"delta": 1e-6, "copies": 1}
    assert wanted > 2


def test_without_a_claim_there_is_only_the_bound() -> None:
    """At a delta of 1 in 100,000."""
    (bound,) = privacy_loss(case(), standings(INSIDE), standings(OUTSIDE), {})
    assert bound.group["delta"] == 1e-5


def test_without_coins_or_scores_nothing_is_proven() -> None:
    """A subset of fixed size is no coin for each."""
    assert privacy_loss(case(coin=False), standings(INSIDE), standings(OUTSIDE), {}) == []
    assert privacy_loss(case(), {}, {}, {}) == []


def test_what_is_proven_beyond_the_claim_is_said_aloud() -> None:
    """The claim of 1 is refuted by perfect scores; a claim of 10 is not, and without one there is nothing to refute."""
    figures = privacy_loss(case(), standings(INSIDE), standings(OUTSIDE), {"epsilon": 1.0, "delta": 1e-6})
    assert "THE CLAIMED EPSILON IS REFUTED" in (refutation(figures) or "")
    modest = privacy_loss(case(), standings(INSIDE), standings(OUTSIDE), {"epsilon": 10.0, "delta": 1e-6})
    assert refutation(modest) is None
    assert refutation(figures[:1]) is None


def test_a_claim_about_one_record_allows_more_for_a_group() -> None:
    """Three copies: three times epsilon; delta (1 + e + e^2) times as large at epsilon 1."""
    delta, epsilon = allowed_epsilon(1.0, 1e-6, 3)
    assert epsilon == 3.0
    assert delta == pytest.approx(1e-6 * (1 + math.e + math.e**2))
    assert allowed_epsilon(1.0, 1e-6, 1) == (1e-6, 1.0)
    found = privacy_loss(case(copies=3), standings(INSIDE), standings(OUTSIDE), {"epsilon": 1.0, "delta": 1e-6})
    assert [one.group["copies"] for one in found] == [3, 3]
    assert found[1].value == 3.0


PRIVACY = {"epsilon": 2.5, "delta": 1e-6, "noise": 1.0, "texts": 400, "unit": "one training text"}


def test_the_accountants_epsilon_is_a_figure_of_the_owners() -> None:
    """Of one training text, at its delta, resting on so many texts."""
    found = accounted(PRIVACY)
    assert (found.metric, found.arm, found.value, found.n) == ("epsilon", "probe", 2.5, 400)
    assert dict(found.group) == {"delta": 1e-6}


def test_of_users_the_accountants_epsilon_says_so() -> None:
    """It is of a person with all texts, and rests on so many people; as a claim it is one like others."""
    found = accounted({**PRIVACY, "users": 50, "unit": "one user with all texts"})
    assert (found.metric, found.arm, found.value, found.n) == ("epsilon", "probe", 2.5, 50)
    assert dict(found.group) == {"delta": 1e-6, "unit": "user"}
    assert claim_of({}, [found]) == {"epsilon": 2.5, "delta": 1e-6}


def test_the_accountant_speaks_where_the_owner_claims_nothing() -> None:
    """A claim of the spec goes first; without either there is none."""
    told = [accounted(PRIVACY)]
    assert claim_of({"epsilon": None, "delta": None}, told) == {"epsilon": 2.5, "delta": 1e-6}
    assert claim_of({"epsilon": 8.0, "delta": 1e-5}, told) == {"epsilon": 8.0, "delta": 1e-5}
    assert claim_of({"epsilon": None}, []) == {"epsilon": None}


def test_of_planted_copies_the_accountants_claim_allows_more() -> None:
    """Three copies: three times its epsilon stands beside the bound, and refutes only what is beyond."""
    claim = claim_of({}, [accounted({**PRIVACY, "epsilon": 0.5})])
    bound, claimed = privacy_loss(case(copies=3), standings(INSIDE), standings(OUTSIDE), claim)
    assert claimed.value == pytest.approx(1.5)
    assert claimed.group == bound.group
    assert "REFUTED" in (refutation([bound, claimed, accounted(PRIVACY)]) or "")


def test_a_claim_about_very_many_copies_allows_anything():
    """No number is as large as e to the 800: the delta of so large a group is 1, and nothing is compared with it."""
    assert allowed_epsilon(8.0, 1e-5, 100) == (1.0, 800.0)
    assert allowed_epsilon(2.0, 1e-5, 20) == (1.0, 40.0)
    assert allowed_epsilon(0.1, 1e-5, 2) == pytest.approx((1e-5 * (1 + math.exp(0.1)), 0.2))
