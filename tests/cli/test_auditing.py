"""Tests of `divulge check`, `audit` and `report`: as a user, with own code, killed for real."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from divulge.store import Store

PATIENCE = 60.0  # seconds until a test that waits in vain gives up

OWN_PARTS = '''
"""Parts beside the audit file that names them."""
import os
import time
from pathlib import Path

from divulge.attacks.base import Attack
from divulge.attacks.label_likelihood import LabelLikelihood
from divulge.records import Gaps
from divulge.testing.classifier import FakeClassifier

GATE = Path(__file__).with_name("gate")


class OwnTarget(FakeClassifier):
    name = "own-target"
    summary = "a target of one's own"

    def train(self, corpus, rng):
        print("own-target trains")
        return super().train(corpus, rng)


class OwnAttack(LabelLikelihood):
    """Waits until the gate is open."""

    name = "own-attack"
    summary = "an attack of one's own"

    def guess(self, access, hints, knowledge, rng):
        while not GATE.exists():
            time.sleep(0.01)
        yield from super().guess(access, hints, knowledge, rng)


class Breaks(Attack):
    name = "breaks"
    summary = "raises in the middle"
    requires = ()
    hints = (Gaps,)

    def guess(self, access, hints, knowledge, rng):
        for hint in hints.values():
            raise RuntimeError(f"cannot go on with {hint.tokens}")
        yield


class Unfinished(Attack):
    name = "unfinished"
    summary = "does not say what it requires"
'''

OWN_AUDIT = """
[target]
kind = "own_parts:OwnTarget"

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

[[attacks]]
name = "own_parts:OwnAttack"
"""


@pytest.fixture
def own(tmp_path):
    """A folder with parts and an audit file of one's own, the gate open; not the working folder."""
    place = tmp_path / "own"
    place.mkdir()
    (place / "own_parts.py").write_text(OWN_PARTS)
    (place / "own.toml").write_text(OWN_AUDIT)
    (place / "gate").touch()
    yield place
    sys.modules.pop("own_parts", None)


def log_of(out: Path) -> list[dict]:
    """The events of a log, as far as they are written."""
    path = out / "log.jsonl"
    lines = path.read_text().splitlines(keepends=True) if path.exists() else []
    return [json.loads(line) for line in lines if line.endswith("\n")]


def timeless(results: dict) -> dict:
    """Results without the seconds they took."""
    return {**results, "results": [{**result, "seconds": None} for result in results["results"]]}


