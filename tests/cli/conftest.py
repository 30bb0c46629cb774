"""The command line as a user has it: a folder to work in, a store, and what came out."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import pytest

from divulge.cli.app import run

AUDIT = """
[target]
kind = "fake-classifier"

[data]
name = "synthetic-utterances"
options = { size = 60 }

[secrets]
pattern = "my pin at <name*2> is {digit*2}"
label = "PinIntent"
count = 6
controls = 5
decoys = 20

[[attacks]]
name = "label-likelihood"
"""


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    code: int
    out: str
    err: str

    @property
    def json(self) -> Any:
        """What it printed for scripts: standard output must hold that and nothing else."""
        return json.loads(self.out, parse_constant=pytest.fail)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A working folder with an audit.toml, and a store and results of its own."""
    work = tmp_path / "work"
    work.mkdir()
    (work / "audit.toml").write_text(AUDIT)
    monkeypatch.chdir(work)
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))
    monkeypatch.setenv("DIVULGE_RESULTS", str(tmp_path / "results"))
    monkeypatch.delenv("DIVULGE_DEBUG", raising=False)
    return work


@pytest.fixture
def divulge(folder, capsys):
    """Runs one command line in this process."""

    def command(*arguments: str) -> Ended:
        capsys.readouterr()
        code = run(arguments)
        return Ended(code, *capsys.readouterr())

    return command
