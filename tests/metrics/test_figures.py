"""Outcomes turned into figures."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.metrics.base import Scored
from divulge.metrics.figures import MeanMetric, chance, clusters_of, figure
from divulge.metrics.intervals import Interval, mean_interval, wilson
from divulge.records import LeakedRow, Tokens

VALUES = {"a": 1.0, "b": 0.0, "c": 1.0, "d": 1.0}


class Lookup(MeanMetric):
    """Reads its outcomes from a table."""

    name = "lookup"
    summary = "A test."

    def applies(self, scored: Scored) -> bool:
        """Always."""
        return True

    def outcome(self, scored: Scored, secret_id: str) -> float:
        """From the table."""
        return VALUES[secret_id]


class BinaryLookup(Lookup):
    """The same, as zeros and ones."""

    binary = True


def scored_in(order: str, clusters: dict[str, str] | None = None) -> Scored:
    """Secrets in some order."""
    return Scored(
        answers={name: Tokens(tokens=()) for name in order},
        hints={name: LeakedRow(row=0) for name in order},
        clusters=clusters or {},
    )


def fresh() -> np.random.Generator:
    """A generator of its own for each call."""
    return np.random.default_rng(0)


def test_outcomes_come_in_the_order_of_answers() -> None:
    """One outcome for each secret, as the runner lists them."""
    assert [outcome.secret_id for outcome in Lookup().outcomes(scored_in("dbca"))] == ["d", "b", "c", "a"]


def test_rates_get_wilson_and_means_the_bootstrap() -> None:
    """Three of four, as a rate and as a mean."""
    scored = scored_in("abcd")
    (rate,) = BinaryLookup().measure(scored, BinaryLookup().outcomes(scored), "attack", fresh())
    (mean,) = Lookup().measure(scored, Lookup().outcomes(scored), "control", fresh())
    assert (rate.value, rate.low, rate.high) == pytest.approx((0.75, *wilson(3, 4)))
    assert (mean.value, mean.low, mean.high) == pytest.approx((0.75, *mean_interval([1, 0, 1, 1], fresh())))
    assert (rate.arm, mean.arm, rate.n) == ("attack", "control", 4)


def test_no_secrets_no_figure() -> None:
    """Nothing measured is null, not zero and not NaN."""
    (found,) = Lookup().measure(scored_in(""), (), "attack", fresh())
    assert (found.value, found.low, found.high, found.n) == (None, None, None, 0)


def test_a_value_lies_inside_its_interval() -> None:
    """An interval beside its value is stretched to hold it; without a value there is none."""
    stretched = figure("m", 0.5, Interval(0.6, 0.7), n=3, arm="attack")
    assert (stretched.low, stretched.high) == (0.5, 0.7)
    absent = figure("m", None, Interval(0.6, 0.7), n=3, arm="attack")
    assert (absent.low, absent.high) == (None, None)


def test_chance_is_certain() -> None:
    """A closed form is its own interval, and belongs to the baseline arm."""
    (found,) = chance("m", [0.1, 0.3], {"k": 1})
    assert (found.value, found.low, found.high) == pytest.approx((0.2, 0.2, 0.2))
    assert (found.arm, found.n, dict(found.group)) == ("baseline", 2, {"k": 1})
    assert chance("m", []) == ()


def test_a_secret_without_a_model_is_a_cluster_of_its_own() -> None:
    """Even if a model is named like the secret."""
    clusters = clusters_of(scored_in("abc", {"a": "c", "b": "c"}))
    assert clusters is not None
    assert clusters[0] == clusters[1] != clusters[2]
    assert clusters_of(scored_in("abc")) is None
