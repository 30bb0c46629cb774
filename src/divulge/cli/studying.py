"""`divulge study`: the tables and figures of the papers, run again, with what was published beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from divulge.cli.auditing import Engine, Workers, chosen_engine
from divulge.cli.output import AsJson, debugging, print_json, print_table
from divulge.errors import EvidenceError, ExecutionError

if TYPE_CHECKING:
    from divulge.studies.rows import StudyTable

__all__ = ["study_app"]

study_app = typer.Typer(help="Tables and figures of the papers, run again.", no_args_is_help=True)
Name = Annotated[str, typer.Argument(help="A study of `divulge study list`.")]


@study_app.command("list")
def study_list(*, as_json: AsJson = False) -> None:
    """List the studies and what of them was computed."""
    from divulge.store import Store
    from divulge.studies import STUDIES, study_named
    from divulge.studies.running import computed_scales

    store, rows = Store(), []
    for name in sorted(STUDIES):
        study = study_named(name)
        rows.append(
            {
                "name": name,
                "paper": study.paper,
                "scales": [scale.name for scale in study.scales],
                "axes": list(study.axes),
                "metrics": list(study.metrics),
                "computed": list(computed_scales(study, store)),
                "title": study.title,
            }
        )
    if as_json:
        print_json({"studies": rows})
    else:
        print_table(["name", "scales", "computed", "axes", "metrics", "title"], rows)


@study_app.command("show")
def study_show(name: Name, *, as_json: AsJson = False) -> None:
    """Show what a study varies, measures and compares with."""
    from divulge.report.studies import described
    from divulge.studies import study_named

    study = study_named(name)
    if as_json:
        print_json(study.model_dump(mode="json"))
    else:
        typer.echo(described(study))


@study_app.command("run")
def study_run(
    name: Name,
    scale: Annotated[str, typer.Option(help="smoke (seconds), quick (about an hour), or paper.")],
    engine: Engine = "local",
    workers: Workers = None,
    *,
    save: Annotated[Path | None, typer.Option(help="Keep the table under this folder, e.g. results.")] = None,
    log: Annotated[Path | None, typer.Option(help="Append events to this file as JSON lines.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compute what is missing of a study; interrupted, the same command goes on."""
    from divulge.engine.progress import progress_for
    from divulge.store import Store
    from divulge.studies import study_named
    from divulge.studies.running import run_study

    number = chosen_engine(engine, workers)
    study = study_named(name)
    table = run_study(
        study, scale, Store(), workers=number, progress=progress_for(), log=log, save=save, debug=debugging()
    )
    _print(table, as_json=as_json)
    if table.failures:
        reasons = "\n".join(f"  - {one}" for one in table.failures)
        raise ExecutionError(f"{len(table.failures)} results are missing:\n{reasons}")


@study_app.command("table")
def study_table_command(
    name: Name,
    scale: Annotated[str | None, typer.Option(help="Default: the largest computed.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Show a study's table, published values beside ours; exit code 3 if nothing was computed."""
    from divulge.store import Store
    from divulge.studies import study_named
    from divulge.studies.running import study_table

    try:
        table = study_table(name, scale, Store())
    except EvidenceError:
        if as_json:
            study = study_named(name)
            print_json({"study": name, "paper": study.paper, "scale": scale, "rows": []})
        raise
    _print(table, as_json=as_json)


def _print(table: StudyTable, *, as_json: bool) -> None:
    from divulge.report.studies import as_text
    from divulge.studies.rows import table_json

    if as_json:
        print_json(table_json(table))
    else:
        typer.echo(as_text(table))
