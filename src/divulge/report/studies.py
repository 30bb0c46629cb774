"""A study in a terminal: what it varies and measures, and its table."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator
from typing import Any

from divulge.report.tables import as_rich, study_layout, value_text
from divulge.spec import Study, StudyScale
from divulge.studies.rows import StudyTable, TableCheck, cost_words

__all__ = ["as_text", "check_words", "described"]

DOUBTFUL = 0.001  # several attacks are checked in each of many tables: one in twenty would often be
WIDE = 160  # columns, where there is no terminal to ask


def as_text(table: StudyTable, width: int | None = None) -> str:
    """The table as wide as the terminal; below it checks of the whole, its cost, and what is missing."""
    from rich.console import Console

    out = io.StringIO()
    columns = shutil.get_terminal_size((WIDE, 24)).columns if width is None else width
    Console(file=out, width=columns, highlight=False).print(as_rich(study_layout(table)))
    checks = ["Checks of the whole table:", *(f"- {check_words(one)}" for one in table.checks)] if table.checks else []
    checks += [f"{one.attack}: {one.truth!r} -> {one.guess!r} (cosine {one.cosine:.2f})" for one in table.examples]
    missing = ["Missing:", *(f"- {one}" for one in table.failures)] if table.failures else []
    return "\n".join([out.getvalue().rstrip(), *checks, f"Cost: {cost_words(table)}", *missing])


def check_words(check: TableCheck) -> str:
    """One check in one line; what speaks against the table is said first."""
    found = f"{check.attack}: {check.name}: p = {check.p_value:.3g} (statistic {check.statistic:.3g}, n = {check.n})"
    doubt = "DOUBTFUL: " if check.p_value < DOUBTFUL else ""
    return f"{doubt}{found}{f'; {check.note}' if check.note else ''}"


def described(study: Study) -> str:
    """What a study varies, measures and compares with, scale by scale."""
    lines = [f"{study.name}: {study.title}", f"metrics: {', '.join(study.metrics)}"]
    lines += [f"{attack} is compared with {copied}, a faithful copy" for attack, copied in study.copy_of.items()]
    lines += [f"published numbers: {len(study.published)}"]
    lines += [f"note: {study.note}"] if study.note else []
    for scale in study.scales:
        lines += ["", *_scale_lines(study, scale)]
    return "\n".join(lines)


def _scale_lines(study: Study, scale: StudyScale) -> Iterator[str]:
    yield f"scale {scale.name}: seeds {', '.join(map(str, scale.seeds or study.seeds))}"
    for axis, values in study.axes.items():
        chosen: Any = scale.axes.get(axis, values)
        yield f"  {axis}: {', '.join(map(value_text, chosen))}"
    grids: Any = scale.grids or study.grids
    for grid in grids:
        combined = [f"{axis} {', '.join(map(value_text, values))}" for axis, values in grid.items()]
        yield f"  combined only where: {'; '.join(combined)}"
    if scale.note:
        yield f"  note: {scale.note}"
