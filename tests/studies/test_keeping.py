"""Cells that a kept table holds whole."""

from pathlib import Path

import pytest
from tests.studies.sample import study
from tests.studies.test_running import Counting

from divulge.graph import Task
from divulge.spec import Study, StudyScale
from divulge.store import Store
from divulge.studies.keeping import Costs, cell_key, finals_without, whole_cells
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


def test_every_cell_of_a_finished_table_is_whole(table: StudyTable, planned: StudyPlan) -> None:
    """With the rows, the controls and the cost that are its own."""
    assert [dict(one.cell) for one in table.cells] == [{"world": "leaky", "R": 1}, {"world": "silent", "R": 1}]
    assert [one.key for one in table.cells] == [cell_key(planned, cell) for cell in planned.cells]
    assert sum(one.rows for one in table.cells) == len(table.rows)
    for one, kept in whole_cells(table, planned).items():
        assert all(dict(row.cell) | dict(kept.cell.cell) == dict(row.cell) for row in kept.rows), one
        # two attacks, two seeds, five controls each
        assert len(kept.cell.controls) == 20
        assert kept.cell.models == 2
    assert table.models == 4


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
    assert counting.lines == [f"1 of 2 cells are kept in {results} and not computed again"]
    whole = run_study(study(), "smoke", Store(tmp_path / "third"), workers=0)
    assert joint.rows == whole.rows  # the notes too, which said "half of it" before
    assert joint.checks == whole.checks
    assert joint.failures == ()
    assert joint.models == 4
    assert read_table(study(), "smoke", results) == joint


@pytest.mark.parametrize(
    "other",
    [
        study(seeds=(3, 5)),
        study(base={**study().base, "attacks": [{"name": "random"}, {"name": "label-likelihood"}]}),
        study(metrics=("accuracy", "hdt", "success", "test_accuracy", "exposure")),
        study(grids=({"k": [1]},)),
    ],
    ids=["seeds", "options", "metrics", "readings"],
)
def test_what_was_computed_otherwise_is_not_taken(other: Study, table: StudyTable, tmp_path: Path) -> None:
    """Other seeds, options, metrics or values that are read make another key."""
    planned = plan_study(other, "smoke")
    assert whole_cells(table, planned) == {}
    assert tabulate(planned, Store(tmp_path), kept=table).rows == ()


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
    whole = whole_cells(table, planned)
    assert finals_without(planned, whole, {}) == ()
    assert set(finals_without(planned, {}, {})) == set(planned.plan.graph.finals)
    first = dict(list(whole.items())[:1])
    left = finals_without(planned, first, {})
    assert 0 < len(left) < len(planned.plan.graph.finals)


def test_a_task_is_counted_with_the_first_cell_that_needs_it(planned: StudyPlan, finished_store: Store) -> None:
    """Asked twice, the second time nothing is left."""
    costs = Costs(planned.plan.graph, finished_store)
    first = costs.of(planned.cells[0])
    assert first[1] == 2
    assert first[0] > 0
    assert costs.of(planned.cells[0]) == (0.0, 0)
