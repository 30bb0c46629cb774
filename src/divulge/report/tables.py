"""Tables for people, laid out once and shown as Markdown or in a terminal. Every figure comes with its interval."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from divulge.records import Measurement, RunResults
from divulge.report.claims import PROVEN
from divulge.report.findings import Finding, finding, plainness
from divulge.studies.rows import StudyTable

if TYPE_CHECKING:
    from rich.table import Table

__all__ = [
    "MISSING",
    "Layout",
    "as_markdown",
    "as_rich",
    "escaped",
    "figure_text",
    "measured_text",
    "number_text",
    "results_layout",
    "study_layout",
    "value_text",
]

MISSING = "–"


@dataclass(frozen=True)
class Layout:
    """A table of text: columns, rows, and notes that rows refer to by number."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    notes: tuple[str, ...] = ()


def number_text(value: float | None) -> str:
    """A number in three digits, never in powers of ten unless it is tiny.

    Three digits never make a whole number of what is none: 0.9996 is not 1.

    >>> number_text(0.98333), number_text(1234.5), number_text(0.9996), number_text(None)
    ('0.983', '1234', '0.9996', '–')
    """
    if value is None:
        return MISSING
    short = f"{value:.3g}"
    if abs(value) >= 1000 or abs(float(short)) >= 1000:
        return f"{value:.0f}"
    return f"{value:.4g}" if float(short) == 1 != value else short


def figure_text(value: float | None, low: float | None, high: float | None, n: int | None = None) -> str:
    """A figure with its interval and its n.

    >>> figure_text(0.93, 0.81, 0.98, 40)
    '0.93 [0.81, 0.98] n=40'
    """
    if value is None:
        return MISSING
    interval = "" if low is None and high is None else f" [{number_text(low)}, {number_text(high)}]"
    return f"{number_text(value)}{interval}{'' if n is None else f' n={n}'}"


def measured_text(one: Measurement | None) -> str:
    """The same, of a measurement; a closed form has no interval to show."""
    if one is None:
        return MISSING
    if one.arm == "baseline" and one.low == one.high == one.value:
        return number_text(one.value)
    return figure_text(one.value, one.low, one.high, one.n)


def value_text(value: Any) -> str:
    """The value of an axis; what a row lacks is a dash."""
    if value is None:
        return MISSING
    return str(value).lower() if isinstance(value, bool) else str(value)


def study_layout(table: StudyTable) -> Layout:
    """The table of a study: cell, attack, arm, metric; the print and the copy beside ours."""
    axes = list(dict.fromkeys(axis for row in table.rows for axis in row.cell))
    notes = list(dict.fromkeys(row.note for row in table.rows if row.note))
    rows = [
        (
            *(value_text(row.cell.get(axis)) for axis in axes),
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


def results_layout(results: RunResults) -> Layout:
    """One line per result: what may be said, and the figure that says it."""
    rows = []
    for result in results.results:
        spec: Any = result.spec
        found = finding(result)
        attack = spec["attack"]["name"] if spec["attack"] else MISSING
        defences = ", ".join(one["name"] for one in spec["defences"]) or MISSING
        rows.append((found.kind, attack, spec["target"]["kind"], defences, *_headline(found)))
    columns = ("finding", "attack", "target", "defence", "metric", "attack's figure", "baseline", "control")
    return Layout(columns, tuple(rows))


def as_markdown(layout: Layout) -> str:
    """Spells the table as a Markdown table, its notes below."""
    lines = [_line(layout.columns), _line("---" for _ in layout.columns), *map(_line, layout.rows)]
    if layout.notes:
        lines += ["", *(f"{number}. {escaped(note)}" for number, note in enumerate(layout.notes, 1))]
    return "\n".join(lines)


def as_rich(layout: Layout) -> Table:
    """Makes a table for the terminal; its notes are the caption."""
    from rich.table import Table
    from rich.text import Text

    notes = "\n".join(f"{number}. {note}" for number, note in enumerate(layout.notes, 1))
    table = Table(
        title=Text(layout.title, style="bold") if layout.title else None,
        title_justify="left",
        caption=Text(notes) if notes else None,
        caption_justify="left",
        box=None,
        pad_edge=False,
        header_style="bold",
    )
    for column in layout.columns:
        table.add_column(Text(column), overflow="fold")
    for row in layout.rows:
        table.add_row(*map(Text, row))  # as text: brackets are intervals, not markup
    return table


def escaped(text: str) -> str:
    """Text that Markdown shows as it is, on one line."""
    for mark in ("\\", "`", "*", "<", ">", "|"):
        text = text.replace(mark, f"\\{mark}")
    return " ".join(text.replace("](", "]\\(").split())


def _headline(found: Finding) -> Sequence[str]:
    if found.refuted and found.without_claims != "leak":
        claim = found.refuted[0]
        return PROVEN, f"at least {number_text(claim.proven)} n={claim.canaries}", f"claimed {claim.claim}", MISSING
    # What leaks, else what nearly does; what decides nothing comes last.
    compared = sorted(
        found.comparisons,
        key=lambda one: (
            # A leak is one, however wide its interval; of others, those without a doubt come first.
            *(not one.leaks, one.owners_view, not one.apart, bool(one.doubt) and not one.leaks, plainness(one.metric)),
            one.attack.group.get("k", 0),  # of several depths the first
        ),
    )
    if not compared:
        return (MISSING,) * 4
    first = compared[0]
    metric = " ".join([first.metric, *(f"{key}={value}" for key, value in first.attack.group.items())])
    return metric, measured_text(first.attack), measured_text(first.baseline), measured_text(first.control)


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(escaped(cell) for cell in cells)} |"
