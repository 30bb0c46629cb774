"""One battery over every registered study."""

from typing import Any

import pytest

from divulge.attacks import ATTACKS
from divulge.metrics import METRICS
from divulge.spec import AuditFile, Study
from divulge.studies import STUDIES, study_named
from divulge.studies.axes import axis_values, spelt
from divulge.studies.cells import Cell, unfold
from divulge.studies.checking import study_problems
from divulge.studies.verdicts import ALARMS, OWNERS_METRICS, QUERIES, TRACES

# The names that scripts rely on; a study of one of these papers has no other axes.
# What ours vary beyond that, in studies of our own and, in table 3, beside the print.
MORE_AXES = {
    "elmahdy2022/access": {"access"},
    "elmahdy2022/defences": {"defence"},
    "elmahdy2022/deletion": {"model"},
    "elmahdy2022/places": {"place"},
    "gu2023/asking": {"access", "texts"},
    "gu2023/figure3": {"among"},
    "gu2023/figure4": {"adversary"},
    "gu2023/figure6": {"among"},
    "gu2023/full": {"training"},
    "gu2023/pooled": {"near"},
    "gu2023/protocol": {"protocol"},
    "gu2023/table1": {"texts"},
    "gu2023/table2": {"texts"},
    "parikh2022/alone": {"planted"},
    "parikh2022/masks": {"masks"},
    "parikh2022/recipe": {"epochs", "hidden"},
    "parikh2022/score": {"score"},
    "parikh2022/table3": {"adversary"},
    "song2019/figure8": {"adversary"},
    "song2019/alarms": {"calibrated_on"},
    "song2019/evidence": {"weigh"},
    "song2019/offsets": {"adjust"},
    "song2019/references": {"references"},
    "song2019/transformer": {"cell"},
    "song2019/vocabulary": {"vocabulary"},
    "song2019/weights": {"rare"},
}
AXES = {
    "parikh2022": {"canary", "n", "R", "data", "defence", "rate", "vectors"},
    "elmahdy2022": {"tokens", "k", "R", "lambda", "supporting", "data"},
    "song2019": {
        *("task", "output", "queries", "users", "selection", "domain", "noise", "shadows", "obfuscation", "words"),
        *("seen", "ablated", "defence"),
    },
    "gu2023": {
        *("data", "encoder", "stands_for", "setting", "pooling", "choice", "kept", "keyword", "defence", "strength"),
        "size",
    },
}
MOST_SMOKE_CELLS = 16
MOST_SMOKE_SEEDS = 3

every_study = pytest.mark.parametrize("name", sorted(STUDIES))


def scales(study: Study) -> list[str]:
    """The names of its scales."""
    return [scale.name for scale in study.scales]


@every_study
def test_it_is_called_what_the_registry_calls_it(name: str) -> None:
    """The name begins with the paper, and the title says what it shows."""
    study = study_named(name)
    assert study.name == name
    assert study.title.strip()


@every_study
def test_it_survives_json(name: str) -> None:
    """A study is a value: what is written is read back equal, axes in their order."""
    study = study_named(name)
    again = Study.model_validate_json(study.model_dump_json())
    assert again == study
    assert list(again.axes) == list(study.axes)


@every_study
def test_it_offers_every_scale(name: str) -> None:
    """Smoke, quick and paper."""
    assert sorted(scales(study_named(name))) == ["paper", "quick", "smoke"]


@every_study
def test_every_cell_of_every_scale_is_a_valid_audit_file(name: str) -> None:
    """Nothing is wrong with it, and no two cells are the same."""
    study = study_named(name)
    assert study_problems(study) == []
    for scale in scales(study):
        cells = unfold(study, scale)
        assert cells
        assert len({str(cell.values) for cell in cells}) == len(cells)
        assert all(isinstance(file, AuditFile) for cell in cells for file in cell.files.values())


@every_study
def test_smoke_is_small(name: str) -> None:
    """It must take seconds."""
    cells = unfold(study_named(name), "smoke")
    assert len(cells) <= MOST_SMOKE_CELLS
    assert all(len(cell.files) <= MOST_SMOKE_SEEDS for cell in cells)


@every_study
def test_its_axes_have_the_names_that_scripts_rely_on(name: str) -> None:
    """For the four papers; the house's own studies name theirs freely, and some of ours have one more."""
    study = study_named(name)
    assert set(study.axes) - MORE_AXES.get(name, set()) <= AXES.get(study.paper, set(study.axes))


@every_study
def test_its_metrics_and_attacks_exist(name: str) -> None:
    """Some metric is about leaks or utility; attacks and copies are registered ones, and copies run beside ours."""
    study = study_named(name)
    assert study.metrics
    assert set(study.metrics) <= {*METRICS, *OWNERS_METRICS, *TRACES, *QUERIES, *ALARMS}
    for scale in scales(study):
        named = {attack for cell in unfold(study, scale) for attack in cell.attacks if attack is not None}
        assert named <= set(ATTACKS)
    assert {*study.copy_of, *map(str, study.copy_of.values())} <= named


@every_study
def test_every_printed_number_belongs_to_a_row(name: str) -> None:
    """Of some scale; and no row has two of them."""
    study = study_named(name)
    keys = [(str(sorted(p.cell.items())), p.attack, p.metric, p.arm) for p in study.published]
    assert len(set(keys)) == len(keys)
    cells = [(scale, cell) for scale in study.scales for cell in unfold(study, scale.name)]
    for printed in study.published:
        assert any(_fits(study, scale, cell, printed) for scale, cell in cells), printed


def _fits(study: Study, scale: Any, cell: Cell, printed: Any) -> bool:
    read = {axis: value for axis, value in printed.cell.items() if axis not in cell.values}
    return (
        all(printed.cell.get(axis, cell) == value for axis, value in cell.values.items())
        and all(axis in study.readings for axis in read)
        and all(spelt(value) in map(spelt, axis_values(study, scale, axis)) for axis, value in read.items())
        and printed.metric in study.metrics
        and (printed.attack in cell.attacks or printed.attack is None)
    )
