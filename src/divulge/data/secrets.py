"""The secrets file: what was planted in, held out of, or found in somebody's data. Mode 0600, JSON, read by its owner.

A candidate set is stored once and referred to by name: a vocabulary of 20,000 words in each hole of hundreds of secrets
must not explode. Nothing here shows secret text: not in a repr, not in an error.
"""

from __future__ import annotations

import json
import os
import secrets as randomness
import stat
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, ValidationError

from divulge.canonical import canonical_json, freeze, thaw
from divulge.data.patterns import gaps_over, read_sets
from divulge.data.planting.traces import PlantedData, PlantedFile
from divulge.errors import ExecutionError, InputError
from divulge.records import Answer, Gaps, LeakedRow, Planting, Record, Secret, Tokens, UserTexts
from divulge.spec import SecretsSpec

__all__ = ["SCHEMA_VERSION", "SecretsFile", "read_secrets", "write_secrets"]

SCHEMA_VERSION = 1
OWNER_ONLY = 0o600
MOST_SHOWN = 5


@dataclass(frozen=True, repr=False)
class SecretsFile:
    """The content of a secrets file.

    `fingerprint` is that of the corpus the secrets are in; `key` makes the ids; `spec` tells how canaries were made,
    and is None for secrets that were found; `planted` tells where in a user's files they were put, to take them back.
    """

    fingerprint: str
    key: bytes
    secrets: tuple[Secret, ...]
    controls: tuple[Secret, ...] = ()
    plantings: tuple[Planting, ...] = ()
    spec: SecretsSpec | None = None
    planted: PlantedData | None = None

    def __repr__(self) -> str:
        return (
            f"SecretsFile({len(self.secrets)} secrets, {len(self.controls)} controls, "
            f"{len(self.plantings)} plantings; nothing else is shown)"
        )


def write_secrets(path: Path, content: SecretsFile) -> None:
    """Writes the file at one stroke, readable by its owner alone from the first byte on.

    A file that is there already is replaced, whatever its mode; a link is replaced, not followed.
    """
    if path.is_dir() or not path.parent.is_dir():
        raise InputError(f"{path}: is a directory, or lies in a directory that does not exist")
    text = canonical_json(_stored(content)) + "\n"
    draft = path.parent / f".{path.name}.{randomness.token_hex(8)}"
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except OSError as error:
        raise ExecutionError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        draft.unlink(missing_ok=True)


def read_secrets(path: Path, fingerprint: str | None = None) -> SecretsFile:
    """Reads and checks the file; with a fingerprint, it must belong to the corpus of that fingerprint."""
    try:
        values = json.loads(_guarded_text(path))
    except (json.JSONDecodeError, UnicodeDecodeError, RecursionError):
        raise InputError(f"{path}: is not a secrets file: it does not hold JSON") from None
    if not isinstance(values, dict) or "schema_version" not in values:
        raise InputError(f"{path}: is not a secrets file: it has no schema_version")
    if values["schema_version"] != SCHEMA_VERSION or isinstance(values["schema_version"], bool):
        raise InputError(
            f"{path}: has another schema version than {SCHEMA_VERSION}, the only one this version of Divulge reads. "
            "Use the version that wrote it, or make the secrets anew"
        )
    try:
        stored = _Stored.model_validate_json(json.dumps(values))
    except ValidationError as error:
        raise InputError(f"{path}: is damaged: {_places(error)}") from None
    content = _opened(stored, path)
    if fingerprint is not None and fingerprint != content.fingerprint:
        raise InputError(
            f"{path}: belongs to other data: it was made for the fingerprint {content.fingerprint[:16]}, and these "
            f"texts have {fingerprint[:16]}. Give the data the file was made for, read in the same way: "
            f"{_reading(content)}; data.splits and data.limit not set. Or make the secrets anew"
        )
    return content


def _reading(content: SecretsFile) -> str:
    """How the data was read when the file was made, where that is known."""
    if content.planted is None:
        return "data.columns and data.options as then"
    return ", ".join(
        f"data.{name} {json.dumps(thaw(values)) if values else 'not set'}"
        for name, values in (("columns", content.planted.columns), ("options", content.planted.options))
    )


def _guarded_text(path: Path) -> str:
    try:
        if not path.is_file():
            raise InputError(f"{path}: there is no such file (secrets.file)")
        with path.open("rb") as file:
            # Asked of the open file, so that it cannot be exchanged in between.
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            if os.name == "posix" and mode & 0o077:
                raise InputError(
                    f"{path}: others may read or change it (mode {mode:04o}), and it holds secrets. "
                    f"Close it: chmod 600 {path}"
                )
            return file.read().decode("utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}") from None


# -- what stands in the file --------------------------------------------------------------------------------


class _StoredGaps(Record):
    """Gaps whose candidates are names of sets."""

    kind: Literal["gaps"] = "gaps"
    tokens: tuple[str | None, ...]
    label: str | None = None
    tags: tuple[str, ...] | None = None
    candidates: tuple[str, ...]


class _StoredSecret(Record):
    id: str
    hint: Annotated[_StoredGaps | UserTexts | LeakedRow, Field(discriminator="kind")]
    answer: Annotated[Answer, Field(discriminator="kind")]


