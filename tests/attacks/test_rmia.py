"""Offline RMIA against a slow double loop, and its signs."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.tables import TableLabels, TableTokens, record, statistics, verdicts

from divulge.attacks.rmia import STEP, RelativeRatio
from divulge.errors import InputError

NAMES = ("a", "b", "x", "y", "z")
ROW = st.lists(st.floats(0.01, 0.99), min_size=5, max_size=5)


def model(row: Sequence[float]) -> TableLabels:
    return TableLabels(dict(zip(NAMES, row, strict=True)))


def slow(target: Sequence[float], references: Sequence[Sequence[float]], gamma: float, a: float) -> list[float]:
    """For a and b, the share of x, y, z with LR >= gamma and the mean log-ratio; less the highest of x, y, z."""
    usual = [((1 + a) * sum(row[i] for row in references) / len(references) + (1 - a)) / 2 for i in range(5)]
    found = []
    for mine in range(5):
        beaten, logs = 0, 0.0
        for other in (2, 3, 4):
            ratio = (target[mine] / usual[mine]) / (target[other] / usual[other])
            beaten += ratio >= gamma * (1 - 1e-9)
            logs += math.log(ratio)
        found.append(beaten / 3 + STEP * logs / 3)
    return [found[0] - max(found[2:]), found[1] - max(found[2:])]


@settings(max_examples=40)
@given(ROW, st.lists(ROW, min_size=1, max_size=3), st.sampled_from([1.0, 2.0]), st.sampled_from([0.0, 0.3, 1.0]))
def test_it_is_the_share_of_controls_beaten(
    target: list[float], references: list[list[float]], gamma: float, a: float
) -> None:
    """As the double loop has it."""
    attack = RelativeRatio({"gamma": gamma, "a": a})
    asked, controls = [record("a"), record("b")], [record(name) for name in "xyz"]
    found = statistics(attack, model(target), asked, [model(row) for row in references], controls)
    np.testing.assert_allclose(found, slow(target, references, gamma, a), atol=1e-9)


def test_the_gain_counts_and_not_the_likelihood() -> None:
    """B is likelier than a, yet references know b as well: only a gained."""
    references = [model([0.2, 0.9, 0.5, 0.5, 0.5])]
    target = model([0.8, 0.9, 0.5, 0.45, 0.55])
    first, second = statistics(
        RelativeRatio({"a": 1.0}), target, [record("a"), record("b")], references, [record(n) for n in "xyz"]
    )
    assert first > 0 > second


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_it_grows_with_the_models_likelihood(one: float, other: float) -> None:
    """Shares of three controls tie; the statistic does not."""
    controls, references = [record(name) for name in "xyz"], [model([0.5, 0.5, 0.4, 0.5, 0.6])]
    first, second = (
        statistics(RelativeRatio(), model([p, 0.5, 0.5, 0.5, 0.5]), [record("a")], references, controls)[0]
        for p in (one, other)
    )
    assert (first < second) == (one < other) or math.isclose(one, other, rel_tol=1e-9)


def test_a_generators_likelihood_is_per_token() -> None:
    """A text twice as long, of tokens as likely, has the same gain."""
    target, reference = TableTokens({"a": 0.8, "z": 0.3}), TableTokens({"a": 0.2, "z": 0.3})
    asked = [record("a"), record("a a a a")]
    first, second = statistics(RelativeRatio(), target, asked, [reference], [record("z")])
    assert first == pytest.approx(second)
    assert first > 0


def test_order_does_not_matter_and_p_values_count_controls() -> None:
    """The same verdicts in another order; a record above all three controls has p = 1 / 4."""
    references, target = [model([0.3] * 5)], model([0.9, 0.2, 0.3, 0.4, 0.5])
    asked, controls = [record("a"), record("b")], [record(name) for name in "xyz"]
    forth = verdicts(RelativeRatio(), target, asked, references, controls)
    back = verdicts(RelativeRatio(), target, asked[::-1], references, controls[::-1])
    assert [one.p_value for one in forth] == [pytest.approx(1 / 4), 1.0]
    assert [one.statistic for one in forth] == pytest.approx([one.statistic for one in back][::-1])


def test_it_needs_controls_and_references() -> None:
    """Each message names its setting."""
    with pytest.raises(InputError, match=r"set adversary\.background\.controls to 1 or more"):
        statistics(RelativeRatio(), model([0.5] * 5), [record("a")], [model([0.5] * 5)])
    with pytest.raises(InputError, match=r"set adversary\.background\.references"):
        statistics(RelativeRatio(), model([0.5] * 5), [record("a")], controls=[record("z")])


def test_a_budget_of_one_query_is_too_small() -> None:
    """A record and a control are the least; with two, one record is answered."""
    rest = (model([0.5] * 5), [record("a"), record("b")], [model([0.5] * 5)], [record("z")])
    assert verdicts(RelativeRatio(), *rest, limit=1) == []
    assert len(verdicts(RelativeRatio(), *rest, limit=2)) == 1
