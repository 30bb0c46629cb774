"""Cells, and attacks of cells, that a kept table holds whole."""

from pathlib import Path

import pytest
from pydantic import JsonValue
from tests.studies.sample import study
from tests.studies.test_running import Counting

from divulge.graph import Task
from divulge.spec import Study, StudyScale
from divulge.store import Store
from divulge.studies.keeping import Costs, cell_key, finals_without, kept_parts, part_keys, whole_cells
from divulge.studies.planning import StudyPlan, plan_study
from divulge.studies.results import read_table
from divulge.studies.rows import StudyTable
from divulge.studies.running import run_study
from divulge.studies.tables import tabulate

FEWER = study(axes={"world": ["leaky"], "R": [1], "k": [1, 3]}, scales=(StudyScale(name="smoke", note="half of it"),))


class Interrupting(Counting):
    """Presses Ctrl-C when the first world is done."""

    def ended(self, task: Task, state: str, seconds: float, reason: str = "") -> None:
        """Counts, and stops at the sixth measurement: two seeds of two attacks, and two of the next world."""
        super().ended(task, state, seconds, reason)
        if self.done.count("measure") == 6:
            raise KeyboardInterrupt


def test_every_part_of_a_finished_table_is_whole(table: StudyTable, planned: StudyPlan) -> None:
    """Each attack of each cell and its probes, with the rows, the controls and the cost that are its own."""
    assert [dict(one.cell) for one in table.cells] == [{"world": "leaky", "R": 1}, {"world": "silent", "R": 1}]
    assert [one.key for one in table.cells] == [cell_key(planned, cell) for cell in planned.cells]
    assert sum(one.rows for one in table.cells) == len(table.rows)
    parts = kept_parts(table, planned)
    for cell, kept in zip(planned.cells, table.cells, strict=True):
        assert [one.attack for one in kept.parts] == ["random", "label-likelihood", None]
        own = [parts[key] for key in part_keys(planned, cell).values()]
        assert all(row.cell["world"] == kept.cell["world"] for one in own for row in one.rows)
        assert [{row.attack for row in one.rows} for one in own] == [{"random"}, {"label-likelihood"}, {None}]
        # two seeds of five controls each
        assert [len(one.controls) for one in own] == [10, 10, 0]
        assert [one.part.models for one in own] == [2, 0, 0]  # trained for the first of them
        assert kept.models == 2
        assert kept.seconds == pytest.approx(sum(one.part.seconds for one in own))
    assert table.models == 4
    assert whole_cells(parts, planned) == 2


def test_cells_that_were_kept_before_there_were_parts_are_taken(table: StudyTable, planned: StudyPlan) -> None:
    """By the key of the whole cell; all that it cost is that of its first attack."""
    cells = tuple(one.model_copy(update={"parts": ()}) for one in table.cells)
    older = kept_parts(table.model_copy(update={"cells": cells}), planned)
    newer = kept_parts(table, planned)
    assert {key: one.rows for key, one in older.items()} == {key: one.rows for key, one in newer.items()}
    assert sum(one.part.seconds for one in older.values()) == pytest.approx(table.seconds)
    assert sum(one.part.models for one in older.values()) == 4


def test_a_kept_table_alone_gives_the_same_table(table: StudyTable, planned: StudyPlan, tmp_path: Path) -> None:
    """Rows, checks and cost, though the store is empty."""
    again = tabulate(planned, Store(tmp_path), kept=table)
    assert again == table
    assert tabulate(planned, Store(tmp_path)).rows == ()


def test_what_is_kept_is_not_computed_again(tmp_path: Path) -> None:
    """A run with an empty store does only the cell that the kept table lacks, and the table has both."""
    results = tmp_path / "results"
    run_study(FEWER, "smoke", Store(tmp_path / "first"), workers=0, save=results)
    counting = Counting()
    joint = run_study(study(), "smoke", Store(tmp_path / "second"), workers=0, save=results, progress=counting)
    assert counting.done.count("train-target") == 2
    assert counting.lines == [f"1 of 2 cells, with 3 attacks and probes, are kept in {results} and not computed again"]
    whole = run_study(study(), "smoke", Store(tmp_path / "third"), workers=0)
    assert joint.rows == whole.rows  # the notes too, which said "half of it" before
    assert joint.checks == whole.checks
    assert joint.failures == ()
    assert joint.models == 4
    assert read_table(study(), "smoke", results) == joint


def test_one_attack_is_added_to_what_is_kept_of_another(tmp_path: Path, table: StudyTable) -> None:
    """With an empty store each time: nothing is lost, nothing is computed twice, and the table is that of one run."""
    results = tmp_path / "results"
    first = run_study(
        study(), "smoke", Store(tmp_path / "first"), workers=0, save=results, only=["attack=label-likelihood"]
    )
    assert {row.attack for row in first.rows if row.value is not None} == {"label-likelihood", None}
    assert {row.copy_value for row in first.rows} == {None}
    assert [one.key for one in first.cells] == [None, None]
    counting = Counting()
    both = run_study(study(), "smoke", Store(tmp_path / "second"), workers=0, save=results, progress=counting)
    assert counting.lines == [f"0 of 2 cells, with 4 attacks and probes, are kept in {results} and not computed again"]
    assert counting.done.count("measure") == counting.done.count("train-target") == 4  # of the other attack alone
    assert both.rows == table.rows
    assert both.checks == table.checks
    assert both.failures == ()
    assert [one.key for one in both.cells] == [one.key for one in table.cells]
    assert both.models == 8  # trained twice
    again = run_study(study(), "smoke", Store(tmp_path / "second"), workers=0, save=results)
    assert (again.rows, again.models, again.seconds) == (both.rows, both.models, both.seconds)