def start(own: Path, out: str, *more: str) -> subprocess.Popen:
    """A real `divulge audit`, with one worker."""
    command = [sys.executable, "-m", "divulge", "audit", str(own / "own.toml"), "--out", out, "--workers", "1", *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def wait_for_own_attack(process: subprocess.Popen, out: Path) -> None:
    """Waits until the attack behind the closed gate has begun: all else that can be done before it is done."""
    deadline = time.monotonic() + PATIENCE
    while not any(e["event"] == "start" and e.get("label", "").endswith("own_parts:OwnAttack") for e in attacks(out)):
        assert process.poll() is None, process.communicate()[1]
        assert time.monotonic() < deadline
        time.sleep(0.01)


def attacks(out: Path) -> list[dict]:
    """The events about attacks."""
    return [event for event in log_of(out) if event.get("kind") == "attack"]


# -- check --------------------------------------------------------------------------------------------------


def test_check_shows_the_plan_and_runs_nothing(divulge, folder):
    """Tasks, queries and power, in words and in JSON."""
    shown = divulge("check", "audit.toml")
    assert shown.code == 0
    assert "label-likelihood on fake-classifier: 6 secrets, 5 controls\n  queries: 660\n  power: " in shown.out
    assert "5 tasks, 0 of them cached:" in shown.out
    assert "time for the rest, by what such tasks took before:" in shown.out
    found = divulge("check", "audit.toml", "--json").json
    assert {("local", 1), ("ray", 8), ("ray", 64)} <= {(row["engine"], row["workers"]) for row in found["times"]}
    assert {row["seconds"] for row in found["times"]} == {None}  # none of it was ever done
    assert {row["kind"]: row["tasks"] for row in found["tasks"]} == {
        "train-target": 1,
        "prepare": 1,
        "attack": 1,
        "probe": 1,
        "measure": 1,
    }
    assert found["specs"][0]["queries"] == 660
    assert list(Store().entries()) == []
    assert [path.name for path in folder.iterdir()] == ["audit.toml"]


def test_check_takes_settings(divulge):
    """As audit does."""
    found = divulge(
        "check", "audit.toml", "--set", "secrets.count=3", "--set", "adversary.max_queries=40", "--json"
    ).json
    assert (found["specs"][0]["secrets"], found["specs"][0]["queries"]) == (3, 40)


# -- audit --------------------------------------------------------------------------------------------------


def test_audit_writes_the_run_and_a_leak_is_no_failure(divulge, folder):
    """Exit code 0; what was found in a table, then where the page is and what it says; progress on stderr."""
    enough = ("--set", "secrets.count=10", "--set", "secrets.controls=10")
    ended = divulge("audit", "audit.toml", "--workers", "0", *enough)
    assert ended.code == 0
    assert "leak" in ended.out
    assert "The report: runs/audit/report.html" in ended.out
    assert "found a leak" in ended.out
    assert "[5/5]" in ended.err
    assert "[5/5]" not in ended.out
    assert sorted(path.name for path in (folder / "runs" / "audit").iterdir()) == [
        "log.jsonl",
        "report.html",
        "results.json",
    ]
    page = (folder / "runs" / "audit" / "report.html").read_text(encoding="utf-8")
    assert "Leak found" in page


def test_audit_json_is_the_content_of_the_results_file(divulge, folder):
    """And nothing else is on standard output."""
    ended = divulge("audit", "audit.toml", "--workers", "0", "--out", "here", "--json")
    assert ended.json == json.loads((folder / "here" / "results.json").read_text())
    assert ended.json["schema_version"] == 1


@pytest.mark.parametrize(
    ("setting", "place", "value"),
    [
        ("run.seed=3", ("seed",), 3),
        ("adversary.max_queries=1_000", ("adversary", "max_queries"), 1000),
        ("secrets.label=Pin", ("secrets", "label"), "Pin"),
        ('secrets.label="Pin Intent"', ("secrets", "label"), "Pin Intent"),
        ("secrets.valid_share=0.5", ("secrets", "valid_share"), 0.5),
        ('adversary.access=["LabelLikelihoodAccess"]', ("adversary", "access"), ["LabelLikelihoodAccess"]),
        ("attacks.0.options.beam=5", ("attack", "options", "beam"), 5),
        ('attacks=[{name="random"}]', ("attack", "name"), "random"),
        ("target.recipe={leaks=false}", ("target", "recipe"), {"leaks": False}),
        (" secrets.copies = 4 ", ("secrets", "copies"), 4),
    ],
)
def test_settings_are_paths_and_toml_values(divulge, setting, place, value):
    """Numbers, words, texts, lists, tables, positions of lists."""
    found = divulge("audit", "audit.toml", "--workers", "0", "--set", setting, "--json").json["results"][0]["spec"]
    for step in place:
        found = found[step]
    assert found == value


@pytest.mark.parametrize(
    ("setting", "said"),
    [
        ("run.seed", "--set needs path=value"),
        ("=3", "--set needs path=value"),
        ("run.sede=3", "unknown key 'run.sede'. Did you mean 'seed'?"),
        ("attacks.3.name=random", "'3' must be a position from 0 to 0"),
        ("target.kind.x=1", "target.kind is not a table"),
        ("run.seed=three", "'run.seed'"),
        ("secrets.valid_share=nan", "numbers must be finite"),
    ],
)
def test_settings_that_lead_nowhere_are_refused(divulge, folder, setting, said):
    """With exit code 2, and no run directory."""
    ended = divulge("audit", "audit.toml", "--set", setting)
    assert (ended.code, ended.out) == (2, "")
    assert said in ended.err
    assert not (folder / "runs").exists()


def test_all_problems_of_a_file_are_told_at_once_and_nothing_is_written(divulge, folder):
    """Shape, names, combinations and files in one message."""
    (folder / "bad.toml").write_text(
        "[target]\nkind = 'fake-classifier'\n[data]\npath = 'absent.csv'\n"
        "[secrets]\npattern = 'pin {digit}'\nlabel = 'x'\n[adversary]\naccess = ['LabelAccess']\n"
        "[[attacks]]\nname = 'soft-tokn'\n[[attacks]]\nname = 'soft-token'\n[run]\nseed = 'x'\n[rum]\n"
    )
    for command in ("check", "audit"):
        ended = divulge(command, "bad.toml")
        assert (ended.code, ended.out) == (2, "")
        assert ended.err.startswith("divulge: 5 problems:\n")
        for said in (
            "'rum'",
            "'run.seed'",
            "'soft-tokn'. Did you mean",
            "requires GradientAccess; granted",
            "absent.csv",
        ):
            assert said in ended.err
        assert "Traceback" not in ended.err
    assert sorted(path.name for path in folder.iterdir()) == ["audit.toml", "bad.toml"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "cannot be read"),
        (b"", "is empty. A commented start: divulge init"),
        (b"][", "is not TOML"),
        (b"\xff", "is not UTF-8"),
        (b"[target]\nkind = 'no-such-kind'\n", "unknown target 'no-such-kind'"),
        (b"[target]\nkind = 3\n", "'target.kind'"),
        (b"[targt]\nkind = 'x'\n", "unknown key 'targt'. Did you mean 'target'?"),
    ],
)
def test_files_that_are_none_end_with_2(divulge, folder, content, said):
    """Whatever is in them."""
    if content is not None:
        (folder / "bad.toml").write_bytes(content)
    ended = divulge("audit", "bad.toml", "--out", "run")
    assert ended.code == 2
    assert said in ended.err
    assert not (folder / "run").exists()


