"""Tests of the options that say where tasks run and for how long."""

from __future__ import annotations

import os

import pytest

from divulge.cli.engines import chosen_engine, duration
from divulge.engine.requests import Cluster, Request
from divulge.errors import InputError


def test_workers_are_those_of_the_command_line_or_one_per_core():
    """Also none."""
    assert chosen_engine("local", 3).workers == 3
    assert chosen_engine("local", 0).workers == 0
    assert chosen_engine("local", None).workers == os.cpu_count()
    assert chosen_engine("local", None).cluster is None


def test_the_number_of_workers_may_be_set_for_a_whole_shell(monkeypatch):
    """The command line goes first; what is no number is wrong input."""
    monkeypatch.setenv("DIVULGE_WORKERS", "3")
    assert chosen_engine("local", None).workers == 3
    assert chosen_engine("local", 0).workers == 0
    monkeypatch.setenv("DIVULGE_WORKERS", "many")
    with pytest.raises(InputError, match="DIVULGE_WORKERS must be a whole number, 0 or more. Got 'many'"):
        chosen_engine("local", None)


def test_a_cluster_is_named_by_its_address(monkeypatch):
    """The one on this machine by default; workers are then tasks at once, whatever the shell says of processes."""
    monkeypatch.setenv("DIVULGE_WORKERS", "3")
    assert chosen_engine("ray", None).cluster == Cluster("auto", None)
    chosen = chosen_engine("ray", 5, "head:6379", "1m", {"attack": {"cpus": 2, "gpus": 0.5}})
    assert chosen.cluster == Cluster("head:6379", 5, {"attack": Request(cpus=2, gpus=0.5)})
    assert chosen.seconds == 60


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("cluster", 1), "unknown engine 'cluster'"),
        (("local", 1, "head:6379"), "--address is for the engine ray"),
        (("ray", 0), "at least 1 with the engine ray. Got 0"),
        (("local", 1, None, "soon"), "--max-time must be a time above 0, as in 90, 30m or 1h30m. Got 'soon'"),
    ],
)
def test_options_that_do_not_fit_are_wrong_input(arguments, words):
    """With what was found and what is allowed."""
    with pytest.raises(InputError, match=words):
        chosen_engine(*arguments)


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("90", 90), ("90s", 90), ("30m", 1800), ("1h30m", 5400), ("1h5", 3605), ("2d", 172800), (" 7m ", 420)],
)
def test_times_have_units(text, seconds):
    """1 h 30 min is 60 * 60 + 30 * 60 s; without a unit, seconds are meant."""
    assert duration(text) == seconds


@pytest.mark.parametrize("text", ["", "0", "0h", "-5", "1.5h", "m", "30m1h", "1h 30m", "one"])
def test_what_is_no_time_is_wrong_input(text):
    """Nothing, less than nothing, and units in the wrong order."""
    with pytest.raises(InputError, match="--max-time"):
        duration(text)
