"""`divulge check`, `divulge audit` and `divulge report`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from divulge.cli.output import AsJson, debugging, print_json, print_table
from divulge.errors import ExecutionError, InputError
from divulge.parts import did_you_mean

__all__ = ["Engine", "Workers", "audit", "check", "chosen_engine", "report"]

AuditToml = Annotated[Path, typer.Argument(metavar="AUDIT.TOML", help="What to audit; see `divulge init`.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change one setting, e.g. run.seed=1; repeatable."),
]
Engine = Annotated[str, typer.Option(help="Where tasks run: local.")]
Workers = Annotated[
    int | None,
    typer.Option(min=0, help="Worker processes, one thread each; 0: in this process. Default: one per core."),
]


def check(path: AuditToml, settings: Settings = None, *, as_json: AsJson = False) -> None:
    """Validate, show the plan, the queries, the cost and the power; run nothing."""
    from divulge.audit.forecast import forecast
    from divulge.audit.planning import plan
    from divulge.audit.reading import read_checked
    from divulge.store import Store

    with _own_code(path):
        found = forecast(plan(read_checked(path, settings or ()).specs()), Store())
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    print_table(["kind", "tasks", "cached", "seconds"], [row.model_dump() for row in found.tasks], title="tasks:")
    for one in found.specs:
        typer.echo(f"\n{one.attack or 'no attack'} on {one.target}: {one.secrets} secrets, {one.controls} controls")
        typer.echo(f"  queries: {'unknown' if one.queries is None else one.queries}")
        for line in one.power:
            typer.echo(f"  power: {line}")


def audit(
    path: AuditToml,
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="The run directory. Default: runs/<name of the file>.")] = None,
    engine: Engine = "local",
    workers: Workers = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Run an audit; leaves results.json and log.jsonl in the run directory. A leak found is still exit code 0."""
    from divulge.audit.reading import read_checked
    from divulge.engine.progress import progress_for
    from divulge.report.terminal import summary_rows
    from divulge.runs import run_specs
    from divulge.store import Store

    number = chosen_engine(engine, workers)
    folder = out if out is not None else Path("runs") / path.stem
    with _own_code(path):
        specs = read_checked(path, settings or ()).specs()
        results = run_specs(specs, Store(), workers=number, out=folder, progress=progress_for(), debug=debugging())
    if as_json:
        print_json(results.model_dump(mode="json"))
    else:
        if results.results:
            print_table(*summary_rows(results))
        typer.echo(f"{folder / 'results.json'}: written. In words: divulge report {folder} --format md")
    for note in dict.fromkeys(note for result in results.results for note in result.notes):
        typer.echo(f"divulge: {note}", err=True)
    if results.failures:
        reasons = "\n".join(f"  - {failure.spec_hash}: {failure.reason}" for failure in results.failures)
        raise ExecutionError(f"{len(results.failures)} of {len(specs)} specs failed:\n{reasons}")


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory, or its results.json.")],
    format_: Annotated[str, typer.Option("--format", help="md or json.")] = "md",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write it; else it is printed.")
    ] = None,
) -> None:
    """Put a run into words."""
    from divulge.report import REPORTS, rendered
    from divulge.runs import read_results

    if format_ not in REPORTS:
        raise InputError(f"unknown report format {format_!r}.{did_you_mean(format_, REPORTS)}")
    text = rendered(read_results(run), format_)
    if output is None:
        typer.echo(text, nl=not text.endswith("\n"))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ExecutionError(f"{output}: cannot be written: {error.strerror}") from None
    typer.echo(f"{output}: written", err=True)


def chosen_engine(engine: str, workers: int | None) -> int:
    """Checks the engine's name and settles the number of workers."""
    if engine != "local":
        raise InputError(f"unknown engine {engine!r}.{did_you_mean(engine, ['local'])}")
    return (os.cpu_count() or 1) if workers is None else workers


@contextmanager
def _own_code(path: Path) -> Iterator[None]:
    """Lets "module:Class" be found beside the file that names it, after everything else on the path."""
    beside = str(path.absolute().parent)
    if beside in sys.path:
        yield
        return
    sys.path.append(beside)
    try:
        yield
    finally:
        sys.path.remove(beside)