def test_an_out_that_is_a_file_is_wrong_input(divulge, folder):
    """The file stays."""
    (folder / "out").write_text("mine")
    ended = divulge("audit", "audit.toml", "--out", "out", "--workers", "0")
    assert ended.code == 2
    assert "out: is a file; --out needs a directory" in ended.err
    assert (folder / "out").read_text() == "mine"


def test_an_out_that_cannot_be_written_is_a_failure(divulge, folder):
    """Exit code 1, in words."""
    (folder / "file").write_text("")
    ended = divulge("audit", "audit.toml", "--out", "file/run", "--workers", "0")
    assert ended.code == 1
    assert "file/run: cannot be made" in ended.err
    assert list(Store().entries()) == []


def test_engines_have_names(divulge):
    """One that is meant is named; what an engine needs is told before anything is read."""
    ended = divulge("audit", "audit.toml", "--engine", "lokal")
    assert ended.code == 2
    assert "unknown engine 'lokal'. Did you mean 'local'?" in ended.err
    ended = divulge("audit", "audit.toml", "--address", "here:1")
    assert ended.code == 2
    assert "--address is for the engine ray" in ended.err


def test_the_time_of_an_audit_may_be_limited(divulge, folder, monkeypatch):
    """Exit code 1 and words on how to go on; what was done stays, and the same command ends what is missing."""
    from divulge.auditing import tasks

    def slow(payload, needs):
        time.sleep(60)

    with monkeypatch.context() as patch:
        patch.setattr(tasks, "KINDS", {**tasks.KINDS, "attack": slow})
        ended = divulge("audit", "audit.toml", "--workers", "0", "--max-time", "2s")
    assert ended.code == 1
    assert "the time is up (2 s): " in ended.err
    assert "The same command again does only what is missing" in ended.err
    kinds = {entry.kind for entry in Store().entries()}
    assert "train-target" in kinds
    assert "attack" not in kinds
    assert not (folder / "runs" / "audit" / "results.json").exists()
    assert divulge("audit", "audit.toml", "--workers", "0", "--max-time", "1h").code == 0
    assert (folder / "runs" / "audit" / "results.json").exists()


@pytest.mark.parametrize("command", ["audit", "check"])
def test_what_tasks_ask_of_a_node_is_checked(divulge, command):
    """On any engine: a file that is wrong for a cluster is wrong."""
    ended = divulge(command, "audit.toml", "--set", "run.resources={train-targt={cpus=1}, attack={cpu=1}}")
    assert ended.code == 2
    assert "run.resources.train-targt: unknown kind of task. Did you mean 'train-target'" in ended.err
    assert "run.resources.attack: unknown key 'cpu'. Did you mean 'cpus'?" in ended.err


# -- own code -----------------------------------------------------------------------------------------------


def test_own_parts_are_found_beside_the_file_that_names_them(divulge, own, folder):
    """From another working folder, in this process; what they print does not disturb standard output."""
    before = list(sys.path)
    ended = divulge("audit", str(own / "own.toml"), "--workers", "0", "--json")
    assert ended.code == 0, ended.err
    assert [result["spec"]["attack"]["name"] for result in ended.json["results"]] == [
        "label-likelihood",
        "own_parts:OwnAttack",
    ]
    likelihood, own_attack = (result["measurements"] for result in ended.json["results"])
    assert [m["value"] for m in own_attack if m["arm"] == "attack"] == [
        m["value"] for m in likelihood if m["arm"] == "attack"
    ]
    assert "own-target trains" in ended.err
    assert sys.path == before


