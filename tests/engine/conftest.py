"""Where tasks leave their traces, an empty store, and a Ray cluster of several nodes on this machine, started once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from divulge.store import Store

NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where the sample tasks leave their traces."""
    monkeypatch.setenv("DIVULGE_SAMPLE_FOLDER", str(tmp_path))
    return tmp_path


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """An empty store."""
    return Store(tmp_path / "store")


@pytest.fixture(scope="session")
def ray_nodes() -> Iterator[Any]:
    """A head without work of its own and two nodes of one core each; tests may take nodes away and must add them."""
    pytest.importorskip("ray", reason='Ray is not installed: pip install "divulge[ray]"')
    from ray.cluster_utils import Cluster

    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    cluster = Cluster(initialize_head=True, head_node_args={**NODE, "num_cpus": 0, "include_dashboard": False})
    try:
        cluster.add_node(**NODE)
        cluster.add_node(**NODE)
        cluster.wait_for_nodes()
        yield cluster
    finally:
        cluster.shutdown()
