"""A study's table as marks to be drawn: one metric, panels of cells, a series for each attack, the print beside."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.records import Measurement
from divulge.report.charts import Axis, axis_of
from divulge.report.tables import value_text
from divulge.spec import Study
from divulge.studies.rows import StudyRow, StudyTable

__all__ = [
    "FIRST",
    "GUESSING",
    "Mark",
    "Panel",
    "Place",
    "StudyPlot",
    "attacks_of",
    "cell_label",
    "measured",
    "ours_of",
    "study_plot",
    "varying",
]

Kind = Literal["dots", "lines", "bars"]
GUESSING = "random"  # drawn as chance, not as an attack
FIRST = ("auc", "hdt", "trace")  # drawn where there is one, in whatever order the table has its metrics
BY_SETTING = "data"  # settings that have no order are compared side by side


@dataclass(frozen=True)
class Mark:
    """One attack's figure in one place."""

    attack: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True)
class Place:
    """One cell: its label, its number on the axis across where it has one, its marks, the print and chance."""

    label: str
    across: float | None
    marks: tuple[Mark, ...]
    published: float | None
    chance: float | None


@dataclass(frozen=True)
class Panel:
    """Cells that belong together."""

    title: str
    places: tuple[Place, ...]


@dataclass(frozen=True)
class StudyPlot:
    """All that is to be drawn. `attacks` are in the order of the table, ours first, the faithful copy second."""

    kind: Kind
    title: str
    metric: str
    axis: Axis
    across: str | None
    attacks: tuple[str, ...]
    copied: str | None
    panels: tuple[Panel, ...]


def study_plot(study: Study, table: StudyTable, metric: str | None = None) -> StudyPlot:
    """Lays out one metric of a table: tables as dots, figures as lines over a number, or as bars by data set.

    What attacks reached is drawn; of a metric that only probes have, or a study that attacks nothing, what they found.

    Raises:
        InputError: The table has no figure of this metric.
    """
    from divulge.report.owner_series import owners_metrics, owners_plot  # made of what is above

    rows = [row for row in table.rows if row.arm == "attack" and row.value is not None and row.attack is not None]
    known, owners = list(dict.fromkeys(row.metric for row in rows)), owners_metrics(table)
    chosen = metric or next((name for name in (*FIRST, *known, *owners) if name in known or name in owners), None)
    if chosen is not None and chosen in owners and chosen not in known:
        return owners_plot(table, chosen, lines=_is_figure(study))
    if chosen is None or chosen not in known:
        every = [*known, *owners]
        advice = did_you_mean(str(chosen), every) if every else " It has no figure of any attack."
        raise InputError(f"study {table.study!r} at scale {table.scale} has no figure of metric {chosen!r}.{advice}")
    rows = [row for row in rows if row.metric == chosen]
    axes = varying(rows)
    kind = _kind(study, axes)
    if kind == "bars":  # what is compared stands together
        rows.sort(key=lambda row: axes[BY_SETTING].index(row.cell.get(BY_SETTING)))
    across = _numbered(axes) if kind == "lines" else None
    attacks = tuple(name for name in attacks_of(study, rows) if name != GUESSING)
    return StudyPlot(
        kind=kind,
        title=f"{table.study}, scale {table.scale}: {chosen}",
        metric=chosen,
        axis=axis_of(chosen, [measured(row) for row in rows]),
        across=across,
        attacks=attacks,
        copied=next((name for name in attacks if name in study.copy_of.values()), None),
        panels=_panels(rows, _chances(table, chosen), axes, across, attacks),
    )


def attacks_of(study: Study, rows: Sequence[StudyRow]) -> list[str]:
    """The attacks of some rows: ours first, then the copy it is compared with, then the others as they come."""
    there = list(dict.fromkeys(row.attack for row in rows if row.attack is not None))
    ours = ours_of(study, there)
    first = [name for name in (ours, study.copy_of.get(ours or "")) if name in there]
    return list(dict.fromkeys([*map(str, first), *there]))


def ours_of(study: Study, attacks: Sequence[str]) -> str | None:
    """The attack a study is about: the first that it compares with a copy, else the first there is."""
    return next((name for name in study.copy_of if name in attacks), next(iter(attacks), None))


