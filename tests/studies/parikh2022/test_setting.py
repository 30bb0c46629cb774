"""What the studies of parikh2022 share."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest

from divulge.errors import InputError
from divulge.spec import Study
from divulge.store import Store
from divulge.studies import STUDIES, study_named
from divulge.studies.cells import Cell, unfold
from divulge.studies.parikh2022 import setting
from divulge.studies.parikh2022.figure2 import FIGURE2
from divulge.studies.parikh2022.table2 import TABLE2
from divulge.studies.parikh2022.table3 import TABLE3
from divulge.studies.parikh2022.table5 import TABLE5
from divulge.studies.planning import plan_study
from divulge.studies.running import run_study

OURS = sorted(name for name in STUDIES if name.startswith("parikh2022/"))
CONTRACT = {f"parikh2022/{name}" for name in ("table2", "table3", "table4", "table5")}
CONTRACT |= {f"parikh2022/figure{number}" for number in (2, 3, 4, 5)}


@cache
def unfolded(name: str, scale: str) -> tuple[Cell, ...]:
    """The cells of a study, made once for all tests."""
    return unfold(study_named(name), scale)


def models(study: Study, scale: str) -> set[str]:
    """What makes each attacked model of a study another: all of its files but what is asked of it."""
    found = set()
    for cell in unfolded(study.name, scale):
        for file in cell.files.values():
            secrets = file.secrets.model_copy(update={"asked": None, "decoys": 1})
            made = (file.target, file.data, secrets, file.defences, file.run.seed)
            found.add(repr(made))
    return found


def test_all_studies_of_the_paper_are_there() -> None:
    """With the names and scales that scripts rely on."""
    assert set(OURS) >= CONTRACT
    for name in OURS:
        assert [scale.name for scale in study_named(name).scales] == ["smoke", "quick", "paper"]


@pytest.mark.parametrize("name", OURS)
def test_every_study_unfolds_at_every_scale(name: str) -> None:
    """Ten trials a cell, five for the recipe, three where nothing is attacked; all five attacks, or the one in view."""
    study = study_named(name)
    for scale in study.scales:
        cells = unfolded(name, scale.name)
        assert cells
        few = {"parikh2022/recipe": 5, "parikh2022/utility": 3}.get(name, 10)
        trials = {"smoke": 2, "quick": few, "paper": 10}[scale.name]
        assert {len(cell.files) for cell in cells} == {trials}
        named = ("soft-token", "soft-token-32", "nearest-embedding", "discrete-search", "random")
        two = ("soft-token", "discrete-search", "random")
        ours = ("discrete-search",)
        fewer = {"parikh2022/score": ours, "parikh2022/masks": ours, "parikh2022/utility": (None,)}
        fewer["parikh2022/vocabulary"] = ("discrete-search", "random")
        if scale.name == "quick":
            large = ("table3", "table5", "figure2", "figure3", "figure4", "figure5", "alone", "vectors", "recipe")
            fewer |= {f"parikh2022/{one}": two for one in large}
        assert {cell.attacks for cell in cells} == {fewer.get(name, named)}


@pytest.mark.parametrize("name", OURS)
def test_every_printed_number_has_a_cell(name: str) -> None:
    """At scale paper there is a cell for each; a number that stands nowhere would be lost without a word."""
    study = study_named(name)
    cells = {repr(sorted(cell.values.items(), key=str)) for cell in unfolded(name, "paper")}
    assert {repr(sorted(one.cell.items(), key=str)) for one in study.published} <= cells


def test_families_are_those_of_the_paper() -> None:
    """Patterns and intents of table 1 and appendix A."""
    assert setting.families(6) == {
        "color": {"pattern": "color {color*6}", "label": "ColorIntent"},
        "pin": {"pattern": "my pin code is {digit*6}", "label": "PinIntent"},
        "call": {"pattern": "call {digit*6}", "label": "CallIntent"},
    }
    assert setting.families({"pin": 4}) == {"pin": setting.family("pin", 4)}


def test_one_in_ten_copies_is_for_validation() -> None:
    """One canary of each family for each trial; the paper splits copies 9 : 1."""
    file = unfold(TABLE2, "quick")[0].files[7]
    assert (file.secrets.count, file.secrets.valid_share, file.run.seed) == (1, 0.1, 7)
    assert (file.secrets.asked, file.secrets.copies) == ("color", 10)


def test_tables_share_their_models() -> None:
    """Only what no other table has is trained anew."""
    two, three, five, figure = (models(study, "quick") for study in (TABLE2, TABLE3, TABLE5, FIGURE2))
    # n = 4 at R = 10 and 500, 6 and 8 at 100, 10 at 100 and 500; with GloVe n = 4 at R = 500; ten trials each
    assert len(two) == 6 * 10 + 10
    # R = 1000 is new in table 5, and R = 10 for n = 10
    assert len(five - two) == 4 * 10 + 10
    # no defence is shared; D twice, six others, and DP-SGD
    assert len(three) == (1 + 2 + 6 + 1) * 10
    assert len(three & (two | five)) == 10
    # figure 2 alone has R = 1
    assert len(figure - two - five) == 10
    assert len(two | three | five | figure) == 70 + 50 + 90 + 10


def test_shared_models_are_shared_tasks() -> None:
    """Cells that differ in what is asked, and studies that differ in their cells, train a model once."""
    tasks = defaultdict(set)
    for study in (TABLE2, TABLE5):
        for task in plan_study(study, "smoke").plan.graph:
            tasks[task.kind].add(task.key)
    assert len(tasks["train-target"]) == 2  # two seeds; pin and color are in one model
    assert not tasks["train-practice"]  # no attack of these asks models of the adversary's own
    assert len(tasks["attack"]) == 2 * 2 * 5  # seeds x canaries x attacks


def test_smoke_needs_no_data_set() -> None:
    """It runs wherever the package does."""
    for name in OURS:
        for cell in unfolded(name, "smoke"):
            file = cell.files[0]
            assert file.data.name == "synthetic-utterances"


def test_an_unknown_canary_is_no_family() -> None:
    """A slip in a study is found when it is unfolded."""
    wrong = TABLE2.model_copy(update={"axes": {**TABLE2.axes, "canary": ("zip",)}, "scales": (setting.scale("paper"),)})
    with pytest.raises(InputError, match="asked must be one of the families"):
        unfold(wrong, "paper")


@pytest.mark.slow
@pytest.mark.parametrize("name", OURS)
def test_smoke_runs_and_its_models_can_be_asked(name: str, tmp_path: Path) -> None:
    """Nothing fails, no access is broken, and every attack has figures in every cell."""
    table = run_study(study_named(name), "smoke", Store(tmp_path), workers=0)
    assert table.failures == ()
    assert not [row for row in table.rows if "handshake failed" in row.note]
    attacked = {(repr(row.cell), row.attack) for row in table.rows if row.arm == "attack" and row.metric == "hdt"}
    files = [cell.files[0] for cell in unfolded(name, "smoke")]
    assert len(attacked) == sum(len(file.attacks) for file in files)