def test_own_parts_are_found_by_workers_too(own, folder):
    """A worker has the path of whoever started it, and a working folder that does not matter."""
    process = start(own, "run", "--json")
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    assert json.loads(out)["failures"] == []
    assert {event["worker"] for event in log_of(folder / "run") if event["event"] == "done"} == {"worker-1"}


def test_an_attack_that_raises_costs_its_spec_and_ends_with_1(divulge, own, folder):
    """Others' results are there; the reason tells where, and nothing of what it was about."""
    setting = 'attacks=[{name="own_parts:Breaks"}, {name="label-likelihood"}]'
    ended = divulge("audit", str(own / "own.toml"), "--workers", "0", "--out", "run", "--set", setting)
    assert ended.code == 1
    content = json.loads((folder / "run" / "results.json").read_text())
    assert [result["spec"]["attack"]["name"] for result in content["results"]] == ["label-likelihood"]
    (failure,) = content["failures"]
    assert "RuntimeError at own/own_parts.py:" in failure["reason"]
    assert "1 of 2 specs failed" in ended.err
    assert failure["reason"] in ended.err
    told = ended.out + ended.err + (folder / "run" / "log.jsonl").read_text() + json.dumps(content["failures"])
    assert "pin" not in told
    assert "Traceback" not in told


def test_if_every_spec_fails_there_are_still_results_to_read(divulge, own, folder):
    """An empty list, and the reasons."""
    setting = 'attacks=[{name="own_parts:Breaks"}]'
    ended = divulge("audit", str(own / "own.toml"), "--workers", "0", "--out", "run", "--set", setting)
    assert ended.code == 1
    assert json.loads((folder / "run" / "results.json").read_text())["results"] == []


def test_half_written_own_parts_are_wrong_input(divulge, own, folder):
    """They say what they lack, before anything runs."""
    setting = 'attacks=[{name="own_parts:Unfinished"}]'
    ended = divulge("audit", str(own / "own.toml"), "--set", setting)
    assert ended.code == 2
    assert "requires" in ended.err
    absent = divulge("audit", str(own / "own.toml"), "--set", "target.kind=nowhere:Target")
    assert absent.code == 2
    assert "cannot be loaded" in absent.err
    assert not (folder / "runs").exists()


# -- killed and interrupted ---------------------------------------------------------------------------------


def test_a_killed_run_goes_on_where_it_was(divulge, own, folder):
    """Killed for real in the middle: the same command again does only what is missing, and says what it would have."""
    (own / "gate").unlink()
    process = start(own, "run")
    wait_for_own_attack(process, folder / "run")
    process.kill()
    process.communicate()
    assert not (folder / "run" / "results.json").exists()
    finished = {event["key"] for event in log_of(folder / "run") if event["event"] == "done"}
    store = Store()
    written = {path: path.stat().st_mtime_ns for path in store.root.glob("??/*")}
    assert len(finished) == len(written) > 3

    (own / "gate").touch()
    process = start(own, "run", "--json")
    out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, err
    log = log_of(folder / "run")
    second = log[max(place for place, event in enumerate(log) if event["event"] == "run-start") :]
    redone = {event["key"] for event in second if event["event"] == "done"}
    assert redone
    assert not redone & finished
    assert {path: path.stat().st_mtime_ns for path in written} == written

    store.clear()
    undisturbed = divulge("audit", str(own / "own.toml"), "--out", "undisturbed", "--workers", "0", "--json")
    assert timeless(json.loads(out)) == timeless(undisturbed.json)


