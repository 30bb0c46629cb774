"""Tests of half-done work: what is left when, who finds it, what it costs."""

from __future__ import annotations

import logging

import numpy as np
import pytest

from divulge.errors import ExecutionError
from divulge.halfway import Halfway, halfway, opened
from divulge.records import Artefact
from divulge.store import Store

KEY = "ab" * 32


@pytest.fixture
def store(tmp_path):
    """An empty store."""
    return Store(tmp_path / "store")


def state(number):
    """A state to leave, with something to know it by."""
    return lambda: Artefact({"epoch": number}, {"weights": np.full(3, number, dtype=np.float32)})


def untimely():
    """Something to leave that nobody should make."""
    raise AssertionError("it is not time yet")


def test_what_is_left_is_found_by_the_next_attempt(store):
    """A second attempt at the same task finds the last state, and the seconds of the first."""
    with opened(store, KEY, every=0) as work:
        part = halfway().part()
        assert part.found() is None
        part.leave(state(1))
        taken = work.seconds
        part.leave(state(2))
    with opened(store, KEY, every=0) as again:
        found = halfway().part().found()
        assert found.values == {"epoch": 2}
        assert found.arrays["weights"].tolist() == [2, 2, 2]
        assert again.seconds >= taken > 0


def test_trainings_of_one_task_do_not_mix(store):
    """The second training of a task finds what the second left, and nothing of the first; another task nothing."""
    with opened(store, KEY, every=0):
        halfway().part().leave(state(1))
        halfway().part().leave(state(2))
    with opened(store, KEY):
        assert [halfway().part().found().values["epoch"] for _ in range(2)] == [1, 2]
        assert halfway().part().found() is None
    with opened(store, "cd" * 32):
        assert halfway().part().found() is None


def test_before_its_time_nothing_is_made(store):
    """A state is only made when it is to be left: a short task pays nothing."""
    with opened(store, KEY, every=3600):
        halfway().part().leave(untimely)
        assert halfway().part().found() is None


def test_outside_of_a_task_nothing_is_kept():
    """Training by hand works the same and leaves nothing anywhere; nor does a task's place outlast it."""
    with opened(Store("memory://halfway-outside"), KEY, every=0):
        pass
    part = halfway().part()
    part.leave(untimely)
    assert part.found() is None


def test_what_was_left_is_forgotten_when_the_task_is_done(store):
    """No file of the store is left behind."""
    before = sorted(store.root.rglob("*"))
    with opened(store, KEY, every=0) as work:
        halfway().part().leave(state(1))
        halfway().part().leave(state(2))
        assert sorted(store.root.rglob("*")) != before
        work.forget()
    assert sorted(store.root.rglob("*")) == before


def test_half_done_work_is_no_artefact(store):
    """It is in no listing, is not the task's result, and goes when the store is cleared."""
    with opened(store, KEY, every=0):
        halfway().part().leave(state(1))
    assert not store.has(KEY)
    assert not list(store.entries())
    store.clear()
    assert store.left(KEY, 0) is None


def test_an_object_store_keeps_it_as_well():
    """All hosts of a cluster see it: whoever does the task again goes on."""
    objects = Store("memory://halfway-objects")
    with opened(objects, KEY, every=0):
        halfway().part().leave(state(7))
    assert objects.left(KEY, 0)[0].values == {"epoch": 7}
    assert not list(objects.entries())
    objects.forget(KEY, 0)
    assert objects.left(KEY, 0) is None


def test_broken_work_counts_as_none(store, caplog):
    """A file that was cut short is no reason to fail: training begins anew."""
    with opened(store, KEY, every=0):
        halfway().part().leave(state(1))
    (path,) = (store.root / "partial").iterdir()
    path.write_bytes(path.read_bytes()[:-5])
    with caplog.at_level(logging.WARNING), opened(store, KEY):
        assert halfway().part().found() is None
    assert "corrupt" in caplog.text


def test_a_full_disk_costs_only_the_keeping(caplog):
    """What cannot be left is told, and training goes on."""

    class Full:
        def left(self, key, number):
            return None

        def leave(self, key, number, artefact, info):
            raise ExecutionError("the disk is full")

    with caplog.at_level(logging.WARNING):
        Halfway(Full(), KEY, every=0).part().leave(state(1))
    assert "half-done work is not kept: the disk is full" in caplog.text


def test_a_store_that_removes_nothing_costs_no_task(caplog):
    """The task is done, and its result is stored: what stays behind is told and no failure."""

    class Frozen:
        def forget(self, key, number):
            raise ExecutionError("the disk is read-only")

    work = Halfway(Frozen(), KEY)
    work.part()
    with caplog.at_level(logging.WARNING):
        work.forget()
    assert "half-done work is not removed: the disk is read-only" in caplog.text
