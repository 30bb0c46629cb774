"""Tests of what tasks ask of the machines of a cluster."""

from __future__ import annotations

import pytest

from divulge.engine.requests import Cluster, Request, requests_from
from divulge.errors import InputError

KINDS = ("train-target", "attack")


def test_a_task_needs_one_core_unless_told_otherwise():
    """By kind; 1.5 GB are 1.5 * 10^9 bytes, and no memory is set aside unless asked for."""
    cluster = Cluster(requests=requests_from({"train-target": {"cpus": 2, "memory_gb": 1.5, "gpus": 0.25}}, KINDS))
    trained = cluster.request("train-target")
    assert (trained.cpus, trained.memory, trained.gpus) == (2, 1_500_000_000, 0.25)
    assert cluster.request("attack") == Request()
    assert (Request().cpus, Request().memory, Request().gpus) == (1, None, 0)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"gpus": 1.5}, "'gpus': .*must be a whole number, or a share of one below 1"),
        ({"cpus": 0.00001}, "'cpus': .*must be a multiple of 0.0001"),
    ],
)
def test_what_ray_cannot_count_is_wrong_input(asked, words):
    """It would be refused by Ray, in the middle of a run and without words of ours."""
    with pytest.raises(InputError, match=words):
        requests_from({"attack": asked}, KINDS)
    assert requests_from({"attack": {"cpus": 1.5, "gpus": 2}}, KINDS)["attack"].gpus == 2


def test_all_that_is_wrong_is_told_at_once():
    """An unknown kind, something that is no table, an unknown setting, a number out of range."""
    wrong = {"atack": {}, "attack": 3}
    more = {"attack": {"cpu": 1}, "train-target": {"gpus": -1, "memory_gb": 0}}
    with pytest.raises(InputError) as first:
        requests_from(wrong, KINDS)
    assert first.value.problems == (
        "run.resources.atack: unknown kind of task. Did you mean 'attack'?",
        "run.resources.attack: must be a table, as in {cpus = 2, memory_gb = 4, gpus = 1}",
    )
    with pytest.raises(InputError) as second:
        requests_from(more, KINDS)
    assert len(second.value.problems) == 3
