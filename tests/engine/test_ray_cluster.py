"""Tests of the engine on a Ray cluster: its bookkeeping on a made-up Ray, and real nodes, one of them killed."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import pytest
from tests.engine.conftest import NODE
from tests.engine.sample_tasks import EXECUTE, contents, executions, sample_graph, wait_until

from divulge.canonical import freeze
from divulge.engine import ray_cluster, ray_worker
from divulge.engine.progress import Progress
from divulge.engine.ray_cluster import MARK, RayCluster
from divulge.engine.requests import Cluster, Request
from divulge.engine.running import TimeIsUpError, drive, run
from divulge.errors import ExecutionError, InputError
from divulge.graph import Graph, Task
from divulge.store import Store
from divulge.studies import study_named
from divulge.studies.running import run_study

GIGABYTE = 10**9


class RayError(Exception):
    """The base of what a made-up Ray raises."""


class NodeDiedError(RayError):
    """A node is gone."""


class LocalRayletDiedError(RayError):
    """The node that the run itself is on is gone."""


class RayTaskError(RayError):
    """The function itself could not be called."""


class RaySystemError(RayError):
    """The cluster itself is at fault."""


ERRORS = SimpleNamespace(RayError=RayError, RayTaskError=RayTaskError, RaySystemError=RaySystemError)


class MadeUpRay:
    """Does tasks when they are waited for, the last one first; `losses` are raised in place of the first answers."""

    def __init__(self, *losses: Exception, nodes: tuple[dict[str, float], ...] = ({"CPU": 2.0},)) -> None:
        self.losses = list(losses)
        self.asked: list[dict[str, object]] = []
        self.sent: list[tuple[str, str]] = []
        self.cancelled: list[object] = []
        self.left = 0
        self._nodes = nodes

    def is_initialized(self):
        return True

    def nodes(self):
        return [{"Alive": True, "Resources": node} for node in self._nodes]

    def cluster_resources(self):
        return {"CPU": sum(node["CPU"] for node in self._nodes)}

    def remote(self, function):
        def submit(setting, task):
            self.sent.append((setting, task))
            return len(self.sent) - 1

        self.function = function
        return SimpleNamespace(options=lambda **asked: self.asked.append(asked) or SimpleNamespace(remote=submit))

    def wait(self, references, *, num_returns, timeout):
        if num_returns > 1 or timeout == 0:
            return [], references
        return references[-1:], references[:-1]

    def get(self, reference):
        if self.losses:
            raise self.losses.pop(0)
        return self.function(*self.sent[reference])

    def cancel(self, reference, *, force):
        self.cancelled.append(reference)

    def shutdown(self):
        self.left += 1


@pytest.fixture
def made_up(monkeypatch):
    """Puts a made-up Ray in the place of the library."""

    def make(*losses, **settings):
        made = MadeUpRay(*losses, **settings)
        monkeypatch.setattr(ray_cluster, "_library", lambda: (made, ERRORS))
        monkeypatch.setattr(ray_worker, "_hold_to_one_thread", lambda: None)
        return made

    return make


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """What is in the store after a run of the sample graph in one process."""
    folder = tmp_path_factory.mktemp("undisturbed")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("DIVULGE_SAMPLE_FOLDER", str(folder))
        store = Store(folder / "store")
        run(sample_graph(), store, 0, EXECUTE)
    return contents(store)


def test_only_json_crosses_the_wire(made_up, store, undisturbed, folder):
    """One Ray task for each of the graph, text there and text back; the artefacts are those of this process."""
    ray = made_up()
    report = run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(), log=folder / "log.jsonl")
    assert len(report.done) == len(ray.sent) == 10
    assert contents(store) == undisturbed
    for setting, task in ray.sent:
        assert json.loads(setting)["store"] == store.location
        assert set(json.loads(task)) == {"kind", "label", "payload", "needs", "revisions"}
    assert {asked["max_retries"] for asked in ray.asked} == {0}
    assert {asked["num_cpus"] for asked in ray.asked} == {1.0}
    events = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    assert {one["worker"] for one in events if one["event"] == "start"} == {"ray"}
    assert ray.left == 0  # who had joined the cluster before the run goes on with it


def test_a_lost_node_costs_a_new_start_and_a_limit_of_them(made_up, store):
    """Two losses of one task are made good; the third in a row is its failure, and the others are done."""
    made_up(NodeDiedError(), NodeDiedError())
    assert len(run(sample_graph(), store, 0, EXECUTE, cluster=Cluster()).done) == 10
    made_up(*(NodeDiedError() for _ in range(3)))
    graph = Graph()
    graph.add(Task(kind="attack", label="unlucky", payload={"seed": 7}))
    graph.add(Task(kind="attack", label="lucky", payload={"seed": 8}))
    report = run(graph, store, 0, EXECUTE, cluster=Cluster(most=1))
    assert {graph[key].label: failure.reason for key, failure in report.failures.items()} == {
        "unlucky": "worker died (node lost) 3 times"
    }
    assert [graph[key].label for key in report.done] == ["lucky"]


def test_a_task_that_fails_for_its_own_reason_is_not_tried_again(made_up, store):
    """It costs itself and what needs it."""
    ray = made_up()
    graph = sample_graph(raises="input")
    report = run(graph, store, 0, EXECUTE, cluster=Cluster())
    assert sorted(graph[key].label for key in report.failures) == ["attack 2.1", "measure"]
    assert len(ray.sent) == len(executions()) == 9


def test_tasks_ask_for_what_their_kind_needs(made_up, store):
    """Cores, memory and a graphics card, where one node has all of it; no card where there is none at all."""
    wanted = {"attack": Request(cpus=2, memory_gb=4, gpus=1)}
    ray = made_up(nodes=({"CPU": 8.0, "memory": 2.0 * GIGABYTE}, {"CPU": 4.0, "memory": 8.0 * GIGABYTE, "GPU": 1.0}))
    run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(requests=wanted))
    asked = {one["name"]: one for one in ray.asked}
    attack = asked["divulge attack"]
    assert (attack["num_cpus"], attack["memory"], attack["num_gpus"]) == (2, 4 * GIGABYTE, 1)
    assert "memory" not in asked["divulge measure"]
    store.clear()
    ray = made_up(nodes=({"CPU": 4.0, "memory": 8.0 * GIGABYTE},))
    run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(requests=wanted))
    assert {one["num_gpus"] for one in ray.asked} == {0}


def test_what_no_node_can_hold_is_refused(made_up, store):
    """It would wait for ever: 4 cores and 4 GB are there, but not on one node."""
    made_up(nodes=({"CPU": 8.0, "memory": 2.0 * GIGABYTE}, {"CPU": 2.0, "memory": 8.0 * GIGABYTE}))
    needs = Cluster(requests={"train-target": Request(cpus=4, memory_gb=4)})
    with pytest.raises(InputError, match=r"asks for 4 cores, 0 GPUs, 4.0 GB. The most .* 8 cores, 0 GPUs, 8.0 GB"):
        run(sample_graph(), store, 0, EXECUTE, cluster=needs)


def test_what_no_node_can_hold_is_refused_before_other_work_is_done(made_up, store):
    """The last kind of task must not tell it after hours; a kind of which all is there asks for nothing."""
    ray = made_up()
    needs = Cluster(requests={"measure": Request(cpus=4)})
    with pytest.raises(InputError, match="can hold a measure task, which asks for 4 cores"):
        run(sample_graph(), store, 0, EXECUTE, cluster=needs)
    assert ray.sent == []
    assert list(store.entries()) == []
    run(sample_graph(), store, 0, EXECUTE)
    assert run(sample_graph(), store, 0, EXECUTE, cluster=needs).failures == {}


def test_as_many_tasks_are_out_as_the_cluster_may_want(made_up, store):
    """Twice its cores, and no fewer than an autoscaler needs to see; or as many as were asked for."""
    free = []
    for cores, cluster in ((50.0, Cluster()), (2.0, Cluster()), (50.0, Cluster(most=3))):
        made_up(nodes=({"CPU": cores},))
        executor = RayCluster(cluster, EXECUTE, store)
        executor.submit(Task(kind="attack"))
        free.append(executor.free())
        executor.close()
    assert free == [99, 63, 2]  # one of 100, of 64 and of 3 is out


def test_whatever_ends_a_run_leaves_no_task_and_no_mark_behind(made_up, store):
    """The mark that nodes look for is there while it runs; what runs on is cancelled."""
    ray = made_up()

    class Interrupting(Progress):
        def started(self, task):
            assert [entry.kind for entry in store.entries()] == [MARK]
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(), progress=Interrupting())
    assert ray.cancelled == [0]
    assert list(store.entries()) == []
    report = run(sample_graph(), store, 0, EXECUTE, cluster=Cluster())
    assert len(report.done) == 10


@pytest.mark.parametrize(
    ("error", "kind", "words"),
    [
        (RayTaskError(), ExecutionError, r"cannot run divulge \(RayTaskError\): install divulge .* on every node"),
        (RaySystemError(), ExecutionError, r"the cluster failed \(RaySystemError\)"),
        (LocalRayletDiedError(), ExecutionError, "the cluster is gone, .* What is finished is kept"),
    ],
)
def test_a_cluster_that_cannot_work_ends_the_run(made_up, store, error, kind, words):
    """It is no fault of a task's."""
    made_up(error)
    with pytest.raises(kind, match=words):
        run(sample_graph(), store, 0, EXECUTE, cluster=Cluster())


