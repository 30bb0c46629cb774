"""`divulge list` and `divulge init`: what there is, and a file to start from."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

import typer

from divulge.cli.output import AsJson, print_json, print_table
from divulge.errors import ExecutionError, InputError
from divulge.parts import did_you_mean

__all__ = ["KINDS", "POLICY", "ROLES", "TEMPLATES", "init", "list_parts"]

ROLES = ("attacks", "targets", "defences", "metrics", "studies", "data", "probes")
# Of audit files.
TEMPLATES = ("tagger", "classifier", "generator", "embeddings", "deletion", "person", "own-classifier", "own-callable")
POLICY = "policy"
KINDS = (*TEMPLATES, POLICY)


def list_parts(
    role: Annotated[str | None, typer.Argument(help=f"One of: {', '.join(ROLES)}. All, if not named.")] = None,
    *,
    as_json: AsJson = False,
) -> None:
    """List what can be named in an audit.toml."""
    if role is not None and role not in ROLES:
        raise InputError(f"unknown role {role!r}.{did_you_mean(role, ROLES)}")
    found = {one: [_described(one, name) for name in _names(one)] for one in ((role,) if role else ROLES)}
    if as_json:
        print_json(found)
        return
    for one, items in found.items():
        extra = dict.fromkeys(key for item in items for key in item if key not in {"name", "summary"})
        print_table(["name", *extra, "summary"], items, title=f"{one}:")
        typer.echo("")


def init(
    kind: Annotated[str, typer.Argument(help=f"What to audit: {', '.join(TEMPLATES)}; or {POLICY}.")],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Where to write it; else it is printed.")
    ] = None,
) -> None:
    """Write a commented audit.toml, or policy.toml, to start from."""
    if kind not in KINDS:
        raise InputError(f"unknown kind {kind!r}.{did_you_mean(kind, KINDS)}")
    text = (resources.files("divulge") / "templates" / f"{kind}.toml").read_text(encoding="utf-8")
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        with output.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise InputError(f"{output}: is there already; nothing was written. Choose another name") from None
    except OSError as error:
        raise ExecutionError(f"{output}: cannot be written: {error.strerror}") from None
    then = f"divulge gate RUN --policy {output}" if kind == POLICY else f"divulge check {output}"
    typer.echo(f"{output}: written. Next: {then}", err=True)


def _names(role: str) -> list[str]:
    return sorted(_registry(role))


def _registry(role: str) -> Mapping[str, str]:
    from divulge.attacks import ATTACKS
    from divulge.data import DATA
    from divulge.defences import DEFENCES
    from divulge.metrics import METRICS
    from divulge.probes import PROBES
    from divulge.studies import STUDIES
    from divulge.targets import TARGETS

    registries: dict[str, Mapping[str, str]] = {
        "attacks": ATTACKS,
        "targets": TARGETS,
        "defences": DEFENCES,
        "metrics": METRICS,
        "studies": STUDIES,
        "data": DATA,
        "probes": PROBES,
    }
    return registries[role]


def _described(role: str, name: str) -> dict[str, Any]:
    """One part in a listing; a part whose extra is not installed says so instead of stopping the list."""
    try:
        return _facts(role, name)
    except InputError as error:
        return {"name": name, "summary": f"not available: {error}"}


def _facts(role: str, name: str) -> dict[str, Any]:
    from divulge.data.loading import data_entry
    from divulge.studies import study_named

    if role == "studies":
        study = study_named(name)
        return {"name": name, "paper": study.paper, "summary": study.title}
    if role == "data":
        entry = data_entry(name)
        return {"name": name, "fields": list(entry.fields), "present": entry.present, "summary": entry.summary}
    part = _loaded(role, name)
    facts: dict[str, Any] = {"name": name, "summary": part.summary}
    if role in {"attacks", "probes"}:
        facts["requires"] = [level.__name__ for level in part.requires]
    elif role == "targets":
        facts["grants"] = [level.__name__ for level in part.grants]
    elif role == "defences":
        facts["acts_on"] = _acts_on(part)
    else:
        facts["unit"], facts["leaks_when"] = part.unit, part.leaks_when
    return facts


def _loaded(role: str, name: str) -> Any:
    from divulge.parts import Part, load

    return load(_registry(role), name, Part, role.removesuffix("s"))


def _acts_on(defence: Any) -> list[str]:
    places = ["corpus"] if defence.changes_corpus else []
    places += [f"recipe.{field}" for field in defence.recipe_fields]
    return places + [level.__name__ for level in defence.levels]
