"""The figures of one cell."""

from collections import Counter
from pathlib import Path

import pytest
from tests.studies.sample import study

from divulge.auditing.pooling import attacked, probed
from divulge.records import Measurement
from divulge.spec import StudyScale
from divulge.store import MissingArtefactError, Store
from divulge.studies import drafts
from divulge.studies.drafts import CellDrafts, Draft
from divulge.studies.planning import StudyPlan, plan_study
from divulge.studies.running import run_study


def drafts_of(planned: StudyPlan, store: Store, place: int = 0) -> list[Draft]:
    """All drafts of one cell."""
    return CellDrafts(planned, planned.cells[place], store, {}).drafts()


def test_drafts_come_in_the_order_of_the_study(planned: StudyPlan, finished_store: Store) -> None:
    """Attacks, then metrics, then readings, then arms; probes last."""
    found = drafts_of(planned, finished_store)
    first = [(d.figure.metric, d.cell.get("k"), d.figure.arm) for d in found if d.attack == "random"]
    arms = ("attack", "baseline", "control")
    assert first == [
        *(("accuracy", None, arm) for arm in arms),
        *(("hdt", None, arm) for arm in arms),
        *(("success", 1, arm) for arm in arms),
        *(("success", 3, arm) for arm in arms),
    ]
    assert [d.attack for d in found] == ["random"] * 12 + ["label-likelihood"] * 12 + [None]
    assert found[-1].figure.metric == "test_accuracy"
    assert found[-1].cell == {"world": "leaky", "R": 1}


def test_an_axis_that_reads_guesses_sets_the_metric(planned: StudyPlan, finished_store: Store) -> None:
    """Chance of success within k of twelve completions is k / 12."""
    chances = {
        d.cell["k"]: d.figure.value
        for d in drafts_of(planned, finished_store)
        if d.figure.metric == "success" and d.figure.arm == "baseline" and d.attack == "random"
    }
    assert chances == {1: pytest.approx(1 / 12), 3: pytest.approx(3 / 12)}


def test_a_scale_chooses_among_readings(finished_store: Store) -> None:
    """Only the values of the scale are read, on the same guesses."""
    made = study(scales=(StudyScale(name="smoke", axes={"k": [3]}),))
    found = drafts_of(plan_study(made, "smoke"), finished_store)
    assert {d.cell.get("k") for d in found} == {None, 3}


def test_a_grid_has_one_world_read_at_fewer_values(finished_store: Store) -> None:
    """The leaky one at one value, the other at both."""
    made = study(grids=({"world": ["leaky"], "k": [3]}, {"world": ["silent"]}))
    planned = plan_study(made, "smoke")
    read = [{d.cell.get("k") for d in drafts_of(planned, finished_store, place)} for place in (0, 1)]
    assert read == [{None, 3}, {None, 1, 3}]


def test_what_a_metric_tells_apart_by_itself_becomes_an_axis(finished_store: Store) -> None:
    """An axis without options takes its value from the figure's group; other values are left out."""
    made = study(
        axes={"world": ["leaky", "silent"], "R": [1], "k": [1, 10]},
        readings={"k": {}},
        scales=(StudyScale(name="smoke"),),
    )
    found = drafts_of(plan_study(made, "smoke"), finished_store)
    success = {(d.attack, d.cell["k"]) for d in found if d.figure.metric == "success"}
    # Of the metric's own k only 1 and 10 are below the twelve completions.
    assert success == {(attack, k) for attack in ("random", "label-likelihood") for k in (1, 10)}
    only = study(axes={**made.axes, "k": [10]}, readings={"k": {}}, scales=(StudyScale(name="smoke"),))
    asked = drafts_of(plan_study(only, "smoke"), finished_store)
    assert {d.cell["k"] for d in asked if d.figure.metric == "success"} == {10}
    assert {d.cell["k"] for d in found if d.figure.metric == "accuracy"} == {1}
    assert all("k" not in d.cell for d in found if d.figure.arm == "utility")


def test_a_group_never_takes_the_place_of_an_axis_that_is_set(tmp_path: Path) -> None:
    """With k as the width of a beam, only success within that k belongs into the cell; what has no k all does."""
    made = study(
        base={**study().base, "attacks": [{"name": "label-likelihood"}]},
        axes={"k": [1, 10, 11]},
        settings={"k": "attacks.0.options.beam"},
        variants={},
        readings={},
        metrics=("success", "accuracy"),
        copy_of={},
        published=(),
        scales=(StudyScale(name="smoke", seeds=(3,)),),
    )
    found = [row for row in run_study(made, "smoke", Store(tmp_path), workers=0).rows if row.arm == "attack"]
    assert [(row.cell["k"], row.metric) for row in found] == [
        (1, "success"),
        (1, "accuracy"),
        (10, "success"),
        (10, "accuracy"),
        (11, "accuracy"),  # success is not measured at 11, and success at 1 or 10 is not of this cell
    ]


