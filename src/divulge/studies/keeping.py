"""Cells that a kept table holds whole: they need not be computed again, not even where their models are gone.

A study may take longer than a machine is to be had. Its table is kept with a hash of all that determines each cell, so
that a run with an empty store goes on where the table ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from divulge.canonical import digest
from divulge.graph import Graph
from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.parts import load
from divulge.store import Store
from divulge.studies.axes import Choice, axis_values, is_chosen, read_values
from divulge.studies.planning import PlannedCell, StudyPlan
from divulge.studies.rows import Example, KeptCell, StudyRow, StudyTable
from divulge.studies.verdicts import ALARMS

__all__ = ["Costs", "KeptRows", "cell_key", "finals_without", "whole_cells"]

FOLLOWING = tuple(ALARMS)  # from precision and recall, and the numbers behind them: no cell need be computed for it
TRAINING = ("train-target", "train-practice")


class KeptRows(NamedTuple):
    """A cell of a kept table, and what of the table is its own."""

    cell: KeptCell
    rows: tuple[StudyRow, ...]
    examples: tuple[Example, ...]


def cell_key(planned: StudyPlan, cell: PlannedCell) -> str:
    """The hash of all that determines a cell's figures: what they are made of, and the study's metrics.

    Not the keys of the measuring tasks, which hold the revisions of all metrics there are: a new one changes no figure.
    """
    study, graph = planned.study, planned.plan.graph
    made_of = [
        [attack, seed, graph[one.measure].payload, graph[one.measure].needs]
        for attack, seeds in cell.specs.items()
        for seed, one in seeds.items()
    ]
    metrics = {
        name: load(METRICS, name, Metric, "metric").revision if name in METRICS else None
        for name in study.metrics
        if name not in FOLLOWING
    }
    made = [study.name, cell.cell.values, made_of, metrics, study.readings, study.examples]
    narrowed = {axis: read for axis in study.readings if (read := _read_here(planned, axis, cell))}
    return digest([*made, narrowed] if narrowed else made)


def _read_here(planned: StudyPlan, axis: str, cell: PlannedCell) -> tuple[Any, ...]:
    """The values at which a grid has this cell read, if they are fewer than those of the axis."""
    read = read_values(planned.study, planned.scale, axis, cell.cell.values)
    return read if len(read) < len(axis_values(planned.study, planned.scale, axis)) else ()


def whole_cells(kept: StudyTable | None, planned: StudyPlan) -> dict[str, KeptRows]:
    """The cells of a plan that a kept table holds whole, by key, with notes as the study has them now."""
    found: dict[str, KeptRows] = {}
    if kept is None:
        return found
    wanted = {cell_key(planned, cell) for cell in planned.cells}
    rows, examples = iter(kept.rows), iter(kept.examples)
    for cell in kept.cells:
        own = tuple(next(rows) for _ in range(cell.rows))
        shown = tuple(next(examples) for _ in range(cell.examples))
        if cell.key in wanted:
            found[str(cell.key)] = KeptRows(cell, tuple(_noted(row, kept.said, planned.said) for row in own), shown)
    return found


def finals_without(planned: StudyPlan, kept: Mapping[str, KeptRows], choice: Choice) -> tuple[str, ...]:
    """The tasks that are wanted in themselves, but for those of kept cells alone, and of cells not chosen."""
    graph = planned.plan.graph
    wanted: dict[str, None] = {}
    for cell in planned.cells:
        if not is_chosen(cell.cell.values, choice) or cell_key(planned, cell) in kept:
            continue
        for one in (one for seeds in cell.specs.values() for one in seeds.values()):
            wanted |= dict.fromkeys((one.measure, *planned.guesses(one)))
    return tuple(key for key in graph.finals if key in wanted)


class Costs:
    """What cells cost, each task counted with the first cell that needs it."""

    def __init__(self, graph: Graph, store: Store) -> None:
        self._graph, self._store = graph, store
        self._counted: set[str] = set()

    def of(self, cell: PlannedCell) -> tuple[float, int]:
        """The seconds of the cell's tasks that are in the store, and how many of them trained a model."""
        seconds, models = 0.0, 0
        waiting = [one.measure for seeds in cell.specs.values() for one in seeds.values()]
        while waiting:
            key = waiting.pop()
            if key in self._counted:
                continue
            self._counted.add(key)
            waiting += self._graph[key].needs.values()
            info = self._store.info(key)
            if info is not None:
                seconds += float(info.get("seconds") or 0.0)
                models += self._graph[key].kind in TRAINING
        return round(seconds, 3), models


def _noted(row: StudyRow, before: str, now: str) -> StudyRow:
    """The row with what the study says of all its rows now, in place of what it said then."""
    if before == now or not before or not row.note.endswith(before):
        return row
    return row.model_copy(update={"note": row.note.removesuffix(before) + now})
