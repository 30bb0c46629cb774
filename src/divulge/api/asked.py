"""The rest of what a caller asks for, read into specs: secrets, adversary, attacks, defences, probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge.api.plain import plain
from divulge.api.session import Session
from divulge.api.texts import given_data
from divulge.errors import InputError
from divulge.parts import validate
from divulge.spec import AdversarySpec, DataSpec, PartSpec, SecretsSpec

__all__ = ["Parts", "given_adversary", "given_parts", "given_secrets"]

Part = str | PartSpec | Mapping[str, Any]
Parts = Part | Sequence[Part]
NO_SECRETS = (
    "secrets are missing: say what to look for. A file that `divulge plant` or `divulge secrets` wrote, by its path; "
    "for a model that is trained here, canaries: {'pattern': 'my pin is {digit*4}', 'label': ...}; single records: "
    "{'kind': 'records', 'held_out': ...}, where held_out names a split that a finished model never saw; people: "
    "{'kind': 'users'}; the sentences behind vectors: {'kind': 'rows'}"
)


def given_secrets(secrets: Any) -> SecretsSpec:
    """Reads what is to be looked for: a spec, or a secrets file by its path."""
    if secrets is None:
        raise InputError(NO_SECRETS)
    if isinstance(secrets, SecretsSpec):
        return secrets
    if isinstance(secrets, str) and "{" in secrets and not Path(secrets).exists():
        raise InputError("secrets is text with a hole in it. A pattern is given as {'pattern': ..., 'label': ...}")
    if isinstance(secrets, str | Path):
        return SecretsSpec(file=str(secrets))
    if isinstance(secrets, Mapping):
        return validate(SecretsSpec, plain(secrets), "secrets")
    raise InputError(f"secrets must be a path, a dict or a SecretsSpec. Got {type(secrets).__name__}")


def given_adversary(adversary: Any, session: Session) -> AdversarySpec:
    """Reads who attacks. The public texts of its background may be given as data are."""
    if adversary is None:
        return AdversarySpec()
    if isinstance(adversary, AdversarySpec):
        return adversary
    if not isinstance(adversary, Mapping):
        raise InputError(f"adversary must be a dict or an AdversarySpec. Got {type(adversary).__name__}")
    values, behind = dict(adversary), adversary.get("background")
    if isinstance(behind, Mapping) and behind.get("corpus") is not None:
        where = "adversary.background.corpus"
        corpus: DataSpec = session.spec_of(given_data(behind["corpus"], where=where))
        values["background"] = {**behind, "corpus": corpus}
    return validate(AdversarySpec, plain(values), "adversary")


def given_parts(parts: Any, role: str) -> tuple[PartSpec, ...]:
    """Reads names, specs and dicts of parts; one may stand for a list of one."""
    listed = [parts] if isinstance(parts, str | PartSpec | Mapping) else parts
    if not isinstance(listed, Sequence):
        raise InputError(f"{role} must be a name, a dict, a PartSpec or a list of these. Got {type(parts).__name__}")
    found: list[PartSpec] = []
    problems: list[str] = []
    for number, part in enumerate(listed):
        where = f"{role}, number {number + 1}"
        try:
            found.append(_part(part, where))
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return tuple(found)


def _part(part: Any, where: str) -> PartSpec:
    if isinstance(part, PartSpec):
        return part
    if isinstance(part, str):
        return PartSpec(name=part)
    if isinstance(part, Mapping):
        return validate(PartSpec, plain(part), where)
    raise InputError(f"{where}: must be a name, a dict or a PartSpec. Got {type(part).__name__}")
