"""The arithmetic behind the handshake: could this be luck, a wrong order, a rounded answer, a wrong gradient?"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from divulge.records import FloatArray

if TYPE_CHECKING:
    import torch

__all__ = ["LUCK", "Slopes", "half_unit", "luck", "moved_labels", "same_vectors", "slopes"]

FEWEST_OF_A_LABEL = 5
LUCK = 0.01  # how often chance may be called evidence
MOST_DECIMALS = 6  # probabilities shown with more than so many are not called rounded


def luck(right: int, n: int, chance: float) -> float:
    """The probability of at least so many right answers of `n` by chance alone.

    >>> luck(3, 4, 0.5)  # (4 + 1) of 16
    0.3125
    """
    return sum(math.exp(_log_probability(k, n, chance)) for k in range(right, n + 1)) if 0 < chance < 1 else 1.0


def moved_labels(true: npt.NDArray[np.int64], said: npt.NDArray[np.int64]) -> int:
    """How many labels are called by another's name, in a circle: no model errs like that, but a wrong order does.

    A model that cannot tell a few labels apart calls each by any of their names, and of a handful of texts most may
    get the next one's: a circle counts only where that is more than luck.
    """
    called: dict[int, int] = {}
    for label in np.unique(true):
        names, counts = np.unique(said[true == label], return_counts=True)
        if counts.sum() >= FEWEST_OF_A_LABEL and 2 * counts.max() > counts.sum():
            called[int(label)] = int(names[counts.argmax()])
    circles = {_circle(label, called) for label, name in called.items() if name != label}
    return sum(len(circle) for circle in circles if circle and _is_moved(circle, called, true, said))


def half_unit(rows: FloatArray) -> float:
    """Half of the last decimal that is shown; 0 where nothing looks rounded."""
    for decimals in range(MOST_DECIMALS + 1):
        if np.allclose(rows, np.round(rows, decimals), rtol=0, atol=1e-12):
            return float(0.5 * 10.0**-decimals)
    return 0.0


def same_vectors(a: npt.ArrayLike, b: npt.ArrayLike) -> bool:
    """Whether two answers agree up to what batching does to rounding: a hundredth of their own scale."""
    left, right = np.asarray(a), np.asarray(b)
    scale = float(np.abs(right).mean()) if right.size else 0.0
    return left.shape == right.shape and bool(np.allclose(left, right, rtol=1e-2, atol=1e-2 * scale))


class Slopes(NamedTuple):
    """How steeply a loss rises along some directions, told in two ways, and the rounding of the second."""

    by_gradient: FloatArray
    by_difference: FloatArray
    noise: float


def slopes(loss: Callable[[torch.Tensor], torch.Tensor], inputs: torch.Tensor, steps: torch.Tensor) -> Slopes:
    """Takes the slope of a loss, (B, T, d) -> (B,), at `inputs` (T, d) along each of `steps` (directions, T, d)."""
    import torch

    leaf = inputs[None].clone().requires_grad_()
    (gradient,) = torch.autograd.grad(loss(leaf).sum(), leaf)
    precision = torch.finfo(inputs.dtype).eps
    size = precision ** (1 / 3) * float(inputs.abs().mean() + 1e-6)  # where rounding and curvature err alike
    with torch.no_grad():
        ahead, back = loss(inputs + size * steps), loss(inputs - size * steps)
    along = (steps * gradient).sum(dim=(1, 2))
    return Slopes(
        by_gradient=np.asarray(along, dtype=np.float64),
        by_difference=np.asarray((ahead - back) / (2 * size), dtype=np.float64),
        noise=8 * precision * (1 + float(ahead.abs().max())) / size,
    )


def _log_probability(k: int, n: int, chance: float) -> float:
    ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
    return ways + k * math.log(chance) + (n - k) * math.log1p(-chance)


def _circle(start: int, called: dict[int, int]) -> frozenset[int]:
    """The labels that lead from one to the next and back to `start`; none where they lead elsewhere."""
    passed, place = {start}, called[start]
    while place in called and place not in passed:
        passed.add(place)
        place = called[place]
    return frozenset(passed) if place == start else frozenset()


def _is_moved(
    circle: frozenset[int], called: dict[int, int], true: npt.NDArray[np.int64], said: npt.NDArray[np.int64]
) -> bool:
    """Whether texts get the next label's name more often than their own by more than the toss of a coin."""
    moved = sum(int(np.sum(said[true == label] == called[label])) for label in circle)
    right = sum(int(np.sum(said[true == label] == label)) for label in circle)
    return luck(moved, moved + right, 0.5) < LUCK
