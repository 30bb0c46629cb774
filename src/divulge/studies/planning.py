"""A study as one graph of tasks: cells that share a model share the task, and guesses are kept to be pooled."""

from __future__ import annotations

from dataclasses import dataclass

from divulge.auditing.planning import Plan, Planned, plan
from divulge.spec import AuditSpec, Study, StudyScale
from divulge.studies.axes import scale_named
from divulge.studies.cells import Cell, unfold
from divulge.studies.notes import joined

__all__ = ["PlannedCell", "StudyPlan", "plan_study"]


@dataclass(frozen=True)
class PlannedCell:
    """A cell and, for each attack, the planned spec of each seed."""

    cell: Cell
    specs: dict[str | None, dict[int, Planned]]


@dataclass(frozen=True)
class StudyPlan:
    """All cells of a study at one scale and the one graph that serves them."""

    study: Study
    scale: StudyScale
    cells: tuple[PlannedCell, ...]
    plan: Plan

    @property
    def said(self) -> str:
        """What the note of every row says: what the scale and the study depart in."""
        return joined((self.scale.note, self.study.note))

    def guesses(self, one: Planned) -> tuple[str, ...]:
        """The tasks whose guesses rows are made of."""
        needs = self.plan.graph[one.measure].needs
        return tuple(key for role, key in needs.items() if role in ("attack", "baseline"))


def plan_study(study: Study, scale: str) -> StudyPlan:
    """Unfolds a study, checks every spec of it and lays out the tasks; all problems in one InputError."""
    cells = unfold(study, scale)
    wanted: list[tuple[Cell, int, AuditSpec]] = [
        (cell, seed, spec) for cell in cells for seed, file in cell.files.items() for spec in file.specs()
    ]
    planned = plan([spec for _, _, spec in wanted])
    found: dict[int, PlannedCell] = {id(cell): PlannedCell(cell, {name: {} for name in cell.attacks}) for cell in cells}
    for (cell, seed, spec), one in zip(wanted, planned.planned, strict=True):
        found[id(cell)].specs[spec.attack.name if spec.attack else None][seed] = one
    made = StudyPlan(study, scale_named(study, scale), tuple(found.values()), planned)
    for one in planned.planned:
        for key in made.guesses(one):
            # Rows are made of guesses, not of the figures of single models: they must stay at hand.
            planned.graph.add(planned.graph[key], final=True)
    return made
