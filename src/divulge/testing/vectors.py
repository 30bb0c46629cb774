"""Fixed random directions for names: the same in every process, and independent of any training data."""

from __future__ import annotations

import hashlib
from functools import lru_cache

import numpy as np

from divulge.records import FloatArray

__all__ = ["name_number", "name_vector"]


@lru_cache(maxsize=100_000)
def name_number(name: str) -> int:
    """A 64-bit number for a name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "big")


@lru_cache(maxsize=100_000)
def name_vector(name: str, width: int) -> FloatArray:
    """A standard normal vector for a name; (width,)."""
    vector = np.random.default_rng(name_number(name)).normal(size=width)
    vector.flags.writeable = False
    return vector
