"""Reads an audit file and says all that is wrong with it at once: its shape, the names in it, what does not fit.

The limit: a table that is not in shape is not looked into any further, nor is anything that hangs on it. A file that
is no TOML at all has only that to be told.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from divulge.auditing.resolving import Draft, draft_problems
from divulge.errors import InputError
from divulge.parts import validate
from divulge.records import Record
from divulge.spec import (
    AdversarySpec,
    AuditFile,
    DataSpec,
    PartSpec,
    RunSpec,
    SecretsSpec,
    TargetSpec,
    read_audit_values,
)

__all__ = ["read_checked"]

R = TypeVar("R", bound=Record)


def read_checked(path: Path, settings: Sequence[str] = ()) -> AuditFile:
    """Reads audit.toml with its `--set` settings; if it has no right shape, names and combinations are told too."""
    values = read_audit_values(path, settings)
    try:
        return validate(AuditFile, values, str(path))
    except InputError as error:
        found = [problem for draft in _drafts(values) for problem in draft_problems(draft)]
        raise InputError(dict.fromkeys((*error.problems, *found))) from None


def _drafts(values: Mapping[str, Any]) -> list[Draft]:
    """One draft per attack, of the tables that are in shape; one without an attack if there is none."""
    run = _table(RunSpec, values.get("run", {}))
    attacks: Sequence[PartSpec | None] = _list(values.get("attacks", []))[0] or (None,)
    probes, _ = _list(values.get("probes", []))
    defences, whole = _list(values.get("defences", []))
    return [
        Draft(
            target=_table(TargetSpec, values.get("target")),
            data=_table(DataSpec, values.get("data")),
            secrets=_table(SecretsSpec, values.get("secrets")),
            adversary=_table(AdversarySpec, values.get("adversary", {})),
            attack=attack,
            probes=probes,
            defences=defences,
            defended=whole,
            seed=0 if run is None else run.seed,
        )
        for attack in attacks
    ]


def _table(model: type[R], values: Any) -> R | None:
    if not isinstance(values, dict):
        return None
    try:
        return validate(model, values, "")
    except InputError:
        return None  # told before, with its place


def _list(values: Any) -> tuple[tuple[PartSpec, ...], bool]:
    """The items that are in shape, and whether that is all of them."""
    items = [_table(PartSpec, item) for item in values] if isinstance(values, list) else [None]
    return tuple(item for item in items if item is not None), None not in items
