"""Parts and texts as pure data: what a task's key is made of."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from divulge.access import Access
from divulge.attacks.base import Attack
from divulge.auditing.naming import content_fingerprint, source_number
from divulge.data import DATA
from divulge.data.base import DataSet
from divulge.data.corpus import Corpus
from divulge.data.obfuscation.rewriting import obfuscator_named
from divulge.parts import Part, load
from divulge.spec import DataSpec, SecretsSpec
from divulge.targets.base import Target
from divulge.vocabularies import fingerprint_of, tokenizer_named

__all__ = [
    "all_spelt",
    "defences_of",
    "files_spelt",
    "obfuscator_spelt",
    "revisions_at",
    "revisions_of",
    "spelt",
    "spelt_data",
    "spelt_secrets",
    "spelt_target",
    "vocabularies_spelt",
]


def spelt(part: Part) -> dict[str, Any]:
    """A part as pure data: where its class is, and every option, defaults included."""
    kind = type(part)
    return {"class": f"{kind.__module__}:{kind.__qualname__}", "options": part.options.model_dump(mode="json")}


def all_spelt(parts: Sequence[Part]) -> list[dict[str, Any]]:
    """Several parts, in their order."""
    return [spelt(part) for part in parts]


def spelt_target(kind: str, target: Target) -> dict[str, Any]:
    """A target with its recipe and, where it reads an existing model, what lies there: not the name of it."""
    recipe = target.options.model_dump(mode="json")
    return {"kind": kind, "recipe": recipe, "files": files_spelt(target)}


def files_spelt(target: Target) -> list[str | None]:
    """The content of each file that a target reads."""
    return [content_fingerprint(str(path)) for path in target.files]


def spelt_data(spec: DataSpec, read: Corpus, target: Target) -> dict[str, Any]:
    """Texts as a target reads them."""
    revision = load(DATA, spec.name, DataSet, "data").revision if spec.name else 0
    whole = spec.model_dump(mode="json")
    found = {"spec": whole, "fingerprint": read.fingerprint, "revision": revision, "tokens": target.reads}
    return {**found, "reader": spelt(target)} if target.cuts_texts else found


def spelt_secrets(spec: SecretsSpec, without: Collection[str] = ()) -> dict[str, Any]:
    """Secrets as pure data, with what lies in their file, the words of tokenizers and the obfuscator that they name.

    `without` leaves some fields out that do not matter.
    """
    told = {name: value for name, value in spec.model_dump(mode="json").items() if name not in without}
    found: dict[str, Any] = {"spec": told, "file": content_fingerprint(spec.file)}
    if told.get("obfuscation") is not None:
        found["obfuscator"] = obfuscator_spelt(spec)
    words = vocabularies_spelt(spec)
    return {**found, "vocabularies": words} if words else found


def vocabularies_spelt(spec: SecretsSpec) -> dict[str, str]:
    """The words of each tokenizer that candidates are taken from, as a hash."""
    sets = [candidates for family in spec.patterns.values() for candidates in family.candidates.values()]
    return {where: fingerprint_of(where) for where in map(tokenizer_named, sets) if where is not None}


def obfuscator_spelt(spec: SecretsSpec) -> str | None:
    """The version of what rewrites texts before they are asked about; None where nothing does."""
    return None if spec.obfuscation is None else obfuscator_named(spec.obfuscation).version()


def defences_of(needs: Mapping[str, str]) -> dict[str, str]:
    """Of what a task needs, the fitted defences."""
    return {role: key for role, key in needs.items() if role.startswith("defence ")}


def revisions_at(attack: Attack, levels: Sequence[type[Access]]) -> dict[str, int]:
    """The revision of an attack where it has one of its own at the only level that is granted; else nothing."""
    kind, name = type(attack), "" if len(levels) != 1 else levels[0].__name__
    own = {level.__name__: number for level, number in attack.revisions_at.items()}
    return {f"{kind.__module__}:{kind.__qualname__} at {name}": own[name]} if name in own else {}


def revisions_of(parts: Sequence[Part]) -> dict[str, int]:
    """Each part's revision and, of a part from outside the package, its source: nobody raises numbers while trying."""
    revisions = {}
    for part in parts:
        kind = type(part)
        revisions[f"{kind.__module__}:{kind.__qualname__}"] = part.revision
        if kind.__module__.partition(".")[0] != "divulge":
            revisions[f"{kind.__module__} source"] = source_number(kind)
    return revisions
