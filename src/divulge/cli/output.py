"""What commands print: a table for people, or JSON for scripts."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Annotated, Any

import typer

__all__ = ["AsJson", "ShowSecrets", "debugging", "print_json", "print_table", "show_traces"]

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for scripts.")]
ShowSecrets = Annotated[
    bool, typer.Option("--show-secrets", help="Show secrets and guesses in the report, in plain words.")
]
DEBUG = "DIVULGE_DEBUG"  # an environment variable, so that it can also be set for a whole shell
PIPE_WIDTH = 160


def print_json(value: object) -> None:
    """Prints JSON: finite numbers only, and ASCII, which every terminal and pipe can carry."""
    typer.echo(json.dumps(value, indent=1, allow_nan=False))


def print_table(columns: Sequence[str], rows: Sequence[Mapping[str, Any]], title: str = "") -> None:
    """Prints rows under named columns, as wide as the terminal, or as wide as needed into a pipe."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    heading = Text(title) if title else None
    table = Table(title=heading, title_justify="left", box=None, pad_edge=False, header_style="bold")
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        table.add_row(*(Text(_cell(row.get(column))) for column in columns))  # as text: brackets are no markup
    width = shutil.get_terminal_size((100, 24)).columns if sys.stdout.isatty() else PIPE_WIDTH
    Console(width=width, highlight=False, markup=False).print(table)


def debugging() -> bool:
    """Whether traces are shown."""
    return os.environ.get(DEBUG) == "1"


@contextmanager
def show_traces(*, wanted: bool) -> Iterator[None]:
    """Shows traces for a while, if wanted."""
    before = os.environ.get(DEBUG)
    if wanted:
        os.environ[DEBUG] = "1"
    try:
        yield
    finally:
        os.environ.pop(DEBUG, None)
        if before is not None:
            os.environ[DEBUG] = before


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list | tuple):
        return ", ".join(str(item) for item in value)
    return str(value)
