"""The least epsilon that one training run proves (Steinke, Nasr and Jagielski 2023, "Privacy Auditing with One Run").

For each of m canaries an independent fair coin decided whether it is trained on. An adversary guesses the coins of r
canaries, those of the highest scores as "in" and those of the lowest as "out", and is right v times. Under
(epsilon, delta)-differential privacy, v is no likelier to be large than a binomial of r trials with success
e^epsilon / (1 + e^epsilon), but for a term in delta. The largest epsilon that so many right guesses refute, at
95 % confidence, is a lower bound on what the training really guarantees.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Bound", "chance_of", "epsilon_lower_bound", "largest_provable", "least_epsilon"]

CONFIDENCE = 0.95
SHARES = (0.02, 0.05, 0.1, 0.2, 0.5, 1.0)  # of the canaries that are guessed about; the rest are abstained from
LARGEST = 50.0  # epsilon beyond which nothing is looked for


class Bound(NamedTuple):
    """The bound, and the guesses it rests on: how many were made, and how many were right."""

    epsilon: float
    guesses: int
    right: int


def epsilon_lower_bound(
    planted: npt.ArrayLike, held_out: npt.ArrayLike, delta: float, confidence: float = CONFIDENCE
) -> Bound:
    """The bound from the scores of canaries that were planted, and of those that were not.

    How many guesses to make, and whether high scores mean "in" or "out", is not known beforehand: a model may also give
    away what it has seen by ranking it last. Each number of `SHARES` is tried, both ways, and each at a confidence that
    makes them all right together (Bonferroni). Where scores tie at the edge, ties are drawn into the guess in the order
    that serves the adversary least.
    """
    inside, outside = np.asarray(planted, dtype=np.float64), np.asarray(held_out, dtype=np.float64)
    canaries = len(inside) + len(outside)
    best = Bound(0.0, 0, 0)
    for side in _sides(canaries):
        for sign in (1, -1):
            right = _right(sign * inside, sign * outside, side)
            found = least_epsilon(canaries, 2 * side, right, delta, _doubt(canaries, confidence))
            if found > best.epsilon:
                best = Bound(found, 2 * side, right)
    return best


def largest_provable(canaries: int, delta: float, confidence: float = CONFIDENCE) -> float:
    """The bound if every guess about so many canaries were right: more can not be proven by this audit."""
    doubt = _doubt(canaries, confidence)
    return max((least_epsilon(canaries, 2 * side, 2 * side, delta, doubt) for side in _sides(canaries)), default=0.0)


def least_epsilon(canaries: int, guesses: int, right: int, delta: float, doubt: float) -> float:
    """The largest epsilon under which so many right guesses have a chance of at most `doubt`; 0 if none has."""
    if chance_of(canaries, guesses, right, 0.0, delta) > doubt:
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(60):  # the chance grows with epsilon
        middle = (low + high) / 2
        if chance_of(canaries, guesses, right, middle, delta) <= doubt:
            low = middle
        else:
            high = middle
    return low


def chance_of(canaries: int, guesses: int, right: int, epsilon: float, delta: float) -> float:
    """The most that the chance of so many right guesses can be under (epsilon, delta); theorem 5.2 of the paper."""
    from scipy.stats import binom

    share = 1 / (1 + math.exp(-epsilon))  # of right guesses about a coin, at best
    tail = float(binom.sf(right - 1, guesses, share))
    if delta == 0 or right == 0:
        return min(1.0, tail)
    # What delta may add: of every window of i outcomes just below `right`, the mean probability; the largest counts.
    below = binom.pmf(np.arange(right - 1, -1, -1), guesses, share)
    means = np.cumsum(below) / np.arange(1, right + 1)
    return min(1.0, tail + 2 * canaries * delta * float(means.max()))


def _sides(canaries: int) -> list[int]:
    """How many of the highest, and as many of the lowest, are guessed about: one number for each try."""
    return sorted({max(1, int(share * canaries / 2)) for share in SHARES if share * canaries >= 2})


def _doubt(canaries: int, confidence: float) -> float:
    """What is left of the doubt for one of the tries; each number of guesses is tried both ways."""
    return (1 - confidence) / max(1, 2 * len(_sides(canaries)))


def _right(inside: npt.NDArray[np.float64], outside: npt.NDArray[np.float64], side: int) -> int:
    """Right guesses of the `side` highest as "in" and the `side` lowest as "out"; ties count against them."""
    scores = np.concatenate([inside, outside])
    member = np.concatenate([np.ones(len(inside), dtype=bool), np.zeros(len(outside), dtype=bool)])
    highest = np.lexsort((member, -scores))[:side]  # by falling score; of equal ones, those out come first
    lowest = np.lexsort((~member, scores))[:side]  # by rising score; of equal ones, those in come first
    return int(member[highest].sum() + (~member[lowest]).sum())
