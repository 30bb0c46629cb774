"""`divulge gate` and `divulge compare`: a run beside a policy, and a run beside another."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divulge.cli.output import AsJson, print_json, print_table
from divulge.errors import ExecutionError, InputError

if TYPE_CHECKING:
    from divulge.gate.comparing import Change, RunComparison
    from divulge.gate.judgements import Judged
    from divulge.gate.policy import Policy
    from divulge.records import RunResults

__all__ = ["Against", "PointsAt", "compare", "gate", "judged_run", "source_of"]

Run = Annotated[Path, typer.Argument(metavar="RUN", help="A run directory, or its results.json.")]
PolicyToml = Annotated[
    Path, typer.Option("--policy", metavar="POLICY.TOML", help="The limits; see `divulge init policy`.")
]
Against = Annotated[Path | None, typer.Option(metavar="RUN", help="The earlier run that no_worse_by compares with.")]
PointsAt = Annotated[
    Path | None,
    typer.Option(
        "--at", metavar="FILE", help="The file that JUnit and SARIF name, e.g. audit.toml. Default: results.json."
    ),
]


def gate(
    run: Run,
    *,
    policy: PolicyToml,
    against: Against = None,
    junit: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the judgement as JUnit XML too.")] = None,
    sarif: Annotated[Path | None, typer.Option(metavar="FILE", help="Write the judgement as SARIF too.")] = None,
    at: PointsAt = None,
    as_json: AsJson = False,
) -> None:
    """Hold a run against a policy: exit 0 passed, 100 a limit is exceeded, 3 inconclusive."""
    from divulge.report import rendered

    results, judged = judged_run(run, policy, against)
    for name, path in (("junit", junit), ("sarif", sarif)):
        if path is not None:
            _write(path, rendered(results, name, judged=judged, source=source_of(run, at)))
    if as_json:
        print_json(judged.shown())
    else:
        print_table(["verdict", "required", "measured", "of", "why"], _judgement_rows(judged))
        typer.echo(f"\n{judged.sentence} Exit code {judged.exit_code}.")
    raise typer.Exit(judged.exit_code)


def compare(
    first: Annotated[Path, typer.Argument(metavar="RUN", help="The earlier run: a directory, or its results.json.")],
    second: Annotated[Path, typer.Argument(metavar="RUN", help="The later run.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Show what changed from one run to another, with the interval of each difference."""
    from divulge.gate.comparing import compare as compared
    from divulge.runs import read_results

    found = compared(read_results(first), read_results(second))
    if as_json:
        print_json(found.model_dump(mode="json"))
        return
    _print_comparison(found)


def judged_run(run: Path, policy: Path, against: Path | None = None) -> tuple[RunResults, Judged]:
    """Reads a policy, a run and the earlier one, and judges. A bad policy is told before a run that cannot be read."""
    from divulge.gate.judging import judge
    from divulge.gate.policy import read_policy
    from divulge.runs import read_results

    try:
        results = read_results(run)
    except ExecutionError:
        read_policy(policy)
        raise
    wanted = read_policy(policy, {one.metric for result in results.results for one in result.measurements})
    return results, judge(results, wanted, _earlier(wanted, policy, against))


def source_of(run: Path, at: Path | None) -> str:
    """The file that a report for machines points at."""
    return (at or (run / "results.json" if run.is_dir() else run)).as_posix()


def _earlier(policy: Policy, path: Path, against: Path | None) -> RunResults | None:
    """The run to compare with. One that only the policy names may be absent: there is a first time for every gate."""
    from divulge.runs import read_results

    if not policy.compares:
        return None if against is None else read_results(against)  # what is named must be there, needed or not
    optional = all(limit.when_absent == "pass" for limit in policy.limits if limit.no_worse_by is not None)
    if against is not None:
        return read_results(against)
    if policy.against is None and optional:
        return None
    if policy.against is None:
        raise InputError(
            f'{path}: no_worse_by needs an earlier run. Name it with --against RUN, or with against = "…" in the policy'
        )
    named = Path(policy.against)
    return read_results(named) if named.exists() else None


def _judgement_rows(judged: Judged) -> list[dict[str, Any]]:
    from divulge.report.tables import figure_text
    from divulge.report.wording import group_words

    return [
        {
            "verdict": one.verdict,
            "required": one.required,
            "measured": figure_text(one.value, one.low, one.high, one.n),
            "of": ", ".join(filter(None, [one.about, group_words(one.group) if one.about else ""])) or None,
            "why": one.reason,
        }
        for one in judged.judgements
    ]


def _print_comparison(found: RunComparison) -> None:
    columns = ["change", "metric", "arm", "first", "second", "difference", "of"]
    if found.changes:
        print_table(columns, [_change_row(one) for one in found.changes])
        typer.echo(
            "\nDifferences are second minus first, each with its own 95 % interval: of many, a few lie off zero by"
        )
        typer.echo("luck. The doubt is about the secrets; that training anew changes figures too is not in it.")
    else:
        typer.echo("The runs have no figure in common.")
    for title, lines in (("Only in the first run:", found.only_first), ("Only in the second run:", found.only_second)):
        if lines:
            typer.echo("\n".join(["", title, *(f"  {line}" for line in lines)]))
    for note in found.notes:
        typer.echo(f"divulge: {note}", err=True)


def _change_row(one: Change) -> dict[str, Any]:
    from divulge.report.tables import figure_text, measured_text

    difference = one.difference
    said = None if difference is None else figure_text(difference.value, difference.low, difference.high)
    if difference is not None:
        said = f"{said} {'paired, ' * difference.paired}n={difference.n}"
    void = one.note.startswith("void")
    return {
        "change": one.verdict,
        "metric": " ".join([one.metric, *(f"{key}={value}" for key, value in one.group.items())]),
        "arm": one.arm,
        "first": None if void else measured_text(one.first),
        "second": None if void else measured_text(one.second),
        "difference": said or one.note,
        "of": one.about,
    }


def _write(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be written: {error.strerror}") from None
