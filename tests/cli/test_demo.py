"""`divulge demo`: what it consists of, and, slowly, that it does what it says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.small_worlds import made

from divulge.auditing.planning import plan
from divulge.cli.app import run
from divulge.cli.demo import demo_specs
from divulge.records import RunResults
from divulge.report.findings import finding
from divulge.runs import run_specs
from divulge.spec import AuditSpec, apply_settings
from divulge.store import Store

# Each audit in seconds: fewer and smaller models; it shows that the parts fit, not what leaks.
QUICK = {
    "nlu-tagger": {"target.recipe.epochs": 1, "data.options.size": 80, "secrets.decoys": 20, "models": 2},
    "text-classifier": {"target.recipe.epochs": 1, "data.options.size": 80, "secrets.decoys": 20, "models": 2},
    "text-generator": {"target.recipe.epochs": 1, "data.options.users": 40, "secrets.count": 8, "secrets.controls": 8},
    "sentence-encoder": {"data.options.size": 30, "secrets.count": 12},
}


def quick(spec: AuditSpec) -> AuditSpec:
    """The same spec on next to nothing."""
    settings = [f"{path}={value}" for path, value in QUICK[spec.target.kind].items()]
    if spec.attack is not None and spec.attack.name == "discrete-search":
        settings.append("attack.options.exhaustive_up_to=200")
    return AuditSpec.model_validate(apply_settings(spec.model_dump(mode="json"), settings), strict=False)


def test_it_holds_the_four_audits_one_of_them_defended() -> None:
    """Attack by attack; the tagger with and without a defence; no stand-in among the targets."""
    found = [(one.target.kind, one.attack.name if one.attack else None, len(one.defences)) for one in demo_specs()]
    assert found == [
        ("nlu-tagger", "soft-token", 0),
        ("nlu-tagger", "discrete-search", 0),
        ("nlu-tagger", "soft-token", 1),
        ("nlu-tagger", "discrete-search", 1),
        ("text-classifier", "label-likelihood", 0),
        ("text-classifier", "calibrated-likelihood", 0),
        ("text-generator", "rank-histogram", 0),
        ("text-generator", "calibrated-ratio", 0),
        ("sentence-encoder", "parallel-decoder", 0),
    ]


def test_its_numbers_can_show_a_leak() -> None:
    """Ten secrets and ten controls at least, and data that are made here: nothing is read or fetched."""
    made("sentence-encoder")  # skips where the extra is missing
    for one in plan(demo_specs()).planned:
        assert sum(len(member.case.secrets) for member in one.members) >= 10
        assert sum(len(member.case.controls) for member in one.members) >= 10
        assert (one.spec.data.name or "").startswith("synthetic-")


def test_all_of_it_runs_in_small(tmp_path: Path) -> None:
    """Every audit comes to a result with all its arms; trained, attacked and measured in this process."""
    made("sentence-encoder")
    results = run_specs([quick(spec) for spec in demo_specs()], Store(tmp_path / "store"), workers=0)
    assert results.failures == ()
    for one in results.results:
        broken = [check for check in one.handshake if check.passed is False]
        assert not [check for check in broken if check.access != "LabelAccess"]
        # So small a classifier may be no better than chance; then it is not attacked.
        arms = {"utility"} if broken else {"attack", "baseline", "control", "utility"}
        assert arms <= {figure.arm for figure in one.measurements}
    assert sum(len(one.outcomes) > 0 for one in results.results) >= 2


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_the_whole_demo_finds_what_it_is_known_to_find(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From the command line, on two workers: four audits, each a leak; page, results and five closing lines."""
    made("sentence-encoder")
    monkeypatch.setenv("DIVULGE_STORE", str(tmp_path / "store"))
    assert run(["demo", "--out", str(tmp_path / "out"), "--workers", "2"]) == 0
    results = RunResults.model_validate_json((tmp_path / "out" / "results.json").read_text())
    assert [finding(one).kind for one in results.results] == ["leak"] * 7
    said = capsys.readouterr().out
    assert f"The report: {tmp_path / 'out' / 'report.html'}" in said
    assert len(said.rstrip().rpartition("\n\n")[2].splitlines()) == 5
    assert "4 of 4 audits found a leak" in (tmp_path / "out" / "report.html").read_text()
    assert json.loads((tmp_path / "out" / "results.json").read_text())["schema_version"] == 1
