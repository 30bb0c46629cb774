"""Values as callers write them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from divulge.api.plain import plain
from divulge.api.targets import given_target
from divulge.api.texts import given_data
from divulge.spec import DataSpec, PartSpec, TargetSpec


def test_paths_and_numbers_of_numpy_become_plain() -> None:
    """All the way down; what is something else stays what it is."""
    part = PartSpec(name="x")
    found = plain(
        {"a": Path("b"), "c": [Path("d"), {"e": (np.int64(1), np.float64(0.5))}], "f": np.arange(2), "g": part}
    )
    assert found == {"a": "b", "c": ["d", {"e": [1, 0.5]}], "f": [0, 1], "g": part}
    assert found["g"] is part
    assert type(found["c"][1]["e"][0]) is int


def test_dicts_of_callers_may_hold_paths() -> None:
    """Where an audit file has text."""
    assert given_data({"path": Path("a.csv")}) == DataSpec(path="a.csv")
    expected = TargetSpec(kind="x", path="m", recipe={"adapter": "n"})
    assert given_target({"kind": "x", "path": Path("m")}, recipe={"adapter": Path("n")}).spec == expected
