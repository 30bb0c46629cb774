"""The table: figures beside the print and the copy."""

from collections import Counter

import pytest

from divulge.errors import InputError
from divulge.runs import gather
from divulge.store import Store
from divulge.studies.controls import AT_CHANCE, UNIFORM
from divulge.studies.drafts import CellDrafts
from divulge.studies.planning import StudyPlan
from divulge.studies.rows import StudyRow, StudyTable
from divulge.studies.tables import tabulate


def row(table: StudyTable, world: str, attack: str | None, metric: str, arm: str = "attack", **more: int) -> StudyRow:
    """The one row of this description."""
    cell = {"world": world, "R": 1, **more}
    (found,) = [
        one for one in table.rows if (dict(one.cell), one.attack, one.metric, one.arm) == (cell, attack, metric, arm)
    ]
    return found


def test_there_is_one_row_for_each_cell_attack_metric_and_arm(table: StudyTable) -> None:
    """No two rows have the same key."""
    keys = Counter((str(sorted(one.cell.items())), one.attack, one.metric, one.arm) for one in table.rows)
    assert max(keys.values()) == 1
    # two worlds x (two attacks x (accuracy, hdt, success at 1, success at 3) x three arms + test accuracy),
    # and one printed number without a figure of ours
    assert len(table.rows) == 2 * (2 * 4 * 3 + 1) + 1


def test_a_row_pools_the_secrets_of_all_seeds(table: StudyTable, planned: StudyPlan, finished_store: Store) -> None:
    """The share of hits among all outcomes that the single models' own measurements report."""
    results = gather(planned.plan, finished_store).results
    for world in ("leaky", "silent"):
        for attack in ("random", "label-likelihood"):
            outcomes = [
                outcome.value
                for result in results
                if result.spec["target"]["recipe"]["leaks"] is (world == "leaky")  # type: ignore[index,call-overload]
                and result.spec["attack"]["name"] == attack  # type: ignore[index,call-overload]
                for outcome in result.outcomes
                if outcome.metric == "hdt"
            ]
            found = row(table, world, attack, "hdt")
            assert found.n == len(outcomes) == 12
            assert found.value == pytest.approx(sum(outcomes) / 12, rel=1e-5)


def test_the_worlds_are_told_apart(table: StudyTable) -> None:
    """All in the leaky world, chance in the silent one, chance for the control in both."""
    assert row(table, "leaky", "label-likelihood", "accuracy").value == 1
    chance = row(table, "silent", "label-likelihood", "accuracy", "baseline").value
    assert chance == pytest.approx(1 / 12, rel=1e-5)
    for world, arm in (("silent", "attack"), ("silent", "control"), ("leaky", "control")):
        found = row(table, world, "label-likelihood", "accuracy", arm)
        assert found.low is not None
        assert found.low <= 1 / 12
    assert row(table, "leaky", "label-likelihood", "accuracy", "control").n == 10


def test_the_print_stands_beside_the_attack_only(table: StudyTable) -> None:
    """Its verdict follows from the row itself; other arms have nothing to be compared with."""
    found = row(table, "leaky", "label-likelihood", "accuracy")
    # Two models that agree in everything are worth two secrets: 2 of 2 is [0.342, 1], too wide to reproduce anything.
    assert (found.published, found.low, found.verdict) == (1.0, pytest.approx(0.342, abs=1e-3), "undecided")
    assert "as printed" in found.note
    better = row(table, "leaky", "label-likelihood", "hdt")
    assert (better.published, better.verdict) == (0.9, "better")  # nothing wrong in two: [0, 0.658]
    worse = row(table, "leaky", "random", "success", k=3)
    assert (worse.published, worse.verdict) == (0.99, "worse")
    beside = [one for one in table.rows if one.published is not None]
    assert len(beside) == 4
    assert all(one.arm == "attack" for one in beside)
    assert all(one.verdict == "not comparable" for one in table.rows if one.published is None)


def test_a_printed_number_without_a_figure_has_a_row(table: StudyTable) -> None:
    """Exposure is printed, but random guesses have none."""
    found = row(table, "leaky", "random", "exposure")
    assert (found.published, found.value, found.low, found.high, found.n) == (3.0, None, None, None, 0)
    assert found.verdict == "not comparable"


