"""Large products in single precision: torch, where it is installed, takes half the time of numpy's library."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["products"]

Single = npt.NDArray[np.float32]


def products(left: Single, right: Single, plus: Single | None = None) -> Single:
    """The inner products of all rows of both, and `plus` what is told of each right one; (rows of left, of right)."""
    try:
        import torch
    except ImportError:  # an optional dependency
        found = left @ right.T
        return np.asarray(found if plus is None else np.add(found, plus, out=found))
    one, other = torch.from_numpy(np.ascontiguousarray(left)), torch.from_numpy(np.ascontiguousarray(right))
    added = one @ other.T if plus is None else torch.addmm(torch.from_numpy(plus), one, other.T)
    return np.asarray(added.numpy())
