"""Two-sided 95 % intervals: closed forms for rates, resampling for the rest, by cluster where secrets share a model.

An interval of nothing is None. A run in which every secret came out alike still gets an interval of some width:
a hundred failures are no proof that the next attempt fails.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.records import FloatArray

__all__ = [
    "FEWEST_SECRETS",
    "TAIL",
    "Interval",
    "bootstrap",
    "clopper_pearson",
    "effective_size",
    "expanded_tail",
    "hull",
    "is_clustered",
    "mean",
    "mean_interval",
    "median_interval",
    "rate_interval",
    "resample",
    "wilson",
]

Z = 1.959963984540054  # the 97.5 % point of the normal distribution
TAIL = 0.025
DRAWS = 2000
FEWEST_SECRETS = 10  # fewer show nothing either way, whatever their interval
CELLS = 1_000_000  # how many numbers are drawn at once

Statistic = Callable[[FloatArray], float]
Clusters = Sequence[Hashable]


class Interval(NamedTuple):
    """From where to where."""

    low: float
    high: float


def mean(values: FloatArray) -> float:
    """The statistic to resample where nothing else is wanted."""
    return float(values.mean())


def wilson(successes: float, n: float) -> Interval | None:
    """The score interval of a rate: good at small n, never of zero width.

    >>> tuple(round(end, 4) for end in wilson(0, 10))
    (0.0, 0.2775)
    """
    if n == 0:
        return None
    rate = successes / n
    shrink = 1 + Z * Z / n
    centre = (rate + Z * Z / (2 * n)) / shrink
    half = Z * float(np.sqrt(rate * (1 - rate) / n + Z * Z / (4 * n * n))) / shrink
    return Interval(0.0 if successes == 0 else centre - half, 1.0 if successes == n else centre + half)


def clopper_pearson(successes: int, n: int) -> Interval | None:
    """The exact interval of a rate: never covers less than 95 %, wider than Wilson's for it."""
    from scipy.special import betaincinv

    if n == 0:
        return None
    low = 0.0 if successes == 0 else float(betaincinv(successes, n - successes + 1, TAIL))
    high = 1.0 if successes == n else float(betaincinv(successes + 1, n - successes, 1 - TAIL))
    return Interval(low, high)


def resample(
    values: npt.ArrayLike,
    statistic: Statistic,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    draws: int = DRAWS,
    *,
    strata: Sequence[int] | None = None,
) -> FloatArray:
    """Computes `statistic` on `draws` samples of the rows of `values`, drawn with replacement.

    Whole clusters are drawn where `clusters` is given; else rows are drawn within each stratum. Rows are put in
    order first, so that the order of secrets does not matter. Draws without a value (NaN) are left out.
    """
    rows = np.asarray(values, dtype=np.float64)
    labels = _codes(clusters if clusters is not None else strata, len(rows))
    columns = (rows,) if rows.ndim == 1 else tuple(rows.T[::-1])
    order = np.lexsort((*columns, labels))
    rows, labels = rows[order], labels[order]
    blocks = np.split(np.arange(len(rows)), np.flatnonzero(np.diff(labels)) + 1)
    if statistic is mean and rows.ndim == 1:  # by far the commonest, and ten times faster all at once
        return _resampled_means(rows, blocks, rng, draws, whole=clusters is not None)
    results = np.empty(draws)
    for draw in range(draws):
        if clusters is not None:
            picked = [blocks[pick] for pick in rng.integers(len(blocks), size=len(blocks))]
        else:
            picked = [block[rng.integers(len(block), size=len(block))] for block in blocks]
        results[draw] = statistic(rows[np.concatenate(picked)])
    return results[~np.isnan(results)]


def bootstrap(
    values: npt.ArrayLike,
    statistic: Statistic,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    draws: int = DRAWS,
    *,
    strata: Sequence[int] | None = None,
    centre: float | None = None,
) -> Interval | None:
    """The percentile interval of `statistic`, widened for few units; None with fewer than two of them.

    The draws are moved to have their mean at `centre`, if given: for statistics that resampling shrinks. Plain
    percentiles are too narrow for ten trials or five models. They are taken further out, by as much as
    Student's t at that number of units exceeds the normal distribution (the "expanded percentile" interval).
    """
    count = len(np.asarray(values))
    if count == 0:
        return None
    sizes = np.unique(_codes(clusters if clusters is not None else strata, count), return_counts=True)[1]
    units = len(sizes) if clusters is not None else int(sizes.min())
    if units < 2:
        return None
    results = resample(values, statistic, rng, clusters, draws, strata=strata)
    if len(results) == 0:
        return None
    if centre is not None:
        results = results + (centre - results.mean())
    tail = expanded_tail(units)
    low, high = np.quantile(results, [tail, 1 - tail])
    return Interval(float(low), float(high))


def expanded_tail(units: int) -> float:
    """Which percentile of resampled results ends an interval, on either side, for two or more units."""
    from scipy.special import ndtr, stdtrit

    return float(ndtr(np.sqrt(units / (units - 1)) * stdtrit(units - 1, TAIL)))


def rate_interval(
    successes: npt.ArrayLike, rng: np.random.Generator, clusters: Clusters | None = None
) -> Interval | None:
    """The interval of a rate from zeros and ones: Wilson's, and never narrower where secrets share models.

    Resampling models shows nothing where all of them agree, and too little where nearly all do. So the interval
    also holds Wilson's over as many independent secrets as these are worth.
    """
    values = np.asarray(successes, dtype=np.float64)
    plain = wilson(float(values.sum()), len(values))
    if clusters is None or not is_clustered(clusters):
        return plain
    worth = effective_size(values, clusters)
    return hull(plain, wilson(float(values.mean()) * worth, worth), bootstrap(values, mean, rng, clusters))


