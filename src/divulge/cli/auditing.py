"""`divulge check`, `divulge audit` and `divulge report`."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divulge.cli.engines import Address, Engine, MaxTime, Workers, chosen_engine
from divulge.cli.evidence import evidence_files
from divulge.cli.gating import Against, PointsAt, judged_run, source_of
from divulge.cli.output import AsJson, ShowSecrets, debugging, print_json, print_table
from divulge.errors import ExecutionError, InputError
from divulge.parts import did_you_mean

if TYPE_CHECKING:
    from divulge.records import RunResults

__all__ = ["audit", "check", "ending", "finish", "report"]

AuditToml = Annotated[Path, typer.Argument(metavar="AUDIT.TOML", help="What to audit; see `divulge init`.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="PATH=VALUE", help="Change one setting, e.g. run.seed=1; repeatable."),
]


def check(path: AuditToml, settings: Settings = None, *, as_json: AsJson = False) -> None:
    """Validate, show the plan, the queries, the cost and the power; run nothing."""
    from divulge.auditing.forecast import forecast
    from divulge.auditing.planning import plan
    from divulge.auditing.reading import read_checked
    from divulge.store import Store

    with _own_code(path):
        file = read_checked(path, settings or ())
        chosen_engine("local", 0, resources=file.run.resources)  # refused here as it would be by `audit`
        specs = file.specs()
        found = forecast(plan(specs), Store())
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    count, cached = sum(row.tasks for row in found.tasks), sum(row.cached for row in found.tasks)
    typer.echo(f"{count} tasks, {cached} of them cached:")  # not as a title, which is as narrow as its table
    print_table(["kind", "tasks", "cached", "seconds"], [row.model_dump() for row in found.tasks])
    borrowed = sum(row.borrowed for row in found.tasks)
    if borrowed:
        typer.echo(f"{borrowed} of the rest were never done with these parts: their seconds are those of other parts")
    typer.echo("\ntime for the rest, by what such tasks took before:")
    print_table(["engine", "workers", "seconds"], [row.model_dump() for row in found.times])
    for number, one in enumerate(found.specs):
        spread = f" over {one.models} models" if one.models > 1 else ""
        counts = f"{one.secrets} secrets, {one.controls} controls{spread}"
        level = f" at {', '.join(specs[number].adversary.access)}" if file.run.ladder else ""
        typer.echo(f"\n{one.attack or 'no attack'} on {one.target}{level}: {counts}")
        typer.echo(f"  queries: {'unknown' if one.queries is None else one.queries}")
        for line in one.power:
            typer.echo(f"  power: {line}")


def audit(
    path: AuditToml,
    settings: Settings = None,
    out: Annotated[Path | None, typer.Option(help="The run directory. Default: runs/<name of the file>.")] = None,
    *,
    engine: Engine = "local",
    workers: Workers = None,
    address: Address = None,
    max_time: MaxTime = None,
    show_secrets: ShowSecrets = False,
    as_json: AsJson = False,
) -> None:
    """Run an audit; leaves results.json, report.html and log.jsonl in its directory. A leak found is still exit 0."""
    from divulge.auditing.reading import read_checked
    from divulge.engine.progress import progress_for
    from divulge.runs import run_specs
    from divulge.store import Store

    chosen_engine(engine, workers, address, max_time)
    folder = out if out is not None else Path("runs") / path.stem
    with _own_code(path):
        file = read_checked(path, settings or ())
        specs = file.specs()
        chosen = chosen_engine(engine, workers, address, max_time, file.run.resources)
        results = run_specs(
            specs,
            Store(),
            workers=chosen.workers,
            out=folder,
            progress=progress_for(),
            debug=debugging(),
            cluster=chosen.cluster,
            seconds=chosen.seconds,
        )
        finish(results, folder, show_secrets=show_secrets, as_json=as_json)
    ending(results, len(specs))


def finish(results: RunResults, folder: Path, *, show_secrets: bool, as_json: bool) -> None:
    """Writes the page beside the results, and says in a few lines what came out and where to read on."""
    from divulge.report.terminal import closing_lines, summary_rows

    page = folder / "report.html"
    _write(page, _rendered(results, "html", show_secrets=show_secrets), private=show_secrets)
    sheets = [(folder / name, text) for name, text in evidence_files(results, show_secrets=show_secrets)]
    for path, text in sheets:
        _write(path, text, private=show_secrets)
    if as_json:
        print_json(results.model_dump(mode="json"))
    else:
        if results.results:
            print_table(*summary_rows(results))
        typer.echo(f"\nThe report: {page}\n")
        for path, _ in sheets:
            typer.echo(f"The evidence: {path}\n")
        for line in closing_lines(results):
            typer.echo(line)
    for note in dict.fromkeys(note for result in results.results for note in result.notes):
        typer.echo(f"divulge: {note}", err=True)


def ending(results: RunResults, specs: int) -> None:
    """Fails, with all reasons, if a spec failed."""
    if results.failures:
        reasons = "\n".join(f"  - {failure.spec_hash}: {failure.reason}" for failure in results.failures)
        raise ExecutionError(f"{len(results.failures)} of {specs} specs failed:\n{reasons}")


def report(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run directory, or its results.json.")],
    format_: Annotated[str, typer.Option("--format", help="html, md, json, junit, sarif or card.")] = "md",
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write it; else it is printed.")
    ] = None,
    *,
    policy: Annotated[
        Path | None, typer.Option(metavar="POLICY.TOML", help="Show its judgement: for junit, sarif and card.")
    ] = None,
    against: Against = None,
    at: PointsAt = None,
    show_secrets: ShowSecrets = False,
) -> None:
    """Put a run into words."""
    from divulge.report import JUDGED, REPORTS, rendered
    from divulge.runs import read_results

    if format_ not in REPORTS:
        raise InputError(f"unknown report format {format_!r}.{did_you_mean(format_, REPORTS)}")
    if show_secrets and format_ not in ("html", "md"):
        raise InputError(f"{format_.upper()} never holds secrets: use --show-secrets with the format html or md")
    if policy is not None and format_ not in JUDGED:
        raise InputError(f"--policy is for the formats {', '.join(JUDGED)}. Got {format_}")
    results, judged = (read_results(run), None) if policy is None else judged_run(run, policy, against)
    if format_ in JUDGED:
        text = rendered(results, format_, judged=judged, source=source_of(run, at))
    else:
        text = _rendered(results, format_, show_secrets=show_secrets)
    if output is None:
        typer.echo(text, nl=not text.endswith("\n"))
        return
    _write(output, text, private=show_secrets)
    typer.echo(f"{output}: written", err=True)


def _rendered(results: RunResults, name: str, *, show_secrets: bool) -> str:
    from divulge.report import rendered
    from divulge.reveal import reveal
    from divulge.store import Store

    if not show_secrets:
        return rendered(results, name)
    with _own_code(Path.cwd() / "audit.toml"):  # what the run planned is planned again, own code and all
        return rendered(results, name, reveal(results, Store()))


def _write(path: Path, text: str, *, private: bool) -> None:
    """Writes a report; one that shows secrets is readable by its owner alone."""
    try:
        with path.open("w", encoding="utf-8") as file:
            if private and path.is_file():
                os.fchmod(file.fileno(), 0o600)  # before a word of it is there
            file.write(text)
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be written: {error.strerror}") from None


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