def test_a_node_that_is_unfit_ends_the_run(made_up, store):
    """With its own words."""
    made_up()
    with pytest.raises(InputError, match="'no.such:thing' cannot be loaded"):
        run(sample_graph(), store, 0, "no.such:thing", cluster=Cluster())


def test_time_may_run_out_while_a_cluster_works(made_up, store):
    """Nothing is answered for in time."""
    ray = made_up()
    ray.wait = lambda references, *, num_returns, timeout: ([], references)
    with pytest.raises(TimeIsUpError, match=r"the time is up \(1 s\): 0 of 10 tasks are done"):
        run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(), seconds=1.0)


def test_the_time_to_reach_a_cluster_counts_and_is_not_taken_from_what_is_told(made_up, store, monkeypatch):
    """A cluster that takes longer to start than there is time: the message names the time that was given."""
    ray = made_up()
    ray.wait = lambda references, *, num_returns, timeout: ([], references)
    monkeypatch.setattr(ray_cluster, "_connect", lambda *_: time.sleep(0.6))
    begin = time.monotonic()
    with pytest.raises(TimeIsUpError, match=r"the time is up \(1 s\)"):
        run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(), seconds=0.51)
    assert time.monotonic() - begin < 5


def test_ray_must_be_installed(monkeypatch, store):
    """Wrong input, with what to do."""
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(InputError, match=r'pip install "divulge\[ray\]"'):
        run(sample_graph(), store, 0, EXECUTE, cluster=Cluster())


