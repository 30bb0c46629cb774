"""Is one attack better than another on the same secrets? Paired tests and differences."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.metrics.intervals import Clusters, is_clustered, mean_interval
from divulge.records import FloatArray, Outcome

__all__ = ["PairedDifference", "mcnemar", "paired_difference", "paired_values", "sign_flip"]

ENUMERATED = 14  # up to 2^14 sign patterns are tried one by one
PERMUTATIONS = 9999


class PairedDifference(NamedTuple):
    """The mean of first minus second, its 95 % interval, the number of pairs and a two-sided p-value."""

    value: float
    low: float
    high: float
    n: int
    p_value: float


def paired_values(
    first: Iterable[Outcome], second: Iterable[Outcome]
) -> tuple[tuple[str, ...], FloatArray, FloatArray]:
    """Lines up the outcomes of the secrets that both have: sorted ids, values of the first, of the second."""
    ours = {outcome.secret_id: outcome.value for outcome in first}
    theirs = {outcome.secret_id: outcome.value for outcome in second}
    shared = tuple(sorted(ours.keys() & theirs.keys()))
    return shared, np.array([ours[name] for name in shared]), np.array([theirs[name] for name in shared])


def mcnemar(first: npt.ArrayLike, second: npt.ArrayLike) -> float | None:
    """The exact two-sided p-value for zeros and ones: only pairs that differ count, each a fair coin."""
    from scipy.special import bdtr

    ours, theirs = _pair(first, second)
    if len(ours) == 0:
        return None
    only_first = int(np.sum((ours == 1) & (theirs == 0)))
    only_second = int(np.sum((ours == 0) & (theirs == 1)))
    differing = only_first + only_second
    if differing == 0:
        return 1.0
    return min(1.0, 2 * float(bdtr(min(only_first, only_second), differing, 0.5)))


def sign_flip(
    differences: npt.ArrayLike,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    draws: int = PERMUTATIONS,
) -> float | None:
    """The two-sided p-value of a mean difference: as if each sign (of each cluster, where given) were a coin.

    Few units are enumerated, and the p-value is exact; for many, random patterns stand for all, and the observed
    one is counted among them, so that the p-value is never zero.
    """
    sums = np.asarray(differences, dtype=np.float64)
    if len(sums) == 0:
        return None
    if is_clustered(clusters):
        assert clusters is not None
        names = sorted(set(clusters), key=repr)
        sums = np.array([sums[[label == name for label in clusters]].sum() for name in names])
    sums = np.sort(sums)
    observed = abs(sums.sum())
    slack = 1e-12 * np.abs(sums).sum()  # patterns that tie with the observed one must not be lost to rounding
    if len(sums) <= ENUMERATED:
        signs = np.array(list(itertools.product((-1.0, 1.0), repeat=len(sums))))
        return float(np.mean(np.abs(signs @ sums) >= observed - slack))
    as_extreme = sum(abs(rng.choice((-1.0, 1.0), size=len(sums)) @ sums) >= observed - slack for _ in range(draws))
    return float((1 + as_extreme) / (1 + draws))


def paired_difference(
    first: npt.ArrayLike,
    second: npt.ArrayLike,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> PairedDifference | None:
    """Compares values of the same secrets, each within `bounds`: McNemar for zeros and ones, else sign flips."""
    ours, theirs = _pair(first, second)
    if len(ours) == 0:
        return None
    differences = ours - theirs
    span = bounds[1] - bounds[0]
    interval = mean_interval(differences, rng, clusters, (-span, span))
    binary = bool(np.isin(ours, (0, 1)).all() and np.isin(theirs, (0, 1)).all())
    coins = binary and not is_clustered(clusters)
    p_value = mcnemar(ours, theirs) if coins else sign_flip(differences, rng, clusters)
    assert interval is not None
    assert p_value is not None
    value = float(differences.mean())
    return PairedDifference(value, min(interval.low, value), max(interval.high, value), len(ours), p_value)


def _pair(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    ours, theirs = np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)
    if ours.shape != theirs.shape:
        raise ValueError(f"paired values must match one to one. Got {ours.shape} and {theirs.shape}")
    return ours, theirs
