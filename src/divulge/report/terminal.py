"""A run in a few lines, for the terminal."""

from __future__ import annotations

from divulge.records import RunResults
from divulge.report.tables import results_layout

__all__ = ["summary_rows"]


def summary_rows(results: RunResults) -> tuple[list[str], list[dict[str, str]]]:
    """Columns and rows of the summary: one row per result, what may be said of it first."""
    layout = results_layout(results)
    return list(layout.columns), [dict(zip(layout.columns, row, strict=True)) for row in layout.rows]
