"""Every test has a store of its own."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store that is used where none is given."""
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))
    return tmp_path / "store"
