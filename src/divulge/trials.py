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

__all__ = ["Slopes", "half_unit", "luck", "moved_labels", "same_vectors", "slopes"]

FEWEST_OF_A_LABEL = 5
MOST_DECIMALS = 6  # probabilities shown with more than so many are not called rounded


def luck(right: int, n: int, chance: float) -> float:
    """The probability of at least so many right answers of `n` by chance alone.

    >>> luck(3, 4, 0.5)  # (4 + 1) of 16
    0.3125
    """
    return sum(math.exp(_log_probability(k, n, chance)) for k in range(right, n + 1)) if 0 < chance < 1 else 1.0


def moved_labels(true: npt.NDArray[np.int64], said: npt.NDArray[np.int64]) -> int:
    """How many labels are called by another's name, in a circle: no model errs like that, but a wrong order does."""
    called: dict[int, int] = {}
    for label in np.unique(true):
        names, counts = np.unique(said[true == label], return_counts=True)
        if counts.sum() >= FEWEST_OF_A_LABEL and 2 * counts.max() > counts.sum():
            called[int(label)] = int(names[counts.argmax()])
    return sum(name != label and _comes_back(label, called) for label, name in called.items())


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


def _comes_back(start: int, called: dict[int, int]) -> bool:
    place = called[start]
    for _ in called:
        if place == start:
            return True
        place = called.get(place, place)
    return False
