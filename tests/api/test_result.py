"""What a call returns, and the ways to look at it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.report.sample import SECRET, arms, figure, result, run

from divulge.api.result import AuditResult
from divulge.errors import ExecutionError, InputError
from divulge.gate.judgements import Judged
from divulge.records import Failure

LEAK = arms("accuracy", (0.93, 0.81, 0.98), 0.1, (0.08, 0.03, 0.2))


@pytest.fixture
def found() -> AuditResult:
    """Two results, one with a leak and one that asks nothing, and a failure."""
    leak = result(*LEAK, figure("exposure", 9.0, 8.0, 10.0, k=1), figure("test_accuracy", 0.9, 0.8, 1.0, arm="utility"))
    failed = Failure(spec_hash="1" * 16, reason="the disk is full")
    return AuditResult(run(leak, result(figure("exposure", None, None, None, n=0), attack=None), failures=(failed,)))


def test_what_it_holds(found: AuditResult) -> None:
    """Results, failures, figures, outcomes and the verdict."""
    assert [len(found.results), len(found.failures), len(found.measurements), len(found.outcomes)] == [2, 1, 6, 2]
    assert found.verdict.startswith("1 of 2 audits found a leak") or "leak" in found.verdict


def test_one_row_for_each_figure(found: AuditResult) -> None:
    """All with the same keys, those of groups included."""
    rows = found.rows()
    assert rows[0] == {
        "attack": "soft-token",
        "target": "fake-classifier",
        "defences": "",
        "secrets": "canaries",
        "seed": 7,
        "spec_hash": found.results[0].spec_hash,
        "metric": "accuracy",
        "arm": "attack",
        "value": 0.93,
        "low": 0.81,
        "high": 0.98,
        "n": 40,
        "group_k": None,
    }
    assert [(row["metric"], row["arm"], row["group_k"]) for row in rows[1:]] == [
        ("accuracy", "baseline", None),
        ("accuracy", "control", None),
        ("exposure", "attack", 1),
        ("test_accuracy", "utility", None),
        ("exposure", "attack", None),
    ]
    assert rows[-1]["attack"] is None
    assert all(row.keys() == rows[0].keys() for row in rows)


def test_one_row_for_each_secret(found: AuditResult) -> None:
    """Known by its id."""
    row = found.outcome_rows()[0]
    assert (row["secret_id"], row["metric"], row["value"]) == ("id-0123", "accuracy", 1.0)


def test_tables_of_pandas(found: AuditResult) -> None:
    """The same rows."""
    pytest.importorskip("pandas")
    frame = found.to_frame()
    assert list(frame.columns) == list(found.rows()[0])
    assert len(frame) == 6
    assert frame["value"].iloc[0] == 0.93
    assert len(found.outcomes_frame()) == 2


def test_without_pandas_that_is_told(found: AuditResult, monkeypatch: pytest.MonkeyPatch) -> None:
    """And what there is instead."""
    monkeypatch.setitem(__import__("sys").modules, "pandas", None)
    with pytest.raises(InputError, match=r"pandas is not installed: pip install pandas, or use rows\(\)"):
        found.to_frame()


@pytest.mark.parametrize(
    ("name", "begins"),
    [("r.html", "<!doctype html>"), ("r.md", "# "), ("r.json", "{"), ("r.xml", "<?xml"), ("r.sarif", "{")],
)
def test_reports_by_the_name_of_the_file(found: AuditResult, tmp_path: Path, name: str, begins: str) -> None:
    """Each format has its ending; none holds words of a secret unless it is the whole spec."""
    path = found.report(tmp_path / name)
    assert path == tmp_path / name
    text = path.read_text(encoding="utf-8")
    assert text.lower().startswith(begins)
    if name in ("r.html", "r.md"):
        assert SECRET not in text.replace("audit.toml", "")[:2000]


def test_reports_by_format(found: AuditResult, tmp_path: Path) -> None:
    """Whatever the file is called; also as text."""
    path = found.report(str(tmp_path / "CARD"), format="card")
    assert path.read_text(encoding="utf-8").strip()


@pytest.mark.parametrize(
    ("name", "more", "said"),
    [
        ("r.pdf", {}, "its name tells no format. Known are"),
        ("r.html", {"format": "htm"}, "unknown report format 'htm'. Did you mean 'html'"),
        ("r.json", {"show_secrets": True}, "JSON never holds secrets"),
        ("r.html", {"judged": Judged(judgements=())}, "the format html shows no policy"),
    ],
)
def test_wrong_wishes_are_told(found: AuditResult, tmp_path: Path, name: str, more: Any, said: str) -> None:
    """Before anything is written."""
    with pytest.raises(InputError, match=said):
        found.report(tmp_path / name, **more)
    assert list(tmp_path.iterdir()) == []


def test_a_run_directory_and_back(found: AuditResult, tmp_path: Path) -> None:
    """As the command line reads and writes it."""
    folder = found.save(tmp_path / "runs" / "one")
    assert sorted(path.name for path in folder.iterdir()) == ["report.html", "results.json"]
    assert json.loads((folder / "results.json").read_text(encoding="utf-8"))["schema_version"] == 1
    loaded = AuditResult.load(folder)
    assert loaded == found
    assert loaded != AuditResult(run())
    assert AuditResult.load(str(folder / "results.json")) == found
    with pytest.raises(ExecutionError, match="cannot be read"):
        AuditResult.load(tmp_path / "none")


def test_places_that_cannot_be_written_are_told(found: AuditResult, tmp_path: Path) -> None:
    """A file in the way, a folder that is not there."""
    (tmp_path / "file").write_text("x", encoding="utf-8")
    with pytest.raises(ExecutionError, match="cannot be made"):
        found.save(tmp_path / "file" / "below")
    with pytest.raises(ExecutionError, match="cannot be written"):
        found.report(tmp_path / "none" / "r.md")


def test_it_shows_itself_without_secrets(found: AuditResult) -> None:
    """In one line, in words and in a notebook."""
    assert repr(found) == f"<AuditResult: {found.verdict}; 2 results, 6 figures>"
    for text in (repr(found), found.summary(), found._repr_html_()):
        assert SECRET not in text
    assert found.summary().startswith(f"{found.verdict}.")
    assert found.verdict in found._repr_html_()
