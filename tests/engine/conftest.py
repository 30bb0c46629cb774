"""A Ray cluster of several nodes on this machine, started once, for tests that need one."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

NODE = {"num_cpus": 1, "object_store_memory": 80 * 2**20}


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