@pytest.mark.parametrize("address", ["nowhere", "host:", ":1", "host:port", "host:0", "host:70000"])
def test_an_address_has_a_host_and_a_port(made_up, store, address):
    """Or it is auto, or local."""
    made_up().is_initialized = lambda: False
    with pytest.raises(InputError, match="--address must be HOST:PORT, auto or local"):
        run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(address))


@pytest.mark.parametrize(("address", "told"), [("127.0.0.1:1", None), ("auto", "127.0.0.1:1")])
def test_a_cluster_that_is_not_there_is_not_waited_for(made_up, store, monkeypatch, address, told):
    """Whether the command line names it or the environment."""
    if told:
        monkeypatch.setenv("RAY_ADDRESS", told)
    made_up().is_initialized = lambda: False
    with pytest.raises(ExecutionError, match="there is no Ray cluster at 127.0.0.1:1. Start one with: ray start"):
        run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(address))


def test_what_the_environment_names_is_checked_by_its_own_name(made_up, store, monkeypatch):
    """And an empty name is none."""
    made_up().is_initialized = lambda: False
    monkeypatch.setenv("RAY_ADDRESS", "nowhere")
    with pytest.raises(InputError, match="RAY_ADDRESS must be HOST:PORT. Got 'nowhere'"):
        run(sample_graph(), store, 0, EXECUTE, cluster=Cluster())
    monkeypatch.setenv("RAY_ADDRESS", "")
    ray_cluster._reach("auto")


