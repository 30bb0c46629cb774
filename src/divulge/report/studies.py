"""A study for people: what it varies and measures, and its table in a terminal or as Markdown."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator, Mapping
from typing import Any

from divulge.report.tables import MISSING, Layout, as_markdown, as_rich, escaped, figure_text, number_text
from divulge.spec import Study, StudyScale
from divulge.studies.axes import axis_values
from divulge.studies.cells import unfold
from divulge.studies.rows import StudyTable

__all__ = ["as_text", "described", "render", "study_layout"]

WIDE = 160  # columns, where there is no terminal to ask


def study_layout(table: StudyTable) -> Layout:
    """The table of a study: cell, attack, arm, metric; the print and the copy beside ours."""
    axes = list(dict.fromkeys(axis for row in table.rows for axis in row.cell))
    notes = list(dict.fromkeys(row.note for row in table.rows if row.note))
    rows = [
        (
            *(_value_text(row.cell, axis) for axis in axes),
            row.attack or MISSING,
            row.arm,
            row.metric,
            number_text(row.published),
            number_text(row.copy_value),
            figure_text(row.value, row.low, row.high, row.n),
            row.verdict,
            str(notes.index(row.note) + 1) if row.note else "",
        )
        for row in table.rows
    ]
    columns = (*axes, "attack", "arm", "metric", "published", "copy", "ours", "verdict", "note")
    title = f"{table.study}, scale {table.scale} ({number_text(table.seconds)} s of work)"
    return Layout(columns, tuple(rows), title, tuple(notes))


def as_text(table: StudyTable, width: int | None = None) -> str:
    """The table for a terminal, with what is missing below it."""
    from rich.console import Console

    out = io.StringIO()
    columns = shutil.get_terminal_size((WIDE, 24)).columns if width is None else width
    Console(file=out, width=columns, highlight=False).print(as_rich(study_layout(table)))
    return "\n".join([out.getvalue().rstrip(), *_missing(table)])


def render(table: StudyTable) -> str:
    """The table as Markdown."""
    layout = study_layout(table)
    parts = [f"## {escaped(layout.title)}", as_markdown(layout) if layout.rows else "Nothing was computed."]
    if table.failures:
        parts.append("\n".join(escaped(line) if place else f"{line}\n" for place, line in enumerate(_missing(table))))
    return "\n\n".join(parts) + "\n"


def described(study: Study) -> str:
    """What a study varies, measures and compares with; how large it is at each scale."""
    lines = [f"{study.name}: {study.title}", ""]
    lines += [f"metrics: {', '.join(study.metrics)}"]
    lines += [f"copy of {attack}: {copied}" for attack, copied in study.copy_of.items()]
    lines += [f"published numbers: {len(study.published)}"]
    lines += [f"note: {study.note}"] if study.note else []
    for scale in study.scales:
        lines += ["", *_scale_lines(study, scale)]
    return "\n".join(lines)


def _scale_lines(study: Study, scale: StudyScale) -> Iterator[str]:
    cells = unfold(study, scale.name)
    attacks = dict.fromkeys(attack for cell in cells for attack in cell.attacks if attack is not None)
    yield f"scale {scale.name}: {len(cells)} cells, seeds {', '.join(map(str, scale.seeds or study.seeds))}"
    for axis in study.axes:
        yield f"  {axis}: {', '.join(_text(value) for value in axis_values(study, scale, axis))}"
    yield f"  attacks: {', '.join(attacks) or 'none, only probes'}"
    if scale.note:
        yield f"  note: {scale.note}"


def _missing(table: StudyTable) -> list[str]:
    return ["Missing:", *(f"- {one}" for one in table.failures)] if table.failures else []


def _value_text(cell: Mapping[str, Any], axis: str) -> str:
    return _text(cell[axis]) if axis in cell else MISSING


def _text(value: Any) -> str:
    if value is None:
        return MISSING
    return str(value).lower() if isinstance(value, bool) else str(value)