def test_a_new_attack_leaves_the_others_as_they_are(tmp_path: Path, table: StudyTable) -> None:
    """A study that is given one more attack computes that one alone."""
    results, counting = tmp_path / "results", Counting()
    run_study(study(), "smoke", Store(tmp_path / "first"), workers=0, save=results)
    attacks: list[JsonValue] = [*study().base["attacks"], {"name": "label-match"}]  # type: ignore[misc]
    more = study(base={**study().base, "attacks": attacks})
    made = run_study(more, "smoke", Store(tmp_path / "second"), workers=0, save=results, progress=counting)
    assert counting.done.count("measure") == 4
    assert [row for row in made.rows if row.attack != "label-match"] == list(table.rows)
    assert {row.attack for row in made.rows} == {"random", "label-likelihood", "label-match", None}


def test_probes_alone_are_computed_where_they_alone_are_missing(table: StudyTable, planned: StudyPlan) -> None:
    """And no attack again."""
    attacks = {key: one for key, one in kept_parts(table, planned).items() if one.part.attack is not None}
    wanted = finals_without(planned, attacks, {})
    assert {planned.plan.graph[key].kind for key in wanted} == {"probe"}
    assert len(wanted) == 4  # of two models in each of two cells


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (study(seeds=(3, 5)), set()),
        (
            study(base={**study().base, "attacks": [{"name": "random"}, {"name": "label-likelihood"}]}),
            {"label-likelihood", None},
        ),
        (study(metrics=("accuracy", "hdt", "success", "test_accuracy", "exposure")), set()),
        (study(grids=({"k": [1]},)), set()),
    ],
    ids=["seeds", "options of an attack", "metrics", "readings"],
)
def test_what_was_computed_otherwise_is_not_taken(
    other: Study, same: set[str | None], table: StudyTable, tmp_path: Path
) -> None:
    """Other seeds, options, metrics or values that are read make another key; other attacks of the cell stay."""
    planned = plan_study(other, "smoke")
    assert {row.attack for one in kept_parts(table, planned).values() for row in one.rows} <= same
    found = tabulate(planned, Store(tmp_path), kept=table).rows
    assert {row.attack for row in found if row.value is not None} == same


def test_an_interrupted_run_keeps_its_whole_cells(tmp_path: Path) -> None:
    """And the next one, with another store, begins where it ended."""
    results = tmp_path / "results"
    with pytest.raises(KeyboardInterrupt):
        run_study(study(), "smoke", Store(tmp_path / "first"), workers=0, save=results, progress=Interrupting())
    kept = read_table(study(), "smoke", results)
    assert kept is not None
    assert [one.key is not None for one in kept.cells] == [True, False]
    assert kept.failures
    counting = Counting()
    table = run_study(study(), "smoke", Store(tmp_path / "second"), workers=0, save=results, progress=counting)
    assert (table.failures, counting.done.count("train-target")) == ((), 2)


def test_an_interrupted_run_takes_nothing_away(tmp_path: Path, table: StudyTable) -> None:
    """A table of more rows than it came to stays as it is."""
    results = tmp_path / "results"
    run_study(study(seeds=(7, 8)), "smoke", Store(tmp_path / "first"), workers=0, save=results)
    before = read_table(study(), "smoke", results)
    with pytest.raises(KeyboardInterrupt):
        run_study(study(), "smoke", Store(tmp_path / "second"), workers=0, save=results, progress=Interrupting())
    assert read_table(study(), "smoke", results) == before


def test_only_finals_of_other_cells_are_wanted(table: StudyTable, planned: StudyPlan) -> None:
    """None if all cells are kept, all if none is."""
    parts = kept_parts(table, planned)
    assert finals_without(planned, parts, {}) == ()
    assert set(finals_without(planned, {}, {})) == set(planned.plan.graph.finals)
    first = dict(list(parts.items())[:3])
    left = finals_without(planned, first, {})
    assert 0 < len(left) < len(planned.plan.graph.finals)


def test_a_task_is_counted_with_the_first_attack_that_needs_it(planned: StudyPlan, finished_store: Store) -> None:
    """Asked twice, the second time nothing is left."""
    costs = Costs(planned.plan.graph, finished_store)
    first = costs.of(planned.cells[0], "random")
    assert first[1] == 2
    assert first[0] > 0
    assert costs.of(planned.cells[0], "random") == (0.0, 0)
    assert costs.of(planned.cells[0], "label-likelihood")[1] == 0
    assert costs.of(planned.cells[0], None) == (0.0, 0)  # every attack's figures stand beside them