def test_what_is_no_cluster_is_not_waited_for(made_up, store):
    """A page for browsers, such as Ray's own: Ray would try for minutes."""
    made_up().is_initialized = lambda: False
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with server.accept()[0] as other:
                other.recv(100)
                other.sendall(b"HTTP/1.0 505 HTTP Version Not Supported\r\n\r\n")

        threading.Thread(target=answer, daemon=True).start()
        address = f"127.0.0.1:{server.getsockname()[1]}"
        with pytest.raises(ExecutionError, match=f"what answers at {address} is no Ray cluster"):
            run(sample_graph(), store, 0, EXECUTE, cluster=Cluster(address))


# -- a real cluster -----------------------------------------------------------------------------------------


def settled(nodes):
    """Sees to it that there are two nodes besides the head, whatever a test did to them."""
    while len(nodes.worker_nodes) < 2:
        nodes.add_node(**NODE)
    nodes.wait_for_nodes()
    return nodes.address


def doing(nodes, pid):
    """The node whose process this is."""
    parent = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    return next(node for node in nodes.worker_nodes if node.all_processes["raylet"][0].process.pid == parent)


def untimed(table):
    """The table without what its tasks took: in all, by cell, and by attack in it."""
    none = {"seconds": 0.0}
    cells = tuple(
        cell.model_copy(update={**none, "parts": tuple(part.model_copy(update=none) for part in cell.parts)})
        for cell in table.cells
    )
    return table.model_copy(update={**none, "cells": cells})


def test_real_nodes_make_the_same_artefacts(ray_nodes, store, undisturbed):
    """Of the sample graph, on other processes than this one; a second run finds all of it."""
    where = Cluster(settled(ray_nodes))
    report = run(sample_graph(), store, 0, EXECUTE, cluster=where)
    assert (len(report.done), report.failures) == (10, {})
    assert contents(store) == undisturbed
    assert len(executions()) == 10
    again = run(sample_graph(), store, 0, EXECUTE, cluster=where)
    assert (again.done, len(again.cached)) == ((), 1)


@pytest.mark.slow
def test_a_node_that_is_killed_costs_only_time(ray_nodes, store, folder, capfd):
    """The task that ran on it is started again on another node; nothing is printed."""
    settled(ray_nodes)
    graph = sample_graph(gate="late")

    class Killing(Progress):
        def __init__(self):
            self.heard = []

        def ended(self, task, state, seconds, reason=""):
            self.heard.append((task.label, state, reason))
            if len(self.heard) == 8:  # all but the gated attack and the measure
                wait_until((folder / "late.begun").exists, "the gate")
                [pid] = [pid for key, pid in executions() if graph[key].label == "attack 2.1"]
                ray_nodes.remove_node(doing(ray_nodes, pid), allow_graceful=False)
            if state == "retry":
                (folder / "late.open").touch()

    told = Killing()
    executor = RayCluster(Cluster(ray_nodes.address, most=2), EXECUTE, store)
    report = drive(graph, store, executor, progress=told)
    assert (len(report.done), report.failures) == (10, {})
    retried = [(label, reason) for label, state, reason in told.heard if state == "retry"]
    assert [label for label, _ in retried] == ["attack 2.1"]
    assert [graph[key].label for key, _ in executions()].count("attack 2.1") == 2
    assert capfd.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_a_study_on_a_cluster_is_the_study_on_this_machine(ray_nodes, store, tmp_path):
    """With a node killed in the middle of it: tables and artefacts are equal in everything but seconds and host."""
    settled(ray_nodes)

    class Killing(Progress):
        def __init__(self):
            self.ended_tasks = 0

        def ended(self, task, state, seconds, reason=""):
            self.ended_tasks += 1
            if self.ended_tasks == 10:
                ray_nodes.remove_node(next(iter(ray_nodes.worker_nodes)), allow_graceful=False)

    study, told = study_named("worlds/ladder"), Killing()
    some = {"axes": freeze({"access": ["LabelLikelihoodAccess", "RankedTokensAccess"]}), "seeds": (0,)}
    study = study.model_copy(update={"scales": (study.scales[0].model_copy(update=some),)})
    there = run_study(study, "smoke", store, workers=0, cluster=Cluster(ray_nodes.address), progress=told)
    assert len(ray_nodes.worker_nodes) == 1
    assert told.ended_tasks >= 27
    local = Store(tmp_path / "local")
    here = run_study(study, "smoke", local, workers=0)
    assert there.failures == here.failures == ()
    assert untimed(there) == untimed(here)
    assert contents(store) == contents(local)