def varying(rows: Sequence[StudyRow]) -> dict[str, list[Any]]:
    """The axes that tell the cells of some rows apart, with their values in the order of the rows."""
    values: dict[str, list[Any]] = {}
    for row in rows:
        for axis, value in row.cell.items():
            known = values.setdefault(axis, [])
            if value not in known:
                known.append(value)
    return {axis: known for axis, known in values.items() if len(known) > 1}


def cell_label(row: StudyRow, axes: Sequence[str]) -> str:
    """What tells a cell from others, in words; what does not apply to it is left out."""
    told = [(axis, row.cell.get(axis)) for axis in axes]
    spelt = [
        value_text(value) if isinstance(value, str) else f"{axis} {value_text(value)}"
        for axis, value in told
        if value is not None
    ]
    return ", ".join(spelt)


def _kind(study: Study, axes: dict[str, list[Any]]) -> Kind:
    if not _is_figure(study):
        return "dots"
    if BY_SETTING in axes:
        return "bars"
    return "lines" if _numbered(axes) else "dots"


def _is_figure(study: Study) -> bool:
    return study.name.partition("/")[2].startswith("figure")


def _numbered(axes: dict[str, list[Any]]) -> str | None:
    """The axis with most numbers, from which lines are drawn."""
    numbers = {
        axis: len(values)
        for axis, values in axes.items()
        if len(values) > 2 and all(isinstance(value, int | float) and value > 0 for value in values)
    }
    return max(numbers, key=lambda axis: numbers[axis], default=None)


def _panels(
    rows: Sequence[StudyRow],
    chances: dict[str, float],
    axes: dict[str, list[Any]],
    inner: str | None,
    attacks: Sequence[str],
) -> tuple[Panel, ...]:
    """One panel for each line's setting; else one for each value of the first axis, and of what follows from it."""
    first = next(iter(axes), None)
    outer = (
        [axis for axis in axes if axis != inner] if inner else [axis for axis in axes if _follows(axis, first, rows)]
    )
    within = [axis for axis in axes if axis not in outer]
    panels: dict[str, dict[str, list[StudyRow]]] = {}
    for row in rows:
        title, label = cell_label(row, outer), cell_label(row, within)
        panels.setdefault(title, {}).setdefault(label, []).append(row)
    made = []
    for title, places in panels.items():
        found = [_place(label, same, chances, inner, attacks) for label, same in places.items()]
        if inner:
            found.sort(key=lambda place: place.across or 0.0)
        made.append(Panel(title, tuple(found)))
    return tuple(made)


def _follows(axis: str, first: str | None, rows: Sequence[StudyRow]) -> bool:
    pairs = {(value_text(row.cell.get(first or "")), value_text(row.cell.get(axis))) for row in rows}
    return len({value for value, _ in pairs}) == len(pairs)


def _place(
    label: str, rows: Sequence[StudyRow], chances: dict[str, float], inner: str | None, attacks: Sequence[str]
) -> Place:
    by_attack = {row.attack: row for row in rows}
    marks = [
        Mark(name, row.value, row.low, row.high)
        for name in attacks
        if (row := by_attack.get(name)) and row.value is not None
    ]
    value: Any = rows[0].cell.get(inner) if inner else None
    return Place(
        label,
        float(value) if isinstance(value, int | float) else None,
        tuple(marks),
        _printed([by_attack[name] for name in attacks if name in by_attack and name != GUESSING]),
        chances.get(_cell(rows[0])),
    )


def _printed(rows: Sequence[StudyRow]) -> float | None:
    """What is printed of our attack, or else of its copy, and only then of another: they come in this order."""
    return next((row.published for row in rows if row.published is not None), None)


def _chances(table: StudyTable, metric: str) -> dict[str, float]:
    """What guessing reaches in each cell, from whichever attack's baseline tells."""
    return {
        _cell(row): row.value
        for row in table.rows
        if row.arm == "baseline" and row.metric == metric and row.value is not None
    }


def measured(row: StudyRow) -> Measurement:
    """A row as what was measured."""
    return Measurement(metric=row.metric, value=row.value, low=row.low, high=row.high, n=row.n, arm=row.arm)


def _cell(row: StudyRow) -> str:
    return repr(sorted((axis, value_text(value)) for axis, value in row.cell.items()))
