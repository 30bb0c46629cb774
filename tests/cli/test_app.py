"""Tests of the command line as a whole: every ending has its code and its words."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import typer

from divulge import __version__
from divulge.cli import app as module
from divulge.cli.app import run
from divulge.errors import BudgetExhausted, EvidenceError, ExecutionError, InputError


@pytest.fixture
def ending(divulge, monkeypatch):
    """Runs a command that ends in a given way."""

    def how(error: BaseException, *more: str):
        def fail() -> None:
            raise error

        failing = typer.Typer()
        failing.command()(fail)
        monkeypatch.setattr(module, "app", failing)
        return divulge(*more)

    return how


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (InputError("bad name"), 2, "divulge: bad name\n"),
        (InputError(["one", "two"]), 2, "divulge: 2 problems:\n  - one\n  - two\n"),
        (ExecutionError("disk full"), 1, "divulge: disk full\n"),
        (EvidenceError("nothing there"), 3, "divulge: nothing there\n"),
        (BudgetExhausted("spent"), 1, "divulge: spent\n"),
        (FileNotFoundError(2, "No such file", "x.toml"), 1, "divulge: x.toml: No such file\n"),
        (ZeroDivisionError("secret text"), 1, "divulge: unexpected ZeroDivisionError. The same command with --debug"),
        (SystemExit(7), 7, ""),
        (SystemExit("words"), 1, ""),
        (typer.Exit(5), 5, ""),
    ],
)
def test_every_ending_has_its_code_and_its_words(ending, error, code, said):
    """One message, no trace, nothing on standard output."""
    ended = ending(error)
    assert (ended.code, ended.out) == (code, "")
    assert ended.err.startswith(said)
    assert bool(ended.err) == bool(said)
    assert "Traceback" not in ended.err
    assert "secret text" not in ended.err


@pytest.mark.parametrize("error", [KeyboardInterrupt(), typer.Abort()])
def test_an_interrupt_ends_with_130_and_says_what_is_kept(ending, error):
    """The same command again goes on."""
    ended = ending(error)
    assert ended.code == 130
    assert "finished work is kept" in ended.err
    assert "Traceback" not in ended.err


def test_debug_shows_the_trace_and_is_forgotten_afterwards(ending):
    """Wherever it stands; the next command is as quiet as before."""
    shown = ending(ZeroDivisionError("text"), "--debug")
    assert shown.code == 1
    assert "Traceback" in shown.err
    assert "ZeroDivisionError: text" in shown.err
    assert "Traceback" not in ending(ZeroDivisionError("text")).err


def test_debug_may_stand_anywhere(divulge):
    """Also behind the command it is for."""
    assert "Traceback" in divulge("audit", "absent.toml", "--debug").err
    assert "Traceback" in divulge("--debug", "audit", "absent.toml").err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("audti",), "No such command 'audti'. Did you mean 'audit'"),
        (("audit", "--wrkers", "1"), "No such option: --wrkers"),
        (("audit",), "Missing argument 'AUDIT.TOML'"),
        (("study", "run", "worlds/ladder"), "Missing option '--scale'"),
        (("audit", "audit.toml", "--workers", "many"), "Invalid value for '--workers'"),
        (("audit", "audit.toml", "--workers", "-1"), "Invalid value for '--workers'"),
        (("list", "attacks", "more"), "unexpected extra argument"),
    ],
)
def test_wrong_usage_ends_with_2_and_tells_what_is_wrong(divulge, arguments, said):
    """With a pointer to the help of the command in question."""
    ended = divulge(*arguments)
    assert (ended.code, ended.out) == (2, "")
    assert said.lower() in ended.err.lower()
    assert "--help" in ended.err
    assert "Traceback" not in ended.err


@pytest.mark.parametrize("arguments", [(), ("study",), ("data",), ("cache",)])
def test_no_arguments_show_the_help(divulge, arguments):
    """As wrong usage: a script that forgot the command must notice."""
    ended = divulge(*arguments)
    assert ended.code == 2
    assert "Usage: divulge" in ended.err
    assert "unexpected" not in ended.err


@pytest.mark.parametrize("command", ["list", "init", "check", "audit", "report", "study", "data", "cache"])
def test_every_command_has_help(divulge, command):
    """Which names it."""
    ended = divulge(command, "--help")
    assert ended.code == 0
    assert f"Usage: divulge {command}" in ended.out


def test_help_and_version_answer(divulge):
    """On standard output."""
    assert divulge("--version").out == f"divulge {__version__}\n"
    assert "audit" in divulge("--help").out


def test_a_reader_that_goes_away_is_no_reason_for_a_trace(folder):
    """As that of `divulge list | head -1` does."""
    command = f"{sys.executable} -m divulge list --json | true"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", "")


def test_a_terminal_without_dashes_is_served_all_the_same(folder):
    """Whatever cannot be shown is spelt out."""
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "divulge", "check", "audit.toml"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, env=environment)
    assert done.returncode == 0
    assert "\\u2013" in done.stdout  # a dash: nobody knows yet how long it takes


def test_run_returns_the_code_instead_of_exiting(folder):
    """So that it can be called."""
    assert run(["list", "nonsense"]) == 2