def test_the_copy_is_the_same_figure_of_the_copied_attack(table: StudyTable) -> None:
    """Same cell, metric and arm; the copy itself has none beside it, nor have figures of the model."""
    compared = 0
    for one in table.rows:
        if one.attack == "label-likelihood":
            beside = row(table, str(one.cell["world"]), "random", one.metric, one.arm, **_k(one))
            assert one.copy_value == beside.value
            compared += 1
        else:
            assert one.copy_value is None
    assert compared == 24


def test_utility_is_the_mean_over_models(table: StudyTable, planned: StudyPlan, finished_store: Store) -> None:
    """As the single models report it."""
    results = gather(planned.plan, finished_store).results
    values = {
        result.spec["seed"]: one.value
        for result in results
        for one in result.measurements
        if one.metric == "test_accuracy" and result.spec["target"]["recipe"]["leaks"] is True  # type: ignore[index,call-overload]
    }
    assert len(values) == 2
    found = row(table, "leaky", None, "test_accuracy", "utility")
    assert found.value == pytest.approx(sum(v for v in values.values() if v is not None) / 2, rel=1e-5)
    assert found.low is not None
    assert found.high is not None
    assert found.low <= found.value <= found.high
    assert "mean over models" in found.note


def test_notes_say_what_n_counts_and_what_departs(table: StudyTable) -> None:
    """The study's and the scale's own notes are on every row."""
    assert all(one.note.endswith("few seeds; nothing is real") for one in table.rows)
    assert row(table, "leaky", "random", "hdt").note.startswith("n = canaries of 2 models; interval clustered by model")
    assert "chance in closed form" in row(table, "leaky", "random", "hdt", "baseline").note


def test_the_table_knows_its_cost_and_itself(table: StudyTable, planned: StudyPlan, finished_store: Store) -> None:
    """The cost is that of all tasks, each counted once; making the table again gives the same."""
    assert (table.study, table.paper, table.scale, table.failures) == ("sample/table1", "sample", "smoke", ())
    listed = sum(entry.processor or 0.0 for entry in finished_store.entries())
    assert table.seconds == pytest.approx(listed, abs=5e-3)  # each part is rounded to a thousandth
    assert table.seconds > 0
    assert table.models == 4  # two worlds, two seeds, no shadows
    assert tabulate(planned, finished_store) == table


def test_figures_are_rounded_before_they_are_judged(table: StudyTable) -> None:
    """Six digits, so that files can be compared line by line; a row bears out its own verdict."""
    numbers = [number for one in table.rows for number in (one.value, one.low, one.high) if number is not None]
    assert all(float(f"{number:.6g}") == number for number in numbers)
    assert any(number not in (0, 1) for number in numbers)


def test_nothing_computed_gives_no_rows(planned: StudyPlan, tmp_path: object) -> None:
    """Not even for printed numbers; all that is missing is listed."""
    empty = tabulate(planned, Store(tmp_path))  # type: ignore[arg-type]
    assert empty.rows == ()
    assert len(empty.failures) == 8
    assert (empty.seconds, empty.models, empty.checks) == (0, 0, ())


def _k(one: StudyRow) -> dict[str, int]:
    return {"k": one.cell["k"]} if "k" in one.cell else {}  # type: ignore[dict-item]


def test_two_figures_for_one_row_are_refused(
    planned: StudyPlan, finished_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table in which a reader could pick either is no table."""
    twice = CellDrafts.drafts
    monkeypatch.setattr(CellDrafts, "drafts", lambda self: [*twice(self), twice(self)[0]])
    with pytest.raises(InputError, match=r"'sample/table1': random, accuracy, arm attack: several figures for one row"):
        tabulate(planned, finished_store)


def test_controls_are_checked_over_the_whole_table(table: StudyTable) -> None:
    """Ranks of the attack that can score, recoveries of both; neither world favours controls."""
    found = {(check.name, check.attack): check for check in table.checks}
    assert set(found) == {(UNIFORM, "label-likelihood"), (AT_CHANCE, "label-likelihood"), (AT_CHANCE, "random")}
    assert all(check.p_value > 0.001 for check in table.checks)
    # five controls of each of two seeds, the same in both worlds
    assert {check.n for check in table.checks} == {10}
    assert "in all cells" in found[AT_CHANCE, "random"].note
