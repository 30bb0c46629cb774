"""What the studies of song2019 share."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from divulge.store import Store
from divulge.studies import STUDIES, study_named
from divulge.studies.cells import unfold
from divulge.studies.keeping import cell_key
from divulge.studies.planning import plan_study
from divulge.studies.running import run_study
from divulge.studies.song2019 import setting
from divulge.studies.song2019.obfuscation import TABLE5
from divulge.studies.song2019.table1 import TABLE1
from divulge.studies.song2019.table3 import TABLE3

OURS = sorted(name for name in STUDIES if name.startswith("song2019/"))
OF_PROBES = {"words", "seen", "bin", "frequency", "ablated"}  # told apart by what a probe measures


@pytest.mark.parametrize("name", OURS)
def test_every_printed_number_has_a_cell(name: str) -> None:
    """At scale paper there is a cell for each; a number that stands nowhere would be lost without a word."""
    study = study_named(name)
    cells = {repr(sorted(cell.values.items(), key=str)) for cell in unfold(study, "paper")}
    placed = [{axis: value for axis, value in one.cell.items() if axis not in OF_PROBES} for one in study.published]
    assert {repr(sorted(cell.items(), key=str)) for cell in placed} <= cells


@pytest.mark.parametrize("name", OURS)
def test_there_are_people_enough_for_everybodys_part(name: str) -> None:
    """Members, as many others, twice as many for shadows, and those known to be out; at scale quick a hundred or so."""
    for cell in unfold(study_named(name), "quick"):
        for file in cell.files.values():
            known = file.adversary.background.controls
            users = file.data.options["users"]
            assert file.secrets.controls >= 25
            if file.adversary.background.corpus is None:
                assert users - file.secrets.count - file.secrets.controls - known >= 50


@pytest.mark.parametrize("scale", ["quick", "paper"])
@pytest.mark.parametrize("name", OURS)
def test_notes_tell_what_the_scale_does(name: str, scale: str) -> None:
    """People, epochs and shadows as the cells have them, and no shadows where nothing attacks."""
    study = study_named(name)
    files = [file for cell in unfold(study, scale) for file in cell.files.values()]
    members = {file.secrets.count for file in files}
    others = {file.secrets.controls for file in files}
    told = setting.sized(
        members=tuple(members),
        others=None if others == members else others.pop(),
        epochs=tuple({file.target.recipe["epochs"] for file in files}),
        shadows=tuple({file.adversary.background.shadows for file in files if file.attacks}),
        words="",
    )
    said = next(one.note for one in study.scales if one.name == scale)
    assert said.startswith(told.partition(";")[0] + "; ")
    assert {file.adversary.background.controls for file in files} == {setting.KNOWN_OUT}
    assert (setting.LINE in said) == bool(files[0].attacks)
    assert not any(word in study.note for word in ("shadow", "epoch", "members"))  # these are told scale by scale


def test_a_scale_that_shows_nothing_tells_nothing_of_others() -> None:
    """Made-up people are not a hundred, and have other shadows."""
    assert all("100" not in str(one.note) for name in OURS for one in study_named(name).scales if one.name == "smoke")


def test_people_are_four_times_the_members_and_those_known_to_be_out() -> None:
    """100 members, 100 others, 200 for shadows, 50."""
    assert setting.people(100) == {"secrets.count": 100, "secrets.controls": 100, "data.options.users": 450}


def test_output_limits_are_worn_by_shadows_too() -> None:
    """The adversary knows how many words are shown; 5000 is all."""
    assert setting.limited(5000) == {"defences": []}
    (file, *_) = (next(iter(cell.files.values())) for cell in unfold(TABLE3, "quick") if cell.values["output"] == 10)
    assert [dict(part.options) for part in file.defences] == [{"tokens": 10}]
    assert file.adversary.knows_defence


def test_models_are_shared_by_outputs_and_tables() -> None:
    """At scale smoke: one target and two shadows of each domain, whatever is shown; table 1 has the same target."""
    tasks = list(plan_study(TABLE3, "smoke").plan.graph)
    assert sum(task.kind == "train-target" for task in tasks) == 1
    assert sum(task.kind == "train-practice" for task in tasks) == 4
    trained = {task.key for task in tasks if task.kind == "train-target"}
    assert trained <= {task.key for task in plan_study(TABLE1, "smoke").plan.graph}


def test_false_alarms_stand_in_the_table_of_every_attack(tmp_path: Path) -> None:
    """At scale smoke: of six others, at the line that each attack draws; kept cells need not be computed for it."""
    table = run_study(TABLE5, "smoke", Store(tmp_path), workers=0)
    rows = [row for row in table.rows if row.metric == "false_positive_rate"]
    assert {(row.attack, row.arm, row.n) for row in rows} == {
        (name, "attack", 6) for name in ("rank-histogram", "calibrated-ratio", "blind")
    }
    assert all(row.low is not None and row.low <= row.value <= row.high for row in rows)
    assert all(row.note.startswith("n = users not used, of 1 model") for row in rows)
    planned = plan_study(TABLE5, "smoke")
    without = tuple(name for name in TABLE5.metrics if name != "false_positive_rate")
    before = replace(planned, study=TABLE5.model_copy(update={"metrics": without}))
    assert [cell_key(before, cell) for cell in planned.cells] == [one.key for one in table.cells]


def test_scales_tell_nothing_of_axes_that_a_study_has_not() -> None:
    """Table 1 has no domain."""
    assert all(set(key.split()) <= {"task"} for scale in TABLE1.scales for key in scale.variants)
