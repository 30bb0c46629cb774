"""Tests of `divulge audit` about one person: the sheet lies beside the report, and names nobody unless asked to."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import pytest
from tests.one_person import PERSON

from divulge.cli.app import run
from divulge.cli.evidence import evidence_files
from divulge.records import RunResults

AUDIT = f"""
[target]
kind = "fake-generator"
[data]
name = "synthetic-users"
options = {{ users = 90, texts = 4 }}
[secrets]
kind = "users"
person = "{PERSON}"
count = 10
controls = 20
[adversary]
access = ["RankedTokensAccess"]
[adversary.background]
shadows = 1
controls = 19
[[attacks]]
name = "calibrated-ratio"
[[probes]]
name = "token-accuracy"
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with an audit file and a store of its own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))
    (tmp_path / "audit.toml").write_text(AUDIT)
    return tmp_path


def test_the_sheet_lies_beside_the_report(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """HTML and JSON, without the name in any file; with --show-secrets the page alone has it, for its owner alone."""
    command = ["audit", "audit.toml", "--workers", "0", "--out", "run"]
    assert run(command) == 0
    assert "run/evidence.html" in capsys.readouterr().out
    told = json.loads((folder / "run" / "evidence.json").read_text())
    assert told["decision"] == "member"
    assert all(PERSON not in path.read_text() for path in (folder / "run").iterdir())
    assert run([*command, "--show-secrets"]) == 0
    page = folder / "run" / "evidence.html"
    assert PERSON in page.read_text()
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    assert PERSON not in (folder / "run" / "evidence.json").read_text()
    assert run([*command, "--set", 'secrets={kind="users", count=10, controls=20}']) == 0
    assert not page.exists()  # it told of another question


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("secrets.person=nobody-at-all", "no text of synthetic-users is of this user"),
        ("secrets.person= ", "person is empty"),
        ("secrets.alpha=0", "alpha"),
        ("secrets.kind=records", "person is for secrets of kind 'users'"),
        ("adversary.background.controls=500", "known to be out"),
        ('defences=[{name="output-limit", options={tokens=0}}]', "tokens"),
    ],
)
def test_wrong_input_ends_with_2(folder: Path, capsys: pytest.CaptureFixture[str], setting: str, said: str) -> None:
    """In words, before anything runs, without a trace."""
    assert folder.exists()
    assert run(["audit", "audit.toml", "--set", setting]) == 2
    shown = capsys.readouterr().err
    assert said in shown
    assert "Traceback" not in shown


def test_a_run_about_nobody_has_no_sheet() -> None:
    """And opens no store for it."""
    assert list(evidence_files(RunResults(results=()), show_secrets=False)) == []
