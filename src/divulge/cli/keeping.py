"""`divulge data` and `divulge cache`: what lies where."""

from __future__ import annotations

import sys
import time
from typing import Annotated

import typer

from divulge.cli.output import AsJson, print_json, print_table
from divulge.errors import InputError
from divulge.parts import did_you_mean

__all__ = ["cache_app", "data_app"]

data_app = typer.Typer(
    help="Known data sets: which there are, where they lie, whether they are whole.", no_args_is_help=True
)
cache_app = typer.Typer(help="What finished tasks left in the store.", no_args_is_help=True)


@data_app.command("list")
def data_list(*, as_json: AsJson = False) -> None:
    """List the known data sets and whether they are here."""
    from divulge.data import DATA
    from divulge.data.loading import data_entry

    entries = [data_entry(name).model_dump(mode="json") for name in sorted(DATA)]
    if as_json:
        print_json({"data": entries})
    else:
        print_table(["name", "present", "fields", "splits", "licence", "summary"], entries)


@data_app.command("path")
def data_folder(name: Annotated[str, typer.Argument(help="The data set.")]) -> None:
    """Print the folder that a data set's files lie in."""
    from divulge.data.loading import data_path

    typer.echo(str(data_path(name)))


@data_app.command("verify")
def data_verify(name: Annotated[str, typer.Argument(help="The data set.")], *, as_json: AsJson = False) -> None:
    """Compare a data set's files with what they must be; exit code 2 if they differ."""
    from divulge.data.loading import verify

    findings = verify(name)
    if as_json:
        print_json({"data": name, "files": [one.model_dump(mode="json") for one in findings]})
    elif findings:
        print_table(["path", "present", "as_expected", "size", "reason"], [one.model_dump() for one in findings])
    else:
        typer.echo(f"{name}: is made by a grammar; there are no files to verify")
    wrong = [one for one in findings if one.as_expected is False]
    if wrong:
        raise InputError(f"data set {name!r}: {len(wrong)} of {len(findings)} files are missing or differ")


@cache_app.command("list")
def cache_list(*, as_json: AsJson = False) -> None:
    """List what is in the store."""
    from divulge.store import Store

    store = Store()
    entries = sorted(store.entries(), key=lambda entry: entry.created)
    if as_json:
        print_json({"store": store.location, "entries": [entry._asdict() for entry in entries]})
        return
    rows = [
        {
            **entry._asdict(),
            "key": entry.key[:12],
            "seconds": None if entry.seconds is None else round(entry.seconds, 2),
            "made": time.strftime("%Y-%m-%d %H:%M", time.localtime(entry.created)),
        }
        for entry in entries
    ]
    print_table(["key", "kind", "label", "bytes", "seconds", "made"], rows)
    typer.echo(f"\n{len(entries)} artefacts, {sum(entry.bytes for entry in entries):,} bytes in {store.location}")


@cache_app.command("clear")
def cache_clear(
    kind: Annotated[
        str | None, typer.Option(help="Only tasks of this kind, e.g. train-target; answers: what own models answered.")
    ] = None,
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove finished work from the store; it will be computed again when needed."""
    from divulge.auditing.tasks import KINDS
    from divulge.store import ANSWERS, Store

    store = Store()
    if kind is not None:
        known = {*KINDS, ANSWERS, *(entry.kind for entry in store.entries())}
        if kind not in known:
            raise InputError(f"unknown kind of task {kind!r}.{did_you_mean(kind, known)}")
    what = f"all {kind} tasks" if kind else "everything"
    if not yes and not _confirmed(f"Remove {what} from {store.location}?"):
        typer.echo("nothing was removed")
        return
    gone = store.clear(kind)
    typer.echo(f"{len(gone)} artefacts, {sum(entry.bytes for entry in gone):,} bytes removed")


def _confirmed(question: str) -> bool:
    try:
        return typer.confirm(question, err=True)
    except typer.Abort:
        if sys.stdin.isatty():
            raise  # Ctrl-C
        raise InputError("there is nobody to ask; --yes removes without asking") from None
