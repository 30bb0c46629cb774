"""Inner products, with torch and without it."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from divulge.attacks.products import products


@pytest.mark.parametrize("installed", [True, False])
def test_products_are_those_of_all_pairs_of_rows(installed: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whichever library computes them; transposed arrays too, which are not in one piece."""
    if not installed:
        monkeypatch.setitem(sys.modules, "torch", None)
    rng = np.random.default_rng(0)
    left, right = rng.normal(size=(3, 4)).astype(np.float32), rng.normal(size=(4, 5)).astype(np.float32).T
    slow = [[sum(float(a) * float(b) for a, b in zip(one, other, strict=True)) for other in right] for one in left]
    found = products(left, right)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, slow, rtol=1e-5)
    told = np.arange(5, dtype=np.float32)  # 0 to the first right row, 4 to the last
    np.testing.assert_allclose(products(left, right, told), np.array(slow) + np.arange(5), rtol=1e-5)
