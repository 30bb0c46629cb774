"""Tests of `divulge study`."""

from __future__ import annotations

import json

import pytest

STUDY = """
from divulge.spec import Study, StudyScale

SMALL = Study(
    name="own/small",
    paper="own",
    title="one leaky model",
    base={
        "target": {"kind": "fake-classifier"},
        "data": {"name": "synthetic-utterances", "options": {"size": 60}},
        "secrets": {"pattern": "my pin at <name*2> is {digit*2}", "label": "Pin", "count": 4, "controls": 4},
        "attacks": [{"name": "label-likelihood"}],
    },
    axes={"copies": [1]},
    settings={"copies": "secrets.copies"},
    metrics=("accuracy",),
    scales=(StudyScale(name="smoke"),),
)
TWO = SMALL.model_copy(update={"name": "own/two", "axes": {"copies": [1, 3]}})
BROKEN = SMALL.model_copy(
    update={"name": "own/broken", "base": {**SMALL.base, "attacks": [{"name": "own_study:Breaks"}]}}
)

from divulge.attacks.base import Attack
from divulge.records import Gaps


class Breaks(Attack):
    name = "breaks"
    summary = "breaks"
    requires = ()
    hints = (Gaps,)

    def guess(self, access, hints, knowledge, rng):
        raise RuntimeError("in the middle")
"""


@pytest.fixture
def own(folder, monkeypatch):
    """A module with small studies of one's own."""
    (folder / "own_study.py").write_text(STUDY)
    monkeypatch.syspath_prepend(str(folder))


def test_studies_are_listed(divulge):
    """With what scripts rely on."""
    rows = divulge("study", "list", "--json").json["studies"]
    assert {"name", "paper", "scales", "axes", "metrics", "computed"} <= set(rows[0])
    (ladder,) = [row for row in rows if row["name"] == "worlds/ladder"]
    assert (ladder["paper"], ladder["axes"]) == ("worlds", ["access", "world"])
    assert ladder["scales"] == ["smoke", "quick", "paper"]
    assert "worlds/ladder" in divulge("study", "list").out


def test_a_study_is_shown(divulge):
    """What it varies and measures."""
    ended = divulge("study", "show", "worlds/ladder")
    assert ended.code == 0
    assert "exposure" in ended.out
    assert divulge("study", "show", "worlds/ladder", "--json").json["name"] == "worlds/ladder"


def test_an_unknown_study_is_answered_with_the_nearest(divulge):
    """By each command, with exit code 2."""
    for command in (("show",), ("run", "--scale", "smoke"), ("table",)):
        ended = divulge("study", command[0], "worlds/lader", *command[1:])
        assert ended.code == 2
        assert "Did you mean 'worlds/ladder'" in ended.err


def test_an_unknown_scale_is_refused(divulge):
    """Before anything runs."""
    for command in ("run", "table"):
        ended = divulge("study", command, "worlds/ladder", "--scale", "huge")
        assert ended.code == 2
        assert "huge" in ended.err


def test_a_table_of_nothing_ends_with_3_and_has_no_rows(divulge):
    """A message on stderr, and for scripts an empty table."""
    ended = divulge("study", "table", "worlds/ladder", "--json")
    assert ended.code == 3
    assert ended.json == {"study": "worlds/ladder", "paper": "worlds", "scale": None, "rows": []}
    assert "has not been computed" in ended.err
    plain = divulge("study", "table", "worlds/ladder", "--scale", "smoke")
    assert (plain.code, plain.out) == (3, "")


