"""What commands print: a table for people, or JSON for scripts."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import typer

__all__ = ["AsJson", "debugging", "print_json", "print_table"]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]


def print_json(value: object) -> None:
    """Prints JSON: finite numbers only, nothing else on standard output."""
    typer.echo(json.dumps(value, indent=1, ensure_ascii=False, allow_nan=False))


def print_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], title: str = "") -> None:
    """Prints rows under named columns, as wide as the terminal, or as wide as needed into a pipe."""
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(_cell(row.get(column)) for column in columns))
    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else 160
    Console(width=width, highlight=False, markup=False).print(table)


def debugging() -> bool:
    """Whether --debug was given."""
    return os.environ.get("DIVULGE_DEBUG") == "1"


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    return str(value)
