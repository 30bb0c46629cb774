"""Fixed directions for names."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

from divulge.testing.vectors import name_number, name_vector


def test_a_name_has_one_vector_in_every_process() -> None:
    """Python's own hash differs between processes; this must not."""
    code = "from divulge.testing.vectors import *; print(name_number('a'), name_vector('a', 2).tolist())"
    said = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert said == {f"{name_number('a')} {name_vector('a', 2).tolist()}\n"}


def test_different_names_have_different_vectors() -> None:
    """Nearly orthogonal in many dimensions, of about unit variance."""
    a, b = name_vector("a", 1000), name_vector("b", 1000)
    assert abs(float(a @ b)) / 1000 < 0.15
    assert float(np.mean(a**2)) == pytest.approx(1, abs=0.2)


def test_a_shared_vector_cannot_be_changed() -> None:
    """It is cached: a change would reach every other user of it."""
    with pytest.raises(ValueError, match="read-only"):
        name_vector("a", 4)[0] = 1.0