class _Stored(Record):
    schema_version: Literal[1] = 1
    fingerprint: str
    key: Annotated[str, Field(pattern="^([0-9a-f]{2})+$")]
    sets: Mapping[str, tuple[str, ...]]
    secrets: tuple[_StoredSecret, ...]
    controls: tuple[_StoredSecret, ...]
    plantings: tuple[Planting, ...]
    spec: SecretsSpec | None
    planted: PlantedData | None = None  # not in files of the first version


def _stored(content: SecretsFile) -> _Stored:
    names: dict[tuple[str, ...], str] = {}

    def name(options: Sequence[str]) -> str:
        return names.setdefault(tuple(options), f"set{len(names) + 1}")

    def secret(given: Secret) -> _StoredSecret:
        hint: Any = given.hint
        if isinstance(hint, Gaps):
            hint = _StoredGaps(
                tokens=hint.tokens,
                label=hint.label,
                tags=hint.tags,
                candidates=tuple(name(options) for options in hint.candidates),
            )
        return _StoredSecret(id=given.id, hint=hint, answer=given.answer)

    spec = content.spec
    if spec is not None:
        named = {title: name(options) for title, options in sorted(read_sets(spec.candidates).items())}
        spec = spec.model_copy(update={"candidates": named})
    return _Stored(
        fingerprint=content.fingerprint,
        key=content.key.hex(),
        secrets=tuple(map(secret, content.secrets)),
        controls=tuple(map(secret, content.controls)),
        plantings=content.plantings,
        spec=spec,
        planted=content.planted,
        sets={title: options for options, title in names.items()},
    )


def _opened(stored: _Stored, path: Path) -> SecretsFile:
    problems = _problems(stored)
    if problems:
        raise InputError(f"{path}: is damaged: {problem}" for problem in problems[:MOST_SHOWN])
    spec = stored.spec
    if spec is not None:
        own = {title: stored.sets[str(name)] for title, name in spec.candidates.items()}
        spec = spec.model_copy(update={"candidates": freeze(own)})
    return SecretsFile(
        fingerprint=stored.fingerprint,
        key=bytes.fromhex(stored.key),
        secrets=tuple(_secret(item, stored.sets) for item in stored.secrets),
        controls=tuple(_secret(item, stored.sets) for item in stored.controls),
        plantings=stored.plantings,
        spec=spec,
        planted=stored.planted,
    )


def _problems(stored: _Stored) -> list[str]:
    """What does not fit together, said without any text of the file."""
    problems = [
        f"candidate set {number} is empty or names a token twice"
        for number, options in enumerate(stored.sets.values(), start=1)
        if not options or len(set(options)) < len(options)
    ]
    members = {name: frozenset(options) for name, options in stored.sets.items()}
    for arm, items in (("secrets", stored.secrets), ("controls", stored.controls)):
        misfits = ((number, _misfit(item, members)) for number, item in enumerate(items, start=1))
        problems += [f"{arm}, number {number}: {misfit}" for number, misfit in misfits if misfit]
    ids = [item.id for item in (*stored.secrets, *stored.controls)]
    if len(set(ids)) < len(ids):
        problems.append("two secrets have the same id")
    if {planting.secret_id for planting in stored.plantings} - set(ids):
        problems.append("a planting names no secret of the file")
    if stored.spec is not None and not all(name in stored.sets for name in stored.spec.candidates.values()):
        problems.append("spec names a candidate set that is not in the file")
    return problems


def _misfit(item: _StoredSecret, members: Mapping[str, frozenset[str]]) -> str | None:
    """What is wrong with a stored text with holes."""
    hint = item.hint
    if not isinstance(hint, _StoredGaps):
        return None
    if not set(hint.candidates) <= set(members):
        return "names a candidate set that is not in the file"
    if hint.tokens.count(None) != len(hint.candidates) or len(hint.tags or hint.tokens) != len(hint.tokens):
        return "holes, tags and candidate sets do not fit together"
    answer = item.answer.tokens if isinstance(item.answer, Tokens) else ()
    if len(answer) != len(hint.candidates) or any(
        token not in members[name] for token, name in zip(answer, hint.candidates, strict=True)
    ):
        return "the answer is none of the candidates"
    return None


def _secret(item: _StoredSecret, sets: Mapping[str, tuple[str, ...]]) -> Secret:
    hint: Any = item.hint
    if isinstance(hint, _StoredGaps):
        sharing = tuple(sets[name] for name in hint.candidates)
        hint = gaps_over(sharing, hint.tokens, hint.label, hint.tags)
    return Secret(id=item.id, hint=hint, answer=item.answer)


def _places(error: ValidationError) -> str:
    """Where the file is wrong; a key that is not ours may be anything, so it is not shown."""
    ours = {
        name
        for model in (_Stored, _StoredSecret, _StoredGaps, Planting, PlantedData, PlantedFile)
        for name in model.model_fields
    }
    places = [
        ".".join(str(step) if isinstance(step, int) or step in ours else "?" for step in item["loc"])
        for item in error.errors(include_url=False, include_input=False, include_context=False)
    ]
    more = f" and {len(places) - MOST_SHOWN} more" if len(places) > MOST_SHOWN else ""
    return f"missing, unknown or wrong values at {', '.join(places[:MOST_SHOWN])}{more}"
