"""A run in a few lines, for the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from divulge.records import RunResults
from divulge.report.findings import TraceComparison
from divulge.report.grouping import audits, verdict
from divulge.report.ranking import Line, lines
from divulge.report.sections import SERIOUS
from divulge.report.tables import results_layout
from divulge.report.wording import counted, figure_words, listed, spoken

__all__ = ["closing_lines", "summary_rows"]

MOST_LINES = 5


def summary_rows(results: RunResults) -> tuple[list[str], list[dict[str, str]]]:
    """Columns and rows of the summary: one row per result, what may be said of it first."""
    layout = results_layout(results)
    return list(layout.columns), [dict(zip(layout.columns, row, strict=True)) for row in layout.rows]


def closing_lines(results: RunResults) -> list[str]:
    """The verdict and one line per finding, five lines at most; of many findings, the gravest."""
    found = lines(audits(results))
    room = MOST_LINES - 1
    told = found if len(found) <= room else found[: room - 1]
    said = [f"{verdict(results)}.", *map(_line, told)]
    return said + [_rest(found[len(told) :])] * (len(told) < len(found))


def _line(line: Line) -> str:
    further = f". {line.further.removesuffix('.')}" if line.further else ""
    do = f". What to do: {line.action.removesuffix('.')}" if line.action else ""
    return f"{_found(line)}{further}{do}"


def _found(line: Line) -> str:
    audit = line.audit
    about = f"{line.kind} (severity {line.severity}): {audit.target}"
    if line.claim:
        return f"{about}, its privacy claim is refuted, {line.said.removesuffix('.')}"
    if line.shown is None:
        why = f": {line.said.removesuffix('.')}" if audit.attacks and line.said else ""
        return f"{about}, {listed(audit.attacks) or 'no attack'}{why}"
    entry, one = line.shown
    if entry.void:
        return f"{about}, {entry.attack}, {entry.shows(one)}"
    if isinstance(one, TraceComparison):  # told with its p-value
        return f"{about}, {entry.attack}: {line.said.removesuffix('.')}"
    beside = [f"{spoken(one.baseline).value} without the model"] if one.baseline else []
    beside += [f"{spoken(one.control).value} on controls"] if one.control else []
    figure = f"{figure_words(one.attack, audit.secrets_kind)}: {spoken(one.attack).short}"
    return f"{about}, {entry.attack}, {figure}" + (f" against {listed(beside)}" if beside else "")


def _rest(left: Sequence[Line]) -> str:
    kinds = [line.kind for line in left]
    return f"and {counted(len(left), 'more finding')}: " + ", ".join(
        f"{kinds.count(kind)} {kind}" for kind in SERIOUS if kind in kinds
    )
