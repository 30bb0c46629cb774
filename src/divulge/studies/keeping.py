"""What a kept table holds whole of a cell need not be computed again, not even where its models are gone.

A study may take longer than a machine is to be had. Its table is kept with a hash of all that determines each attack of
each cell, so that a run with an empty store goes on where the table ends.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from divulge.auditing.planning import Planned
from divulge.canonical import digest
from divulge.graph import Graph
from divulge.metrics import METRICS
from divulge.metrics.base import Metric
from divulge.parts import load
from divulge.store import Store
from divulge.studies.axes import Choice, axis_values, is_chosen, read_values
from divulge.studies.planning import PlannedCell, StudyPlan
from divulge.studies.rows import Example, KeptCell, KeptPart, SeenControl, StudyRow, StudyTable
from divulge.studies.verdicts import ALARMS

__all__ = [
    "Costs",
    "KeptRows",
    "cell_key",
    "finals_without",
    "kept_parts",
    "lacks_probes",
    "part_keys",
    "whole_cells",
]

FOLLOWING = tuple(ALARMS)  # from precision and recall, and the numbers behind them: no cell need be computed for it
TRAINING = ("train-target", "train-practice")


class KeptRows(NamedTuple):
    """A part of a cell of a kept table, and what of the table is its own."""

    part: KeptPart
    rows: tuple[StudyRow, ...]
    examples: tuple[Example, ...]
    controls: tuple[SeenControl, ...]


def cell_key(planned: StudyPlan, cell: PlannedCell) -> str:
    """The hash of all that determines a cell's figures: what they are made of, and the study's metrics.

    Not the keys of the measuring tasks, which hold the revisions of all metrics there are: a new one changes no figure.
    """
    return _key(planned, cell, [one for attack in cell.specs for one in _made_of(planned, cell, attack)])


def part_keys(planned: StudyPlan, cell: PlannedCell) -> dict[str | None, str]:
    """The same hash for each attack of the cell alone and, without a name, for its probes, if it has any."""
    names = [attack for attack in cell.specs if attack is not None]
    keys: dict[str | None, str] = {name: _key(planned, cell, _made_of(planned, cell, name)) for name in names}
    specs = _first_specs(cell).items()
    probes = [[seed, found] for seed, one in specs if (found := _probes(planned.plan.graph, one))]
    return {**keys, None: _key(planned, cell, probes)} if probes else keys


def lacks_probes(planned: StudyPlan, cell: PlannedCell, store: Store) -> bool:
    """Whether something that the cell's probes were to find is not in the store."""
    return not all(map(store.has, _probe_keys(planned.plan.graph, cell)))


def _made_of(planned: StudyPlan, cell: PlannedCell, attack: str | None) -> list[Any]:
    graph = planned.plan.graph
    return [
        [attack, seed, graph[one.measure].payload, graph[one.measure].needs] for seed, one in cell.specs[attack].items()
    ]


def _first_specs(cell: PlannedCell) -> dict[int, Planned]:
    """The specs whose probes stand for those of all attacks."""
    return next(iter(cell.specs.values()))


def _probes(graph: Graph, one: Planned) -> dict[str, str]:
    return {role: key for role, key in sorted(graph[one.measure].needs.items()) if role.startswith("probe ")}


def _probe_keys(graph: Graph, cell: PlannedCell) -> list[str]:
    return [key for one in _first_specs(cell).values() for key in _probes(graph, one).values()]


def _key(planned: StudyPlan, cell: PlannedCell, made_of: list[Any]) -> str:
    study = planned.study
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


def kept_parts(kept: StudyTable | None, planned: StudyPlan) -> dict[str, KeptRows]:
    """The parts of a plan that a kept table holds whole, by key, with notes as the study has them now."""
    found: dict[str, KeptRows] = {}
    if kept is None:
        return found
    parts = [part_keys(planned, cell) for cell in planned.cells]
    wanted = {key for keys in parts for key in keys.values()}
    whole = {cell_key(planned, cell): keys for cell, keys in zip(planned.cells, parts, strict=True)}
    rows, examples = iter(kept.rows), iter(kept.examples)
    for cell in kept.cells:
        own = [next(rows) for _ in range(cell.rows)]
        shown = [next(examples) for _ in range(cell.examples)]
        for part in cell.parts or _all_parts(cell, whole.get(str(cell.key), {})):
            if part.key in wanted:
                found[part.key] = KeptRows(
                    part,
                    tuple(_noted(row, kept.said, planned.said) for row in own if row.attack == part.attack),
                    tuple(example for example in shown if example.attack == part.attack),
                    tuple(control for control in cell.controls if control.attack == part.attack),
                )
    return found


def _all_parts(cell: KeptCell, keys: Mapping[str | None, str]) -> tuple[KeptPart, ...]:
    """Those of a cell that was kept as a whole, before there were parts; the first one bears all of its cost."""
    parts = [KeptPart(attack=attack, key=key) for attack, key in keys.items()]
    first = [one.model_copy(update={"seconds": cell.seconds, "models": cell.models}) for one in parts[:1]]
    return (*first, *parts[1:])


def whole_cells(kept: Mapping[str, KeptRows], planned: StudyPlan) -> int:
    """How many cells of a plan are kept in all of their parts."""
    return sum(all(key in kept for key in part_keys(planned, cell).values()) for cell in planned.cells)


def finals_without(planned: StudyPlan, kept: Mapping[str, KeptRows], choice: Choice) -> tuple[str, ...]:
    """The tasks that are wanted in themselves, but for those of kept parts alone, and of what is not chosen."""
    wanted: set[str] = set()
    for cell in planned.cells:
        keys = part_keys(planned, cell)
        lacking = [name for name in cell.specs if keys.get(name) not in kept]
        chosen = [name for name in lacking if is_chosen(cell.cell.values, choice, name)]
        for one in (one for name in chosen for one in cell.specs[name].values()):
            wanted |= {one.measure, *planned.guesses(one)}
        if not lacking and None in keys and keys[None] not in kept and is_chosen(cell.cell.values, choice):
            wanted.update(_probe_keys(planned.plan.graph, cell))
    return tuple(task.key for task in planned.plan.graph if task.key in wanted)


class Costs:
    """What cells cost, each task counted with the first cell that needs it."""

    def __init__(self, graph: Graph, store: Store) -> None:
        self._graph, self._store = graph, store
        self._counted: set[str] = set()

    def of(self, cell: PlannedCell, attack: str | None) -> tuple[float, int]:
        """The seconds of one attack's tasks that are in the store, and how many of them trained a model.

        Without an attack, of what probes needed.
        """
        seconds, models = 0.0, 0
        specs = cell.specs.get(attack)
        waiting = [one.measure for one in specs.values()] if specs else _probe_keys(self._graph, cell)
        while waiting:
            key = waiting.pop()
            if key in self._counted:
                continue
            self._counted.add(key)
            waiting += self._graph[key].needs.values()
            info = self._store.info(key)
            if info is not None:
                # What it kept a processor busy, where that is known: beside other work it takes longer.
                seconds += float(info.get("processor") or info.get("seconds") or 0.0)
                models += self._graph[key].kind in TRAINING
        return round(seconds, 3), models


def _noted(row: StudyRow, before: str, now: str) -> StudyRow:
    """The row with what the study says of all its rows now, in place of what it said then."""
    if before == now or not before or not row.note.endswith(before):
        return row
    return row.model_copy(update={"note": row.note.removesuffix(before) + now})
