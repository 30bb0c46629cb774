"""Puts the commands together and turns every ending into an exit code, without a trace unless asked.

0 done, 1 execution failed, 2 the caller's input is wrong, 3 no or insufficient evidence, 100 a limit of the gate is
exceeded, 130 interrupted.
"""

from __future__ import annotations

import io
import sys
import traceback
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from divulge import __version__
from divulge.cli.auditing import audit, check, report
from divulge.cli.demo import demo
from divulge.cli.gating import compare, gate
from divulge.cli.keeping import cache_app, data_app
from divulge.cli.listing import init, list_parts
from divulge.cli.output import debugging, show_traces
from divulge.cli.planting import find, plant, unplant
from divulge.cli.studying import study_app
from divulge.errors import AuditError

__all__ = ["app", "main", "run"]

DEBUG = "--debug"
INTERRUPTED = 130
KEPT = "interrupted; finished work is kept: the same command again does only what is missing"
# Typer brings its own copy of click from some version on: whichever it uses, that one's errors are ours.
click_errors: Any = sys.modules[typer.BadParameter.__module__]

app = typer.Typer(
    name="divulge",
    help="A privacy audit of text models: what does yours give away about the people whose texts it was trained on?",
    epilog="Every command takes --debug, which shows traces; they may hold raw data.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)
app.command("demo")(demo)
app.command("list")(list_parts)
app.command("init")(init)
app.command("check")(check)
app.command("audit")(audit)
app.command("gate")(gate)
app.command("report")(report)
app.command("plant")(plant)
app.command("unplant")(unplant)
app.command("secrets")(find)
app.command("compare")(compare)
app.add_typer(study_app, name="study")
app.add_typer(data_app, name="data")
app.add_typer(cache_app, name="cache")


def _show_version(*, value: bool) -> None:
    if value:
        typer.echo(f"divulge {__version__}")
        raise typer.Exit


@app.callback()
def _about(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """A privacy audit of text models."""


def main() -> None:
    """Runs the command line and exits."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # a terminal without dashes is no reason to fail
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Runs one command line; returns its exit code. `--debug` may stand anywhere and shows traces."""
    with show_traces(wanted=DEBUG in arguments):
        try:
            ended = app([a for a in arguments if a != DEBUG], standalone_mode=False, prog_name="divulge")
            if ended == INTERRUPTED:  # Typer's way to tell of Ctrl-C; older ones let it through
                raise KeyboardInterrupt  # noqa: TRY301
        except BaseException as error:  # noqa: BLE001 - the last resort: every ending gets its code and its words
            if debugging():
                traceback.print_exc()
            code, message = _ending(error)
            if message:
                typer.echo(message, err=True)
            return code
    return ended if isinstance(ended, int) else 0


def _ending(error: BaseException) -> tuple[int, str]:
    """The exit code and the words for what ended a command."""
    code, said = 1, ""
    if isinstance(error, AuditError):
        code, said = error.exit_code, str(error)
    elif isinstance(error, KeyboardInterrupt | typer.Abort):
        code, said = INTERRUPTED, KEPT
    elif isinstance(error, click_errors.ClickException):
        if type(error).__name__ == "NoArgsIsHelpError":
            return 2, error.format_message()
        code, said = 2, _usage(error)
    elif isinstance(error, SystemExit):
        code = error.code if isinstance(error.code, int) else 1
    elif isinstance(error, OSError):
        said = f"{error.filename or 'a file'}: {error.strerror or 'cannot be used'}"
    else:
        said = f"unexpected {type(error).__name__}. The same command with {DEBUG} shows where"
    return code, f"divulge: {said}" if said else ""


def _usage(error: Any) -> str:
    context = getattr(error, "ctx", None)
    where = f" See: {context.command_path} --help" if context is not None else ""
    return f"{error.format_message()}{where}"