def test_a_group_that_is_no_axis_joins_the_cell(finished_store: Store) -> None:
    """Nothing that tells figures apart is lost, or two rows would be one."""
    made = study(axes={"world": ["leaky", "silent"], "R": [1]}, readings={})
    found = drafts_of(plan_study(made, "smoke"), finished_store)
    assert {d.cell["k"] for d in found if d.figure.metric == "success" and d.attack == "random"} == {1, 10}
    keys = Counter((str(d.cell), d.attack, d.figure.metric, d.figure.arm) for d in found)
    assert max(keys.values()) == 1


def test_what_is_not_there_is_told(planned: StudyPlan, tmp_path: object) -> None:
    """Each attack and seed, with the reason if there is one."""
    store = Store(tmp_path)  # type: ignore[arg-type]
    key = planned.plan.graph[planned.cells[0].specs["random"][4].measure].needs["attack"]
    maker = CellDrafts(planned, planned.cells[0], store, {key: "the disk is full"})
    assert maker.drafts() == []
    told = [(one.attack, one.seed, one.reason) for one in maker.failures]
    assert told == [
        ("random", 3, "not computed yet"),
        ("random", 4, "the disk is full"),
        ("label-likelihood", 3, "not computed yet"),
        ("label-likelihood", 4, "not computed yet"),
    ]


def test_a_cell_that_only_probes_tells_what_is_missing_too(tmp_path: object) -> None:
    """Without attacks nobody else would."""
    base = {key: value for key, value in study().base.items() if key != "attacks"}
    planned = plan_study(study(base=base), "smoke")
    maker = CellDrafts(planned, planned.cells[0], Store(tmp_path), {})  # type: ignore[arg-type]
    assert maker.drafts() == []
    assert [(one.attack, one.seed) for one in maker.failures] == [(None, 3), (None, 4)]


def test_guesses_are_read_back_arm_by_arm(planned: StudyPlan, finished_store: Store) -> None:
    """Six secrets and five controls a model, as the sample asks; chance has no arm."""
    one = planned.cells[0].specs["label-likelihood"][4]
    found = attacked(4, one, planned.plan, finished_store)
    assert {arm: len(scored.answers) for arm, scored in found.arms.items()} == {"attack": 6, "control": 5}
    assert set(found.arms["attack"].guesses) == set(found.arms["attack"].answers)
    assert not set(found.arms["attack"].answers) & set(found.arms["control"].answers)
    assert found.model in planned.plan.graph
    assert planned.plan.graph[found.model].kind == "train-target"
    assert found.failed_checks == ()


def test_absent_guesses_are_missing_not_empty(planned: StudyPlan, tmp_path: object) -> None:
    """An empty store must not look like an attack without an answer."""
    store = Store(tmp_path)  # type: ignore[arg-type]
    one = planned.cells[0].specs["random"][3]
    with pytest.raises(MissingArtefactError):
        attacked(3, one, planned.plan, store)
    assert probed(one, planned.plan, store) == []


def test_probes_are_read_without_any_attack(planned: StudyPlan, finished_store: Store) -> None:
    """The classifier's accuracy on the three splits."""
    found = probed(planned.cells[0].specs["random"][3], planned.plan, finished_store)
    assert [one.metric for one in found] == ["train_accuracy", "valid_accuracy", "test_accuracy"]


def test_groups_of_a_probe_keep_its_order(
    planned: StudyPlan, finished_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bins are in order as the probe gives them, which no order of letters is; metrics in that of the study."""

    def found(*_: object) -> list[Measurement]:
        told = [
            ("test_accuracy", "9..10"),
            ("accuracy", "1..2"),
            ("test_accuracy", "10..11"),
            ("test_accuracy", "1..2"),
        ]
        return [Measurement(metric=name, value=0.5, n=1, arm="utility", group={"bin": one}) for name, one in told]

    monkeypatch.setattr(drafts, "probed", found)
    told = [(d.figure.metric, d.cell["bin"]) for d in drafts_of(planned, finished_store) if d.attack is None]
    assert told == [("accuracy", "1..2"), *(("test_accuracy", name) for name in ("9..10", "10..11", "1..2"))]
