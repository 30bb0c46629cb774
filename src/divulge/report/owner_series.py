"""What probes found, as marks to be drawn: of a study that attacks nothing, or a figure of the models themselves."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from divulge.report.charts import axis_of
from divulge.report.study_series import Mark, Panel, Place, StudyPlot, cell_label, measured, varying
from divulge.report.tables import value_text
from divulge.studies.rows import StudyRow, StudyTable

__all__ = ["owners_metrics", "owners_plot"]

COMPARED = ("seen", "words")  # axes whose values are series, side by side
SEEN = {True: "seen", False: "unseen"}
FEWEST = 3  # values that make a line


def owners_metrics(table: StudyTable) -> list[str]:
    """The metrics that probes have a figure of, in the order of the table."""
    return list(dict.fromkeys(row.metric for row in _rows(table)))


def owners_plot(table: StudyTable, metric: str, *, lines: bool) -> StudyPlot:
    """Lays out one metric of what probes found.

    With `lines` they run over the axis with most values, evenly apart: bins have no place on an axis of numbers.
    """
    rows = [row for row in _rows(table) if row.metric == metric]
    axes = varying(rows)
    across = _across(axes) if lines else None
    series = next((axis for axis in COMPARED if axis in axes and axis != across), None)
    outer = [axis for axis in axes if across and axis not in (across, series)]
    inner = [axis for axis in axes if axis not in outer and axis != series]
    names = [_named(series, value, metric) for value in axes[series]] if series else [metric]
    panels: dict[str, dict[str, list[StudyRow]]] = {}
    for row in sorted(rows, key=lambda row: _order(axes, across, row)):
        panels.setdefault(cell_label(row, outer), {}).setdefault(cell_label(row, inner), []).append(row)
    return StudyPlot(
        kind="lines" if across else "dots",
        title=f"{table.study}, scale {table.scale}: {metric}",
        metric=metric,
        axis=axis_of(metric, [measured(row) for row in rows]),
        across=across,
        attacks=tuple(names),
        copied=None,
        panels=tuple(
            Panel(title, tuple(_place(label, same, series) for label, same in places.items()))
            for title, places in panels.items()
        ),
    )


def _rows(table: StudyTable) -> list[StudyRow]:
    return [row for row in table.rows if row.arm in ("utility", "probe") and row.value is not None]


def _across(axes: dict[str, list[Any]]) -> str | None:
    long = {axis: len(values) for axis, values in axes.items() if len(values) >= FEWEST}
    return max(long, key=lambda axis: long[axis], default=None)


def _order(axes: dict[str, list[Any]], across: str | None, row: StudyRow) -> float:
    """Numbers by size, else as the rows come."""
    if across is None or across not in row.cell:
        return 0.0
    value: Any = row.cell[across]
    numbers = all(isinstance(one, int | float) for one in axes[across])
    return float(value) if numbers else float(axes[across].index(value))


def _named(axis: str | None, value: Any, metric: str) -> str:
    if axis is None:
        return metric
    return SEEN[value] if axis == "seen" and value in SEEN else f"{value_text(value)} {axis}"


def _place(label: str, rows: Sequence[StudyRow], series: str | None) -> Place:
    marks = [
        Mark(_named(series, row.cell.get(series or ""), row.metric), row.value, row.low, row.high)
        for row in rows
        if row.value is not None
    ]
    published = next((row.published for row in rows if row.published is not None), None)
    return Place(label, None, tuple(marks), published, None)
