"""A run as a piece of HTML for notebooks: no script, no style of the page's own, readable on light and on dark.

Colours are the notebook's: text takes the colour around it, lines are thin and half transparent.
"""

from __future__ import annotations

from html import escape

from divulge.records import RunResults
from divulge.report.grouping import verdict
from divulge.report.tables import results_layout

__all__ = ["fragment"]

CELL = "text-align:left;padding:.25em .8em .25em 0;border-bottom:1px solid rgba(128,128,128,.35);vertical-align:top"
BOX = "font-family:system-ui,sans-serif;font-size:.95em;color:inherit;background:transparent;overflow-x:auto"
MARKS = {"leak": "#d1462f", "inconclusive": "#b07d12", "none found": "#3c8f5a"}  # legible on white and on black
LEGEND = (
    "Each figure with its 95 % interval and n; baseline: what needs no model; control: secrets that no model can know. "
    ".report('report.html') has the whole."
)


def fragment(results: RunResults) -> str:
    """The verdict and one line for each result."""
    layout = results_layout(results)
    head = "".join(f'<th scope="col" style="{CELL};font-weight:600">{escape(name)}</th>' for name in layout.columns)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in layout.rows)
    inside = f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody>"
    table = f'<table style="border-collapse:collapse;color:inherit">{inside}</table>'
    failures = "".join(f"<li>{escape(failure.reason)}</li>" for failure in results.failures)
    parts = [
        f'<p style="font-size:1.15em;font-weight:600;margin:.2em 0 .6em">{escape(verdict(results))}</p>',
        table if layout.rows else "",
        f'<p style="margin:.6em 0 0">Failed:</p><ul style="margin:.2em 0">{failures}</ul>' if failures else "",
        f'<p style="margin:.6em 0 0;opacity:.75">{escape(LEGEND)}</p>' if layout.rows else "",
    ]
    return f'<div style="{BOX}">{"".join(parts)}</div>'


def _cells(row: tuple[str, ...]) -> str:
    finding, *others = row
    mark = f";color:{MARKS[finding]};font-weight:600" if finding in MARKS else ""
    first = f'<th scope="row" style="{CELL}{mark}">{escape(finding)}</th>'
    return first + "".join(f'<td style="{CELL}">{escape(text)}</td>' for text in others)
