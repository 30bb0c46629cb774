"""`divulge study`: the tables and figures of the papers, run again, with what was published beside them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divulge.cli.engines import Address, Engine, MaxTime, Workers, chosen_engine
from divulge.cli.output import AsJson, debugging, print_json, print_table
from divulge.errors import EvidenceError, ExecutionError, InputError

if TYPE_CHECKING:
    from divulge.spec import Study
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
    *,
    engine: Engine = "local",
    workers: Workers = None,
    address: Address = None,
    max_time: MaxTime = None,
    save: Annotated[
        Path | None, typer.Option(help="Keep the table under this folder, e.g. results, and go on from what it has.")
    ] = None,
    only: Annotated[
        list[str] | None,
        typer.Option(metavar="AXIS=VALUE", help="Compute only these cells, or attack=NAME in them; repeatable."),
    ] = None,
    log: Annotated[Path | None, typer.Option(help="Append events to this file as JSON lines.")] = None,
    as_json: AsJson = False,
) -> None:
    """Compute what is missing of a study; interrupted, the same command goes on."""
    from divulge.engine.progress import progress_for
    from divulge.store import Store
    from divulge.studies import study_named
    from divulge.studies.axes import choice_of, is_chosen, scale_named
    from divulge.studies.running import run_study

    study = study_named(name)
    base: Any = study.base
    chosen = chosen_engine(engine, workers, address, max_time, base.get("run", {}).get("resources"))
    table = run_study(
        study,
        scale,
        Store(),
        workers=chosen.workers,
        progress=progress_for(),
        log=log,
        save=save,
        debug=debugging(),
        cluster=chosen.cluster,
        seconds=chosen.seconds,
        only=only or (),
    )
    _print(table, as_json=as_json)
    choice = choice_of(study, scale_named(study, scale), only or ())
    missing = [one for one in table.failures if is_chosen(one.cell, choice, one.attack)]
    if missing:
        reasons = "\n".join(f"  - {one}" for one in missing)
        raise ExecutionError(f"{len(missing)} results are missing:\n{reasons}")


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


@study_app.command("plot")
def study_plot_command(
    name: Name,
    *,
    scale: Annotated[str | None, typer.Option(help="Default: the largest computed.")] = None,
    metric: Annotated[str | None, typer.Option(help="Default: auc, hdt or trace, or the first there is.")] = None,
    against_utility: Annotated[
        bool, typer.Option("--against-utility", help="Leak against utility, for studies of defences.")
    ] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Default: NAME.SCALE.svg here.")] = None,
) -> None:
    """Draw a study's table as an SVG file: ours, the faithful copy and the print, with intervals."""
    from divulge.report.study_series import study_plot
    from divulge.report.study_svg import as_svg
    from divulge.store import Store
    from divulge.studies import study_named
    from divulge.studies.running import study_table

    study, table = study_named(name), study_table(name, scale, Store())
    drawn = _trade_off(study, table, metric) if against_utility else as_svg(study_plot(study, table, metric))
    if drawn is None:
        raise InputError(
            f"study {name!r} at scale {table.scale} has no two defences whose utility was measured: "
            "leave out --against-utility"
        )
    kind = "-utility" if against_utility else ""
    path = output or Path(f"{table.study.replace('/', '-')}{kind}.{table.scale}.svg")
    _write(path, drawn)
    typer.echo(str(path))


@study_app.command("page")
def study_page_command(
    output: Annotated[
        Path, typer.Option("--output", "-o", help="The page; plots go into a folder of its name beside it.")
    ],
) -> None:
    """Write a page of all kept studies in Markdown, and their plots beside it."""
    from divulge.report.study_pages import Kept, page
    from divulge.report.study_series import study_plot
    from divulge.report.study_svg import as_svg
    from divulge.studies import STUDIES, study_named
    from divulge.studies.results import kept_scales, read_table

    kept = []
    for study in map(study_named, sorted(name for name in STUDIES if not name.startswith("worlds/"))):
        table = next((read_table(study, scale) for scale in kept_scales(study)), None)
        plots = {}
        if table is not None and table.rows:
            plots = {"": as_svg(study_plot(study, table)), "-utility": _trade_off(study, table)}
        drawn = {
            f"{output.stem}/{study.name.replace('/', '-')}{kind}.svg": plot for kind, plot in plots.items() if plot
        }
        for place, plot in drawn.items():
            _write(output.parent / place, plot)
        kept.append(Kept(study, table, tuple(drawn)))
    _write(output, page(kept))
    typer.echo(str(output))


def _trade_off(study: Study, table: StudyTable, metric: str | None = None) -> str | None:
    """Leak against utility, where a study has defences and measures both."""
    from divulge.report.study_trade_offs import study_trade_off
    from divulge.report.trade_off_svg import trade_off_svg

    found = study_trade_off(study, table, metric)
    return None if found is None else trade_off_svg(found)


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be written: {error.strerror}") from None


def _print(table: StudyTable, *, as_json: bool) -> None:
    from divulge.report.studies import as_text
    from divulge.studies.rows import table_json

    if as_json:
        print_json(table_json(table))
    else:
        typer.echo(as_text(table))
