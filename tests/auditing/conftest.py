"""Every test of auditing has a store of its own."""

from __future__ import annotations

import pytest

from divulge.store import Store


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store(tmp_path / "store")
