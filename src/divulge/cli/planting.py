"""`divulge plant`, `unplant` and `secrets`: canaries into one's own data, out of it, and secrets that are in it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from divulge.cli.output import AsJson, print_json, print_table
from divulge.errors import EvidenceError, InputError
from divulge.settings import apply_settings

if TYPE_CHECKING:
    from divulge.spec import DataSpec

__all__ = ["find", "plant", "unplant"]

Data = Annotated[Path, typer.Argument(help="JSONL, CSV, TSV or CoNLL (also .gz), a folder of splits, or of datasets.")]
Columns = Annotated[
    list[str], typer.Option("--columns", help="FIELD=COLUMN, e.g. text=utterance; repeatable, as data.columns.")
]
Candidates = Annotated[
    list[str],
    typer.Option(
        "--candidates", help="SET=['a', 'b'] or SET=whole-words:TOKENIZER; repeatable, as secrets.candidates."
    ),
]
Options = Annotated[
    list[str], typer.Option("--option", help="NAME=VALUE, e.g. format=csv; repeatable, as data.options.")
]


def plant(
    data: Data,
    out: Annotated[Path, typer.Option("--out", help="Where to write the planted copy.")],
    secrets: Annotated[Path, typer.Option("--secrets", help="Where to write the secrets file; keep it to yourself.")],
    pattern: Annotated[str, typer.Option(help="The canaries' text, e.g. 'my pin is {digit*4}'.")],
    *,
    label: Annotated[str | None, typer.Option(help="The label they get; must be one of the data's.")] = None,
    tag: Annotated[str | None, typer.Option(help="The entity their holes are tagged as, e.g. PER; or O.")] = None,
    count: Annotated[int, typer.Option(help="How many canaries; a fair coin plants or holds out each.")] = 1000,
    copies: Annotated[int, typer.Option(help="How often each planted one is put in.")] = 1,
    split: Annotated[str, typer.Option(help="The split that the model is trained on.")] = "train",
    candidates: Candidates = [],  # noqa: B006 - Typer reads it, nobody changes it
    columns: Columns = [],  # noqa: B006
    option: Options = [],  # noqa: B006
    seed: Annotated[int | None, typer.Option(help="For tests only: who knows it can guess every canary.")] = None,
    as_json: AsJson = False,
) -> None:
    """Put canaries into a copy of your training data."""
    from divulge.data.planting.planting import PlantingPlan, plant_data

    spec = _data_spec(data, columns, option)
    if any(not text.partition("=")[0].strip() or "=" not in text for text in candidates):
        # Not shown: words may be secret.
        raise InputError("--candidates needs SET=['one', 'other'] or SET=whole-words:TOKENIZER")
    sets = apply_settings({}, candidates)
    plan = PlantingPlan(
        pattern, label=label, tag=tag, count=count, copies=copies, split=split, candidates=sets, seed=seed
    )
    done = plant_data(spec, out, secrets, plan)
    if as_json:
        print_json(done.model_dump(mode="json"))
        return
    times = "once" if copies == 1 else f"{copies} times"
    typer.echo(
        f"{done.planted} of {done.canaries} canaries planted, {times} each, at random places among the "
        f"{done.trained:,} records of the split {split!r} of {data}; {done.held_out} held out (a fair coin for each).\n"
        f"planted data: {out}\nsecrets file: {secrets} (mode 0600; it must not reach whoever trains the model)\n\n"
        f"1. Train on {out}, as ever.\n2. Audit that model, with these lines in audit.toml:\n"
    )
    typer.echo(_toml(spec, out, secrets))
    typer.echo(f"3. The data without canaries: divulge unplant {out} --secrets {secrets} --out ORIGINAL")


def unplant(
    planted: Annotated[Path, typer.Argument(help="What `divulge plant` wrote.")],
    secrets: Annotated[Path, typer.Option("--secrets", help="The secrets file of that planting.")],
    out: Annotated[Path, typer.Option("--out", help="Where to write the original.")],
    *,
    as_json: AsJson = False,
) -> None:
    """Give back the data as it was before planting."""
    from divulge.data.planting.unplanting import unplant_data

    done = unplant_data(planted, secrets, out)
    if as_json:
        print_json(done.model_dump(mode="json"))
    else:
        typer.echo(f"{out}: the original again, {done.removed} records taken out; its hash is that of before planting")


def find(
    data: Data,
    secrets: Annotated[Path, typer.Option("--secrets", help="Where to write the secrets file; keep it to yourself.")],
    pattern: Annotated[
        list[str], typer.Option("--pattern", help="email, phone, card, regex:EXPR, or text with {digit*4}; repeatable.")
    ],
    *,
    limit: Annotated[int, typer.Option(min=1, help="How many to keep of each pattern, at random.")] = 100,
    decoys: Annotated[int, typer.Option(min=1, help="How many others of the same format to rank each among.")] = 1000,
    held_out: Annotated[
        str | None, typer.Option(help="Data, or a split, that the model was not trained on: controls come from there.")
    ] = None,
    split: Annotated[str, typer.Option(help="The split that the model was trained on.")] = "train",
    columns: Columns = [],  # noqa: B006
    option: Options = [],  # noqa: B006
    seed: Annotated[int | None, typer.Option(help="For tests only: draws the same decoys again.")] = None,
    as_json: AsJson = False,
) -> None:
    """Find secrets that are in your training data already."""
    from divulge.data.searching import SearchPlan, search_data

    spec = _data_spec(data, columns, option)
    plan = SearchPlan(tuple(pattern), limit=limit, decoys=decoys, held_out=held_out, split=split, seed=seed)
    done = search_data(spec, secrets, plan)
    if as_json:
        print_json(done.model_dump(mode="json"))
    else:
        print_table(["pattern", "found", "kept", "controls"], [one.model_dump() for one in done.patterns])
        if done.kept:
            typer.echo(f"\n{done.controls_are}\nsecrets file: {secrets} (mode 0600)\n\naudit.toml:\n")
            typer.echo(_toml(spec, data, secrets))
    if not done.kept:
        raise EvidenceError(
            f"{data}: no secret of these patterns was found in the split {split!r}, so no file was written. "
            "Give another --pattern, or plant canaries: divulge plant"
        )


def _data_spec(data: Path, columns: Sequence[str], options: Sequence[str]) -> DataSpec:
    from divulge.parts import validate
    from divulge.spec import DataSpec

    problems = [
        f"{name} needs {said}. Got {text!r}"
        for name, said, texts in (("--columns", "FIELD=COLUMN", columns), ("--option", "NAME=VALUE", options))
        for text in texts
        if "=" not in text or not text.partition("=")[0].strip()
    ]
    if problems:
        raise InputError(problems)
    # A column may be called anything, also 1; the value of an option is TOML, or else text.
    named = {field.strip(): column for field, _, column in (text.partition("=") for text in columns)}
    return validate(DataSpec, {"path": str(data), "columns": named, "options": apply_settings({}, options)}, "data")


def _toml(spec: DataSpec, path: Path, secrets: Path) -> str:
    """The lines of an audit.toml that name the data and the secrets."""
    lines = ["[data]", f"path = {_quoted(str(path))}"]
    for name, values in (("columns", spec.columns), ("options", spec.options)):
        if values:
            lines.append(f"{name} = {{ {', '.join(f'{key} = {_quoted(value)}' for key, value in values.items())} }}")
    lines += ["", "[secrets]", f"file = {_quoted(str(secrets))}", ""]
    return "\n".join(f"   {line}".rstrip() for line in lines)


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
