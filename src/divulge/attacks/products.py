"""Large products in single precision: torch, where it is installed, takes half the time of numpy's library."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["products"]

Single = npt.NDArray[np.float32]


def products(left: Single, right: Single) -> Single:
    """The inner products of all rows of both; (rows of left, rows of right)."""
    try:
        import torch
    except ImportError:  # an optional dependency
        return np.asarray(left @ right.T)
    found = torch.from_numpy(np.ascontiguousarray(left)) @ torch.from_numpy(np.ascontiguousarray(right)).T
    return np.asarray(found.numpy())
