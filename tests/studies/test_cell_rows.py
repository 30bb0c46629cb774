"""The rows of one cell, from the store or from a kept table."""

from pathlib import Path

from divulge.records import Measurement
from divulge.store import Store
from divulge.studies.cell_rows import NO_FIGURE, CellRows, _row, row_key
from divulge.studies.drafts import Draft
from divulge.studies.keeping import Costs, KeptRows, kept_parts
from divulge.studies.planning import StudyPlan
from divulge.studies.rows import StudyTable


def rows_of(planned: StudyPlan, store: Store, earlier: dict[str, KeptRows]) -> CellRows:
    """The first cell of the sample study: the leaky world."""
    costs = Costs(planned.plan.graph, store)
    return CellRows(planned, planned.cells[0], store, earlier, reasons={}, costs=costs)


def without(store: Store, planned: StudyPlan, attack: str, seed: int, place: Path) -> Store:
    """A store that has all of the first cell but what one attack said of one model."""
    lost = planned.plan.graph[planned.cells[0].specs[attack][seed].measure].needs["attack"]
    other = Store(place)
    for task in planned.plan.graph:
        if task.key != lost and store.has(task.key):
            other.put(task.key, store.get(task.key), store.info(task.key) or {})
    return other


def test_what_the_store_has_stands_before_what_was_kept(
    planned: StudyPlan, finished_store: Store, table: StudyTable
) -> None:
    """A kept part with other figures is not looked at."""
    false = {
        key: one._replace(rows=tuple(row.model_copy(update={"value": 0.123}) for row in one.rows))
        for key, one in kept_parts(table, planned).items()
    }
    found = rows_of(planned, finished_store, false)
    assert found.rows == rows_of(planned, finished_store, {}).rows
    assert {row.value for row in found.rows}.isdisjoint({0.123})


def test_a_part_of_which_a_seed_is_missing_is_taken_from_before(
    planned: StudyPlan, finished_store: Store, table: StudyTable, tmp_path: Path
) -> None:
    """And the others from the store; without one from before, there is what the other seed gave, and it is told."""
    store = without(finished_store, planned, "random", 4, tmp_path)
    kept = rows_of(planned, store, kept_parts(table, planned))
    assert kept.rows == table.rows[: table.cells[0].rows]
    assert (kept.missing, kept.kept().key) == ([], table.cells[0].key)
    alone = rows_of(planned, store, {})
    assert [(one.attack, one.seed) for one in alone.missing] == [("random", 4)]
    assert {
        row.n for row in alone.rows if row.attack == "random" and row.arm == "attack" and row.value is not None
    } == {6}
    assert alone.kept().key is None
    assert [part.attack for part in alone.kept().parts] == ["label-likelihood", None]


def test_the_copy_stands_beside_rows_from_before_too(
    planned: StudyPlan, finished_store: Store, table: StudyTable, tmp_path: Path
) -> None:
    """Whichever of the two is new; and a printed number without a figure stands there once."""
    store = without(finished_store, planned, "label-likelihood", 3, tmp_path)
    stale = {
        key: one._replace(rows=tuple(row.model_copy(update={"copy_value": None}) for row in one.rows))
        for key, one in kept_parts(table, planned).items()
    }
    found = rows_of(planned, store, stale)
    assert found.rows == table.rows[: table.cells[0].rows]
    values = {row_key(row.cell, row.attack, row.metric, row.arm): row.value for row in found.rows}
    ours = [row for row in found.rows if row.attack == "label-likelihood"]
    assert ours
    assert all(row.copy_value == values[row_key(row.cell, "random", row.metric, row.arm)] for row in ours)
    assert [row.metric for row in found.rows if row.note.startswith(NO_FIGURE)] == ["exposure"]


def test_a_measurement_without_value_stays_without() -> None:
    """Null is never turned into a number."""
    figure = Measurement(metric="accuracy", value=None, n=3, arm="attack")
    made = _row(Draft({"R": 1}, "random", figure, "why"), None, ("a", ""))
    assert (made.value, made.low, made.high, made.n, made.note) == (None, None, None, 3, "why; a")
