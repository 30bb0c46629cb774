"""What attacks, defences, targets, metrics and probes have in common: a name, options, a revision, a registry.

A registry is one explicit dict in a role's `__init__`, from name to "module:Class". The same notation in a TOML
file names a user's own class, so that nobody needs a fork.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, TypeVar

from pydantic import ValidationError

from divulge.canonical import canonical_json
from divulge.errors import InputError
from divulge.records import Record

__all__ = ["Part", "did_you_mean", "load", "validate", "validation_problems"]

R = TypeVar("R", bound=Record)
P = TypeVar("P", bound="Part")


class Part:
    """One replaceable piece of an audit.

    `revision` is raised when a part's results change: it is in every key, so a mended bug never resumes stale
    results.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    revision: ClassVar[int] = 1

    class Options(Record):
        """No options."""

    options: Any

    def __init__(self, options: Record | Mapping[str, Any] | None = None) -> None:
        if isinstance(options, Record):
            self.options = options
        else:
            self.options = validate(self.Options, options or {}, f"options of {self.name}")


def load(registry: Mapping[str, str], name: str, base: type[P], role: str) -> type[P]:
    """Finds the class called `name`: in the registry, or, as "module:Class", in the user's own code."""
    path = registry.get(name, name)
    if ":" not in path:
        raise InputError(f"unknown {role} {name!r}.{did_you_mean(name, registry)}")
    module_name, _, class_name = path.partition(":")
    try:
        found = getattr(importlib.import_module(module_name), class_name)
    except ImportError as error:
        raise InputError(
            f"{role} {name!r} cannot be loaded: {error}. "
            "A missing library is in an extra: pip install 'divulge[torch]' or another of its extras; "
            "own code must be importable (PYTHONPATH)."
        ) from error
    except AttributeError as error:
        raise InputError(f"{role} {name!r}: module {module_name!r} has no {class_name!r}") from error
    if not (isinstance(found, type) and issubclass(found, base)):
        raise InputError(f"{role} {name!r} must be a subclass of {base.__module__}.{base.__name__}. Got {found!r}")
    return found


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Says which known names are near, or lists them all."""
    names = sorted(known)
    near = difflib.get_close_matches(name, names, n=3, cutoff=0.6)
    if near:
        return f" Did you mean {' or '.join(repr(n) for n in near)}?"
    return f" Available: {', '.join(names) or 'none'}"


def validate(model: type[R], values: Mapping[str, Any], where: str) -> R:
    """Builds `model` from plain values, or raises one InputError with every problem in it."""
    try:
        # Through JSON: strict mode takes lists for tuples there, and only there.
        return model.model_validate_json(canonical_json(values))
    except ValidationError as error:
        raise InputError(validation_problems(error, model, where)) from None
    except (TypeError, ValueError) as error:
        raise InputError(f"{where}: {error}") from None


def validation_problems(error: ValidationError, model: type[Record], where: str) -> list[str]:
    """Words pydantic's findings as what was found, what is allowed, what to do. Values are never shown."""
    problems = []
    for item in error.errors(include_url=False, include_input=False):
        place = ".".join(str(step) for step in item["loc"])
        if item["type"] == "extra_forbidden":
            known = _fields_at(model, item["loc"][:-1])
            said = f"{where}: unknown key {place!r}.{did_you_mean(str(item['loc'][-1]), known)}"
        elif item["type"] == "missing":
            said = f"{where}: {place!r} is missing"
        elif place:
            said = f"{where}: {place!r}: {item['msg']}"
        else:
            said = f"{where}: {item['msg']}"
        problems.append(said)
    return problems


def _fields_at(model: type[Record], path: tuple[int | str, ...]) -> list[str]:
    for step in path:
        field = model.model_fields.get(str(step))
        if field is None:
            continue
        for candidate in (field.annotation, *getattr(field.annotation, "__args__", ())):
            if isinstance(candidate, type) and issubclass(candidate, Record):
                model = candidate
                break
    return list(model.model_fields)