@pytest.mark.parametrize("way", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_ends_with_130_and_keeps_what_is_finished(own, folder, way):
    """Without a trace, without results, with a line that says how to go on."""
    (own / "gate").unlink()
    process = start(own, "run")
    wait_for_own_attack(process, folder / "run")
    process.send_signal(way)
    out, err = process.communicate(timeout=PATIENCE)
    assert (process.returncode, out) == (130, "")
    assert "interrupted; finished work is kept" in err
    assert "Traceback" not in err
    assert log_of(folder / "run")[-1]["event"] == "interrupted"
    assert not (folder / "run" / "results.json").exists()
    finished = {event["key"] for event in log_of(folder / "run") if event["event"] == "done"}
    assert finished == {entry.key for entry in Store().entries()}


# -- report -------------------------------------------------------------------------------------------------


@pytest.fixture
def run(divulge):
    """A finished run."""
    assert divulge("audit", "audit.toml", "--workers", "0", "--out", "run").code == 0
    return "run"


def test_a_run_is_put_into_words_or_json(divulge, run, folder):
    """From the directory or the file; printed or written."""
    words = divulge("report", run)
    assert words.code == 0
    assert words.out.startswith("# ")
    assert divulge("report", f"{run}/results.json", "--format", "md").out == words.out
    assert divulge("report", run, "--format", "json").json == json.loads((folder / run / "results.json").read_text())
    written = divulge("report", run, "-o", "report.md")
    assert (written.code, written.out) == (0, "")
    assert (folder / "report.md").read_text() == words.out


def test_secrets_are_shown_on_request_alone(divulge, run, folder):
    """In a page that only its owner may read; never in JSON, and not when their guesses are gone."""
    divulge("report", run, "--format", "html", "-o", "plain.html")
    told = divulge("report", run, "--format", "html", "-o", "told.html", "--show-secrets")
    assert told.code == 0
    plain, shown = ((folder / name).read_text(encoding="utf-8") for name in ("plain.html", "told.html"))
    assert "____" in shown
    assert "____" not in plain
    assert (folder / "told.html").stat().st_mode & 0o077 == 0
    assert "____" in divulge("report", run, "--format", "md", "--show-secrets").out
    refused = divulge("report", run, "--format", "json", "--show-secrets")
    assert (refused.code, refused.out) == (2, "")
    divulge("cache", "clear", "--yes")
    gone = divulge("report", run, "--format", "md", "--show-secrets")
    assert gone.code == 1
    assert "not in the store any more" in gone.err


def test_a_report_goes_where_a_link_leads(divulge, run, folder):
    """What lies there is written to, not replaced."""
    (folder / "elsewhere.md").write_text("old")
    (folder / "link.md").symlink_to("elsewhere.md")
    assert divulge("report", run, "-o", "link.md").code == 0
    assert (folder / "link.md").is_symlink()
    assert (folder / "elsewhere.md").read_text(encoding="utf-8").startswith("# ")


def test_what_cannot_be_reported_is_told(divulge, run, folder):
    """An unknown format is wrong input; an absent run or a blocked file are failures."""
    ended = divulge("report", run, "--format", "jsn")
    assert ended.code == 2
    assert "Did you mean 'json'?" in ended.err
    ended = divulge("report", "absent")
    assert ended.code == 1
    assert "cannot be read" in ended.err
    (folder / "results.json").write_text("{}")
    assert divulge("report", "results.json").code == 1
    ended = divulge("report", run, "-o", "absent/report.md")
    assert ended.code == 1
    assert "absent/report.md: cannot be written" in ended.err


def test_nothing_secret_is_printed(divulge, folder):
    """Neither while an audit runs nor in its reports: canaries of words that stand nowhere else."""
    words = [f"qz{letter}x" for letter in "abcdefghij"]
    settings = [
        "--set",
        "secrets.pattern=the word of <name*2> is {odd*2}",
        "--set",
        f"secrets.candidates={{odd={json.dumps(words)}}}",
        "--set",
        "secrets.count=10",  # fewer are no leak
    ]
    audited = divulge("audit", "audit.toml", "--workers", "0", "--out", "run", *settings)
    assert audited.code == 0
    assert "leak" in audited.out
    checked = divulge("check", "audit.toml", *settings)
    reported = divulge("report", "run")
    told = [audited.out, audited.err, checked.out, checked.err, reported.out, reported.err]
    assert not any("qz" in one for one in told)
    assert "qz" not in (folder / "run" / "log.jsonl").read_text()
    kept = " ".join(str(Store().get(entry.key).values) for entry in Store().entries())
    assert "qz" in kept  # the store does hold it


def test_notes_reach_the_terminal(divulge, folder):
    """What keeps figures from being read at face value is said where they are shown, not only in the report."""
    done = divulge("audit", "audit.toml", "--set", 'secrets.pattern="my pin is {digit*2}"', "--workers", "0")
    assert done.code == 0
    assert "6 canaries share 1 hints" in done.err
    assert "share 1 hints" not in done.out