def mean_interval(
    values: npt.ArrayLike,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    bounds: tuple[float, float] = (0.0, 1.0),
) -> Interval | None:
    """The interval of a mean of values that cannot leave `bounds`; clusters can only widen it.

    Where all values are alike, nothing can be resampled. Then a share of unlike values, as large as Wilson's
    interval allows after none in n, may lie at either bound; n is the number of models where there are several.
    """
    found = np.asarray(values, dtype=np.float64)
    least, most = bounds
    if len(found) and found.min() == found.max():
        known = effective_size(found, clusters) if clusters is not None and is_clustered(clusters) else len(found)
        value, unlike = float(found[0]), wilson(0, known)
        assert unlike is not None
        return Interval(value - unlike.high * (value - least), value + unlike.high * (most - value))
    spread = bootstrap(found, mean, rng)
    if is_clustered(clusters):
        spread = hull(spread, bootstrap(found, mean, rng, clusters))
    return None if spread is None else Interval(max(spread.low, least), min(spread.high, most))


def median_interval(
    values: npt.ArrayLike,
    rng: np.random.Generator,
    clusters: Clusters | None = None,
    bounds: tuple[float, float] = (-np.inf, np.inf),
) -> Interval | None:
    """The interval of a median between two of the ordered values, whatever their distribution.

    Fewer than six values cannot bound a median with this certainty: then `bounds` are all that is known.
    """
    from scipy.special import bdtr

    found = np.sort(np.asarray(values, dtype=np.float64))
    count = len(found)
    if count == 0:
        return None
    # The median lies below the (cut + 1)-th smallest value with the probability of at most `cut` heads in n tosses.
    cuts = [cut for cut in range(count // 2) if bdtr(cut, count, 0.5) <= TAIL]
    if not cuts:
        return Interval(*bounds)
    plain = Interval(float(found[cuts[-1]]), float(found[-1 - cuts[-1]]))
    if not is_clustered(clusters):
        return plain
    return hull(plain, bootstrap(values, _median, rng, clusters))


def hull(*intervals: Interval | None) -> Interval | None:
    """The smallest interval around all that are there."""
    there = [interval for interval in intervals if interval is not None]
    if not there:
        return None
    return Interval(min(interval.low for interval in there), max(interval.high for interval in there))


def effective_size(values: npt.ArrayLike, clusters: Clusters) -> float:
    """How many independent values these are worth: all of them, or as few as there are clusters of one mind.

    The correlation within clusters comes from an analysis of variance. Where every cluster is of one mind it is 1,
    even if all are of the same: nothing shows that the values of a cluster are not copies of each other.

    >>> effective_size([1, 1, 1, 0, 0, 0], ["a", "a", "a", "b", "b", "b"])
    2.0
    """
    found, labels = np.asarray(values, dtype=np.float64), _codes(clusters, len(clusters))
    sizes = np.bincount(labels)
    means = np.bincount(labels, weights=found) / sizes
    count, groups = len(found), len(sizes)
    typical = float(np.sum(sizes**2)) / count
    inside = float(np.sum((found - means[labels]) ** 2)) / (count - groups) if count > groups else 0.0
    if inside <= 1e-12 * max(1.0, float(np.max(np.abs(found)))) ** 2:  # means are rounded
        return count / typical
    between = float(np.sum(sizes * (means - found.mean()) ** 2)) / (groups - 1)
    alike = (between - inside) / (between + ((count - typical) / (groups - 1) - 1) * inside)
    return count / (1 + (typical - 1) * min(max(alike, 0.0), 1.0))


def is_clustered(clusters: Clusters | None) -> bool:
    """Whether clusters say anything: more than one of them, and not one for each secret."""
    return clusters is not None and 1 < len(set(clusters)) < len(clusters)


def _codes(labels: Sequence[Hashable] | None, count: int) -> npt.NDArray[np.int64]:
    if labels is None:
        return np.zeros(count, dtype=np.int64)
    if len(labels) != count:
        raise ValueError(f"one label per row is needed. Got {len(labels)} for {count} rows")
    numbers = {label: number for number, label in enumerate(sorted(set(labels), key=repr))}
    return np.array([numbers[label] for label in labels], dtype=np.int64)


def _resampled_means(
    rows: FloatArray, blocks: list[npt.NDArray[np.int64]], rng: np.random.Generator, draws: int, *, whole: bool
) -> FloatArray:
    if whole:
        sums, sizes = np.array([rows[block].sum() for block in blocks]), np.array([len(block) for block in blocks])
        picked = rng.integers(len(blocks), size=(draws, len(blocks)))
        return np.asarray(sums[picked].sum(axis=1) / sizes[picked].sum(axis=1), dtype=np.float64)
    totals = np.zeros(draws)
    for block in blocks:
        step = max(1, CELLS // len(block))
        for start in range(0, draws, step):
            size = (min(step, draws - start), len(block))
            totals[start : start + step] += rows[block][rng.integers(len(block), size=size)].sum(axis=1)
    return totals / len(rows)


def _median(values: FloatArray) -> float:
    return float(np.median(values))
