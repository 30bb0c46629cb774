"""Tests of examples/ci: the workflow is sound, and its commands do on a small run what it says they do."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
import yaml

from divulge.cli.app import run
from divulge.gate.policy import read_policy

EXAMPLE = Path(__file__).parent.parent / "examples" / "ci"
WORKFLOW: dict[str, Any] = yaml.safe_load((EXAMPLE / "github-actions.yml").read_text(encoding="utf-8"))
(JOB,) = WORKFLOW["jobs"].values()
STEPS: dict[str, dict[str, Any]] = {step.get("name", step.get("uses")): step for step in JOB["steps"]}


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """A folder with the two files of the example, and a store of its own."""
    for name in ("audit.toml", "policy.toml"):
        shutil.copy(EXAMPLE / name, tmp_path)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / JOB["env"]["DIVULGE_STORE"]))
    return tmp_path


def do(step: str, *more: str) -> list[int]:
    """Does the commands of a step, with further settings for an audit; returns their exit codes."""
    codes = []
    for line in STEPS[step]["run"].strip().splitlines():
        program, *arguments = shlex.split(line)
        if program == "divulge":
            codes.append(run([*arguments, "--workers", "0", *more] if arguments[0] == "audit" else arguments))
        elif program == "rm":
            shutil.rmtree(arguments[-1], ignore_errors=True)
        else:
            assert program == "cp"
            shutil.copytree(*arguments[1:])
    return codes


def test_the_workflow_has_all_its_parts():
    """Triggers, rights, and steps in an order in which each finds what it needs."""
    assert set(WORKFLOW[True]) == {"pull_request", "push"}  # YAML reads "on" as a truth value
    assert WORKFLOW["permissions"]["security-events"] == "write"
    assert all(("run" in step) != ("uses" in step) for step in JOB["steps"])
    assert all(re.fullmatch(r"[\w-]+/[\w/-]+@v\d+", step["uses"]) for step in JOB["steps"] if "uses" in step)
    order = list(STEPS)
    wanted = ["actions/checkout@v4", "Install", "Keep finished work and the last accepted run", "Audit", "Gate"]
    assert [name for name in order if name in wanted] == wanted
    assert "pip install divulge" in STEPS["Install"]["run"]


def test_what_is_kept_and_shown_is_what_the_commands_write():
    """The store is cached, the last run too; SARIF and JUnit come from the gate, also where it failed."""
    kept = STEPS["Keep finished work and the last accepted run"]["with"]["path"].split()
    assert kept == [JOB["env"]["DIVULGE_STORE"], read_policy(EXAMPLE / "policy.toml").against]
    gate = STEPS["Gate"]["run"]
    assert f"--sarif {STEPS['Show what was found in code scanning']['with']['sarif_file']}" in gate
    assert f"--junit {STEPS['Show the tests']['with']['report_paths']}" in gate
    after = list(STEPS)[list(STEPS).index("Write the block for the model card") :]
    assert all(STEPS[name]["if"] == "always()" for name in after)
    assert "if" not in STEPS["Gate"]


def test_a_silent_model_passes_and_is_accepted(repository, capsys):
    """Twice: first with nothing to compare with, then against itself; the second time all work is found again."""
    assert do("Audit") == [0, 0]
    assert do("Gate") == [0], capsys.readouterr().out
    do("Accept the run as the one to compare with")
    capsys.readouterr()
    assert do("Audit") == [0, 0]
    assert "already in the store" in capsys.readouterr().err
    assert do("Gate") == [0]
    assert "exposure: worse by at most 1.5" in capsys.readouterr().out
    assert do("Write the block for the model card") == [0]
    for path in STEPS["Publish the tests and the report"]["with"]["path"].split():
        assert (repository / path).is_file()
    assert json.loads((repository / "privacy.sarif").read_text())["runs"][0]["results"] == []


def test_a_leaking_model_fails_and_is_shown(repository):
    """The gate ends with 100; SARIF points at the audit file, JUnit has failures."""
    assert do("Audit", "--set", "target.recipe.leaks=true") == [0, 0]
    assert do("Gate") == [100]
    results = json.loads((repository / "privacy.sarif").read_text())["runs"][0]["results"]
    assert {one["ruleId"] for one in results} == {"limit/leak", "limit/exposure", "limit/success"}
    uris = {one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for one in results}
    assert uris == {"audit.toml"}
    assert int(ET.parse(repository / "privacy.xml").getroot().attrib["failures"]) == len(results)
    assert do("Write the block for the model card") == [0]
    assert "Exceeded" in (repository / "privacy-card.md").read_text()


def test_evidence_that_does_not_suffice_fails_the_job_as_well(repository):
    """Five secrets show nothing."""
    assert do("Audit", "--set", "secrets.count=5") == [0, 0]
    assert do("Gate") == [3]