def test_a_study_is_run_kept_and_shown(divulge, own, folder):
    """The table afterwards is the table of the run."""
    command = ("study", "run", "own_study:SMALL", "--scale", "smoke", "--workers", "0")
    ran = divulge(*command, "--save", "kept", "--log", "log.jsonl", "--json")
    assert ran.code == 0
    keys = {"cell", "attack", "arm", "metric", "published", "copy", "value", "low", "high", "n", "verdict", "note"}
    assert ran.json["rows"]
    assert all(set(row) == keys for row in ran.json["rows"])
    attack = next(row for row in ran.json["rows"] if row["arm"] == "attack" and row["metric"] == "accuracy")
    assert (attack["cell"], attack["value"], attack["n"]) == ({"copies": 1}, 1.0, 4)
    assert (folder / "kept" / "own" / "small.smoke.json").is_file()
    assert json.loads((folder / "log.jsonl").read_text().splitlines()[0])["event"] == "run-start"
    assert divulge("study", "table", "own_study:SMALL", "--json").json == ran.json
    assert "accuracy" in divulge("study", "table", "own_study:SMALL").out
    assert "0 tasks to do" in divulge(*command).err


def test_chosen_cells_are_run_alone(divulge, own):
    """Cells that were not asked for are no failure; what is not there is refused with what is."""
    command = ("study", "run", "own_study:TWO", "--scale", "smoke", "--workers", "0", "--json")
    ran = divulge(*command, "--only", "copies=3")
    assert ran.code == 0
    assert {row["cell"]["copies"] for row in ran.json["rows"]} == {3}
    refused = divulge(*command, "--only", "copies=4")
    assert refused.code == 2
    assert "axis 'copies' has no such value" in refused.err


def test_cells_that_fail_are_told_and_end_with_1(divulge, own):
    """The reason is there, a trace only when asked for."""
    command = ("study", "run", "own_study:BROKEN", "--scale", "smoke", "--workers", "0")
    ended = divulge(*command, "--json")
    assert ended.code == 1
    assert "RuntimeError at" in ended.err
    assert "in the middle" not in ended.err
    assert "study" in ended.json
    assert "in the middle" in divulge(*command, "--debug").err


def test_an_unknown_engine_is_refused(divulge):
    """Before anything runs."""
    ended = divulge("study", "run", "worlds/ladder", "--scale", "smoke", "--engine", "locl")
    assert ended.code == 2
    assert "unknown engine 'locl'. Did you mean 'local'?" in ended.err


def test_a_study_is_drawn(divulge, own, folder):
    """From what was computed, into a file whose name is printed."""
    assert divulge("study", "plot", "own_study:SMALL").code == 3
    divulge("study", "run", "own_study:SMALL", "--scale", "smoke", "--workers", "0")
    ended = divulge("study", "plot", "own_study:SMALL")
    assert (ended.code, ended.out) == (0, "own-small.smoke.svg\n")
    assert (folder / "own-small.smoke.svg").read_text().startswith("<svg ")
    named = divulge("study", "plot", "own_study:SMALL", "--metric", "accuracy", "-o", "plots/one.svg")
    assert (named.code, (folder / "plots" / "one.svg").is_file()) == (0, True)
    refused = divulge("study", "plot", "own_study:SMALL", "--metric", "acuracy")
    assert refused.code == 2
    assert "Did you mean 'accuracy'?" in refused.err
    (folder / "taken").write_text("")
    assert divulge("study", "plot", "own_study:SMALL", "-o", "taken/one.svg").code == 1


def test_all_kept_studies_make_a_page(divulge, folder):
    """Also where nothing is kept."""
    ended = divulge("study", "page", "-o", "docs/reproducing.md")
    assert ended.code == 0
    text = (folder / "docs" / "reproducing.md").read_text()
    assert "Not computed yet: `divulge study run parikh2022/table2 --scale quick --save results`." in text
    assert not (folder / "docs" / "reproducing").exists()


def test_checks_and_cost_are_printed(divulge, own):
    """For people and for scripts."""
    ran = divulge("study", "run", "own_study:SMALL", "--scale", "smoke", "--workers", "0", "--json").json
    assert ran["models"] == 1
    assert {check["name"] for check in ran["checks"]} == {
        "ranks of controls are uniform",
        "controls are recovered at chance",
    }
    text = divulge("study", "table", "own_study:SMALL").out
    assert "Checks of the whole table:" in text
    assert "1 model trained" in text
