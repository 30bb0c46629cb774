"""Where the true answer stands among completions of the same pattern, and what that is worth in bits.

Exposure is log2 of the number of completions minus log2 of the rank of the true one (Carlini et al. 2019, "The
Secret Sharer"). Where the space is too large to score, the true answer is set against a sample of decoys, and the
chance that a random completion scores at least as well is read off a skew-normal distribution fitted to them, if
the best of them look like draws from it: other scores have tails that can feign ten bits and more.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.metrics.intervals import clopper_pearson
from divulge.records import FloatArray, Standing

__all__ = [
    "SkewNormal",
    "exact_exposure",
    "expected_exposure",
    "expected_rank",
    "extrapolated_exposure",
    "fit_skew_normal",
    "log_tail",
    "rank_among",
    "standing",
    "tail_is_credible",
]

FEWEST_DECOYS = 200  # fewer do not bear a fit: at 14 bits 1,000 err by about one, 200 by three, 100 by ten
ENOUGH_BETTER = 10  # with so many decoys ahead of the truth, their share says more than a fitted tail
CHECKED_RANKS = (1, 2, 3, 5, 10, 20, 50, 100)  # of the decoys at which a fitted tail is held against their number
DISBELIEF = 0.01  # a fit is dropped if one of these checks would fail this seldom with the right distribution
STEEPEST_SKEW = 0.95  # where the fit starts at most: no skew-normal distribution is more skewed than 0.995
STEEPEST_SHAPE = 10.0
DIRECT_TAIL = 1e-4  # above this the tail is a plain difference of well-behaved functions
FARTHEST = 1e4  # standard deviations; beyond, every space is exhausted


class SkewNormal(NamedTuple):
    """A skew-normal distribution."""

    location: float
    scale: float
    shape: float


def standing(
    secret_id: str,
    truth_score: float,
    decoy_scores: npt.ArrayLike,
    space: int,
    exact: bool,  # noqa: FBT001 - the runner's verb
) -> Standing:
    """Places the true answer among its decoys; ties, and scores that are no number, count against the attack.

    Args:
        secret_id: The secret in question.
        truth_score: What the attack's `score` gave to the true answer.
        decoy_scores: What it gave to other completions of the same pattern.
        space: The number of completions there are, the true one included.
        exact: Whether the decoys are all the other completions.
    """
    decoys = np.asarray(decoy_scores, dtype=np.float64)
    among = len(decoys) + 1
    if exact and among != space:
        raise ValueError(f"an exact standing needs every other completion. Got {len(decoys)} of {space - 1}")
    rank = rank_among(truth_score, decoys)
    bits = exact_exposure(rank, space) if exact else extrapolated_exposure(truth_score, decoys, space)
    tied = int(np.sum(decoys == truth_score))
    return Standing(
        secret_id=secret_id, rank=rank, among=among, space=space, exposure=bits, extrapolated=not exact, tied=tied
    )


def rank_among(truth_score: float, decoy_scores: npt.ArrayLike) -> int:
    """One more than the number of decoys that score at least as well as the truth.

    >>> rank_among(2.0, [1.0, 2.0, 3.0])
    3
    """
    # "not worse" rather than "better or equal": a comparison with NaN is false, and so counts against the attack.
    return 1 + int(np.sum(~(np.asarray(decoy_scores, dtype=np.float64) < truth_score)))


def exact_exposure(rank: int, space: int) -> float:
    """The bits by which knowing the rank narrows the search.

    >>> exact_exposure(1, 1024)
    10.0
    """
    return math.log2(space) - math.log2(rank)


def extrapolated_exposure(truth_score: float, decoy_scores: npt.ArrayLike, space: int) -> float:
    """The bits from a sample of decoys: never below 0, never above those of the first rank in the space.

    Where the fit has no ground (few decoys, decoys all alike, a score that is not finite, decoys of another
    distribution) or is not needed (many decoys ahead of the truth), the rank among the decoys is used as it is: a
    lower bound where the truth beats all. A fit never takes away what the sample itself shows, nor adds more than
    the exact interval of the share of decoys ahead allows.
    """
    decoys = np.asarray(decoy_scores, dtype=np.float64)
    rank = rank_among(truth_score, decoys)
    finite = decoys[np.isfinite(decoys)]
    unfit = len(finite) < FEWEST_DECOYS or finite.min() == finite.max() or not np.isfinite(truth_score)
    log_chance = math.log(rank) - math.log(len(decoys) + 1)
    if not unfit and rank <= ENOUGH_BETTER:
        fitted = fit_skew_normal(finite)
        if tail_is_credible(fitted, finite):
            tail = math.log(len(finite) / len(decoys)) + log_tail(fitted, truth_score)
            log_chance = min(log_chance, max(tail, _least_log_chance(rank - 1, len(decoys))))
    return min(max(-log_chance / math.log(2), 0.0), math.log2(space))


def fit_skew_normal(scores: npt.ArrayLike) -> SkewNormal:
    """Fits by maximum likelihood, starting from the moments; the same scores in any order give the same fit.

    Moments alone err by several bits in the far tail where it is the thin one. The shape is bounded, because the
    likelihood of a small sample can grow without end as the shape does.
    """
    from scipy.optimize import minimize

    values = np.sort(np.asarray(scores, dtype=np.float64))
    mean, spread = float(values.mean()), float(values.std())
    standard = (values - mean) / spread

    def badness(guess: FloatArray) -> float:
        location, log_scale, shape = guess
        return float(log_scale - _log_density((standard - location) / math.exp(log_scale), shape).mean())

    found = minimize(
        badness,
        _from_moments(standard),
        method="Nelder-Mead",
        bounds=[(None, None), (None, None), (-STEEPEST_SHAPE, STEEPEST_SHAPE)],
        options={"maxiter": 1000, "xatol": 1e-5, "fatol": 1e-9},
    ).x
    return SkewNormal(mean + spread * float(found[0]), spread * math.exp(found[1]), float(found[2]))


def log_tail(fitted: SkewNormal, score: float) -> float:
    """The natural logarithm of the chance to score at least `score`, exact far beyond what a float can hold."""
    from scipy.special import ndtr, owens_t

    start = float(np.clip((score - fitted.location) / fitted.scale, -FARTHEST, FARTHEST))
    direct = float(ndtr(-start) + 2 * owens_t(start, fitted.shape))
    return math.log(direct) if direct > DIRECT_TAIL else _integrated_log_tail(start, fitted.shape)


def tail_is_credible(fitted: SkewNormal, scores: npt.ArrayLike) -> bool:
    """Whether as many of the best scores as there are could come from the fitted tail, or fewer.

    A tail that is too thin would overstate how rare the truth's score is. One that is too thick only understates
    it, and no further than to the rank.
    """
    from scipy.special import betaincinv

    best = np.sort(np.asarray(scores, dtype=np.float64))[::-1]
    for rank in CHECKED_RANKS:
        if rank > len(best) // 2:
            break
        reached = int(np.sum(best >= best[rank - 1]))  # more than `rank` if scores are tied
        # With the right distribution, the chance to reach the r-th best of n scores follows Beta(r, n - r + 1).
        least = float(betaincinv(reached, len(best) - reached + 1, DISBELIEF))
        if log_tail(fitted, float(best[rank - 1])) < math.log(least):
            return False
    return True


def expected_exposure(space: int) -> float:
    """The mean exposure when every rank is equally likely: about 1.44 bits, less in small spaces."""
    if space > 10**12:
        return 1 / math.log(2)
    return math.log2(space) - math.lgamma(space + 1) / math.log(2) / space


def expected_rank(among: int) -> float:
    """The mean, and the median, rank when every rank is equally likely."""
    return (among + 1) / 2


def _least_log_chance(ahead: int, decoys: int) -> float:
    # What the decoys ahead of the truth leave possible; nothing is ruled out if there are none.
    share = clopper_pearson(ahead, decoys)
    return math.log(share.low) if share is not None and share.low > 0 else -math.inf


def _from_moments(standard: FloatArray) -> tuple[float, float, float]:
    # Of values with mean 0 and variance 1: location, logarithm of the scale, shape.
    skew = float(np.mean(standard**3))
    size = min(abs(skew), STEEPEST_SKEW) ** (2 / 3)
    delta = math.copysign(math.sqrt(math.pi / 2 * size / (size + ((4 - math.pi) / 2) ** (2 / 3))), skew)
    scale = 1 / math.sqrt(1 - 2 * delta * delta / math.pi)
    return -scale * delta * math.sqrt(2 / math.pi), math.log(scale), delta / math.sqrt(1 - delta * delta)


def _integrated_log_tail(start: float, shape: float) -> float:
    # Simpson's rule on the density relative to its value at `start`, so that nothing underflows. The density only
    # falls from here on: the grid ends where it is down by 45 powers of e.
    first = float(_log_density(np.array([start]), shape)[0])
    reach = 1e-6
    while _log_density(np.array([start + reach]), shape)[0] > first - 45:
        reach *= 1.5
    steps = np.linspace(0.0, reach, 2001)
    heights = np.exp(_log_density(start + steps, shape) - first)
    weights = np.where(np.arange(len(steps)) % 2 == 1, 4.0, 2.0)
    weights[[0, -1]] = 1.0
    return first + math.log(float(weights @ heights) * (steps[1] - steps[0]) / 3)


def _log_density(places: FloatArray, shape: float) -> FloatArray:
    from scipy.special import log_ndtr

    normal = -0.5 * places**2 - 0.5 * math.log(2 * math.pi)
    return np.asarray(math.log(2) + normal + log_ndtr(shape * places), dtype=np.float64)
