"""Offline LiRA against a slow loop, and its signs."""

from __future__ import annotations

import math
import statistics as plain
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.attacks.tables import TableLabels, TableTokens, record, statistics, verdicts

from divulge.attacks.lira import LikelihoodRatio
from divulge.errors import InputError

NAMES = ("a", "b", "c", "d")
LIKELY = st.floats(0.01, 0.99)
ROW = st.lists(LIKELY, min_size=4, max_size=4)
LINE = plain.NormalDist().inv_cdf(0.95)


def model(row: Sequence[float]) -> TableLabels:
    return TableLabels(dict(zip(NAMES, row, strict=True)))


def logit(p: float) -> float:
    return math.log(p) - math.log(1 - p)


def slow(target: Sequence[float], references: Sequence[Sequence[float]], *, pooled: bool) -> list[float]:
    """The z-score of each record, one after the other."""
    columns = [[logit(row[place]) for row in references] for place in range(len(target))]
    shared = math.sqrt(plain.mean(plain.variance(column) for column in columns))
    return [
        (logit(mine) - plain.mean(column)) / (shared if pooled else plain.stdev(column))
        for mine, column in zip(target, columns, strict=True)
    ]


@settings(max_examples=30)
@given(ROW, st.lists(ROW, min_size=3, max_size=5), st.booleans())
def test_it_is_the_z_score_of_the_log_odds(target: list[float], references: list[list[float]], pooled: bool) -> None:
    """As the loop has it, with one deviation for all records or one for each."""
    references = [[0.2] * 4, [0.7] * 4, *references]  # some deviation everywhere
    attack = LikelihoodRatio({"pooled_below": 64 if pooled else 2})
    found = statistics(attack, model(target), [record(name) for name in NAMES], [model(row) for row in references])
    expected = slow(target, references, pooled=pooled)
    np.testing.assert_allclose(np.array(found) + LINE, expected, rtol=1e-6, atol=1e-9)


def test_better_known_than_elsewhere_means_used() -> None:
    """The same answer of the model counts for more where references know the record less."""
    references = [model([0.2, 0.6, 0.2, 0.6]), model([0.3, 0.7, 0.3, 0.7])]
    found = statistics(LikelihoodRatio(), model([0.95, 0.95, 0.3, 0.3]), [record(name) for name in NAMES], references)
    assert found[0] > found[1] > found[2] > found[3]
    assert found[0] > 0 > found[3]


@given(LIKELY, LIKELY)
def test_it_grows_with_the_models_likelihood(one: float, other: float) -> None:
    """The likelier the label, the stronger the belief, all else equal."""
    references = [model([0.2, 0.5, 0.5, 0.5]), model([0.6, 0.5, 0.5, 0.5])]
    first, second = (
        statistics(LikelihoodRatio(), model([p, 0.5, 0.5, 0.5]), [record("a")], references)[0] for p in (one, other)
    )
    assert (first < second) == (logit(one) < logit(other)) or math.isclose(one, other)


def test_one_reference_is_a_difference() -> None:
    """Log-odds of 0.8 and 0.5: log 4 - 0, above the normal line."""
    (found,) = statistics(LikelihoodRatio(), model([0.8] * 4), [record("a")], [model([0.5] * 4)])
    assert found == pytest.approx(math.log(4) - LINE)


def test_references_of_one_mind_do_not_divide_by_nothing() -> None:
    """Two equal references: the difference again."""
    (found,) = statistics(LikelihoodRatio(), model([0.8] * 4), [record("a")], [model([0.5] * 4)] * 2)
    assert found == pytest.approx(math.log(4) - LINE)
    (own,) = statistics(LikelihoodRatio({"pooled_below": 2}), model([0.8] * 4), [record("a")], [model([0.5] * 4)] * 2)
    assert own == pytest.approx(found)


def test_generators_are_compared_by_their_tokens() -> None:
    """Mean log-likelihood of 0.8 against 0.2, one reference: log 4."""
    (found,) = statistics(LikelihoodRatio(), TableTokens({"a": 0.8}), [record("a")], [TableTokens({"a": 0.2})])
    assert found == pytest.approx(math.log(4) - LINE)


def test_controls_draw_the_line_and_order_does_not_matter() -> None:
    """With the controls as well known as the record, it is not held to be used; no order changes that."""
    references = [model([0.2, 0.2, 0.3, 0.5]), model([0.3, 0.3, 0.2, 0.6])]
    target, controls = model([0.9, 0.9, 0.4, 0.5]), [record("b"), record("c"), record("d")]
    asked = [record("a"), record("d")]
    forth = verdicts(LikelihoodRatio(), target, asked, references, controls)
    back = verdicts(LikelihoodRatio(), target, asked[::-1], references, controls)
    assert forth[0].statistic == pytest.approx(0)
    assert forth[0].p_value == pytest.approx(2 / 4)  # b reaches it, and itself
    assert [one.statistic for one in forth] == pytest.approx([one.statistic for one in back][::-1])


def test_it_needs_references() -> None:
    """The message names the setting."""
    with pytest.raises(InputError, match=r"set adversary\.background\.references"):
        statistics(LikelihoodRatio(), model([0.5] * 4), [record("a")])
