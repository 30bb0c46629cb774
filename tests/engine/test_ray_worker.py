"""Tests of what a node of a cluster does, without a cluster."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import pytest
from tests.engine.sample_tasks import EXECUTE, executions

from divulge import __version__
from divulge.engine import ray_worker
from divulge.engine.ray_worker import work
from divulge.graph import Task
from divulge.records import Artefact
from divulge.store import Store

MARK = "ab" * 32
TASK = Task(kind="attack", label="an attack", payload={"seed": 1})


@pytest.fixture(autouse=True)
def _as_it_was(monkeypatch):
    """A node's process belongs to it; this one does not."""
    monkeypatch.setattr(ray_worker, "_hold_to_one_thread", lambda: None)
    monkeypatch.setattr(os, "environ", os.environ.copy())
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(Path.cwd())
    monkeypatch.setattr(ray_worker, "SEEN_SECONDS", 0.0)
    ray_worker._prepared.cache_clear()


@pytest.fixture
def store(tmp_path):
    """A store with the mark of a run."""
    made = Store(tmp_path / "store")
    made.put(MARK, Artefact(), {"kind": "cluster-run"})
    return made


@pytest.fixture
def setting(store, tmp_path):
    """What the run tells its nodes."""
    return {
        "version": __version__,
        "store": store.location,
        "mark": MARK,
        "execute": EXECUTE,
        "path": [str(tmp_path / "beside")],
        "folder": str(tmp_path),
        "environment": {"DIVULGE_SAMPLE_FOLDER": str(tmp_path)},
        "debug": False,
    }


def said(setting, task=TASK):
    """The node's answer."""
    return json.loads(work(json.dumps(setting), task.model_dump_json()))


def test_a_task_goes_in_as_json_and_its_answer_comes_out(setting, store, tmp_path, capfd):
    """The artefact is in the store; the answer names the process; what a task prints goes nowhere."""
    chatty = Task(kind="attack", payload={"seed": 1, "raises": "value"})
    found = said(setting)
    assert (found["key"], found["state"]) == (TASK.key, "done")
    assert found["worker"].endswith(f":{os.getpid()}")
    assert store.has(TASK.key)
    assert str(tmp_path / "beside") == sys.path[-1]
    failed = said(setting, chatty)
    assert failed["state"] == "failed"
    assert failed["reason"].startswith("ValueError at engine/sample_tasks.py:")
    assert "swordfish" not in json.dumps(failed)
    assert capfd.readouterr().out == ""


def test_a_node_makes_itself_ready_once(setting, monkeypatch):
    """The second task of a run finds all as the first left it; another run starts anew."""
    opened = []
    monkeypatch.setattr(ray_worker, "Store", lambda location: opened.append(location) or Store(location))
    assert said(setting)["state"] == "done"
    assert said(setting)["state"] == "cached"
    assert len(opened) == 1
    assert said({**setting, "debug": True})["state"] == "cached"
    assert len(opened) == 2


def test_paths_count_from_the_folder_of_the_run(setting, tmp_path):
    """And not from where Ray was started; a node without that folder stays where it is."""
    said(setting)
    assert Path.cwd() == tmp_path
    assert said({**setting, "folder": str(tmp_path / "nowhere")})["state"] == "cached"
    assert Path.cwd() == tmp_path


def test_a_node_that_sees_another_store_does_nothing(setting, tmp_path):
    """A folder of the same name on another machine is another folder."""
    other = {**setting, "store": str(tmp_path / "elsewhere")}
    assert "does not see the store at" in said(other)["unfit"]
    assert "Set DIVULGE_STORE to a folder that every node shares" in said(other)["unfit"]
    assert not (tmp_path / "executions").exists()


def test_a_node_of_another_version_does_nothing(setting, tmp_path):
    """Revisions of parts would be taken for those of the run."""
    assert f"has divulge {__version__}, the run was started with 9.9" in said({**setting, "version": "9.9"})["unfit"]
    assert not (tmp_path / "executions").exists()


def test_a_node_that_cannot_load_the_function_says_so(setting, monkeypatch):
    """Wrong input of the caller's; anything else that is amiss names its kind and no more."""
    assert "'no.such:thing' cannot be loaded" in said({**setting, "execute": "no.such:thing"})["unfit"]

    def broken(location):
        raise RuntimeError("the word is swordfish")

    monkeypatch.setattr(ray_worker, "Store", broken)
    assert said(setting)["unfit"].endswith("cannot be made ready: RuntimeError")


def test_tasks_of_a_node_leave_their_traces(setting):
    """The environment of the run's own variables is that of its nodes."""
    said(setting)
    assert executions() == [(TASK.key, os.getpid())]
