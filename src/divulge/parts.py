"""What attacks, defences, targets, metrics and probes have in common: a name, options, a revision, a registry.

A registry is one explicit dict in a role's `__init__`, from name to "module:Class". The same notation in a TOML
file names a user's own class, so that nobody needs a fork.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, ClassVar, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

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
        if isinstance(options, self.Options):
            self.options = options
        elif isinstance(options, Record):
            raise InputError(f"options of {self.name} must be {self._spelt()}. Got {type(options).__qualname__}")
        else:
            self.options = validate(self.Options, options or {}, f"options of {self.name}")

    @classmethod
    def _spelt(cls) -> str:
        return f"{cls.Options.__module__}:{cls.Options.__qualname__}"


def load(registry: Mapping[str, str], name: str, base: type[P], role: str) -> type[P]:
    """Finds the class called `name`: in the registry, or, as "module:Class", in the user's own code."""
    path = registry.get(name, name)
    if ":" not in path:
        raise InputError(f"unknown {role} {name!r}.{did_you_mean(name, registry)}")
    module_name, _, class_name = path.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise InputError(
            f"{role} {name!r} cannot be loaded: {error}. "
            "A missing library is in an extra: pip install 'divulge[torch]' or another of its extras; "
            "own code must be importable (PYTHONPATH)."
        ) from error
    except Exception as error:  # somebody's own code may fail in any way when it is run
        raise InputError(f"{role} {name!r} cannot be loaded: {type(error).__name__} in {module_name!r}") from error
    found = getattr(module, class_name, None)
    if found is None:
        raise InputError(f"{role} {name!r}: module {module_name!r} has no {class_name!r}")
    if not (isinstance(found, type) and issubclass(found, base)):
        raise InputError(f"{role} {name!r} must be a subclass of {base.__module__}.{base.__name__}. Got {found!r}")
    lacking = _lacking(found, base)  # type: ignore[arg-type] # classes can be hashed
    if lacking:
        raise InputError(f"{role} {name!r} does not define {', '.join(lacking)}, as every {base.__name__} must")
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
        else:
            reason = _reason(item, model)
            said = f"{where}: {place!r}: {reason}" if place else f"{where}: {reason}"
        problems.append(said)
    return problems


def _reason(item: ErrorDetails, model: type[Record]) -> str:
    if item["type"] == "model_type" and item["loc"]:
        fields = _fields_at(model, item["loc"])
        if {"name", "path"} <= set(fields):  # texts: only a key tells a file from a known data set
            return 'must be a table: write { path = "..." } for a file, or { name = "..." } for a known data set'
        return f"must be a table with some of these keys: {', '.join(fields)}"
    if item["type"] == "union_tag_invalid":  # pydantic's own words quote the value
        return f"kind must be one of {item['ctx']['expected_tags']}"
    return item["msg"].removeprefix("Value error, ")


@cache
def _lacking(part: type[Part], base: type[Part]) -> list[str]:
    """What a class of somebody's own leaves out: attributes that its role declares, and verbs that do the work."""
    declared: dict[str, object] = {}
    for kind in base.__mro__:
        declared |= vars(kind).get("__annotations__", {})
    missing = [name for name, said in declared.items() if "ClassVar" in str(said) and not hasattr(part, name)]
    verbs = [name for name in dir(base) if getattr(getattr(part, name, None), "__isabstractmethod__", False)]
    return sorted({*missing, *verbs})


def _fields_at(model: type[Record], path: tuple[int | str, ...]) -> list[str]:
    """The fields that the record at `path` has; a step is a field, a position, or the kind chosen among several."""
    offered: list[type[Record]] = []
    for step in path:
        chosen = [kind for kind in offered if _kind_of(kind) == step]
        field = model.model_fields.get(str(step))
        if chosen:
            model, offered = chosen[0], []
        elif field is not None:
            parts = (field.annotation, *getattr(field.annotation, "__args__", ()))
            offered = [part for part in parts if isinstance(part, type) and issubclass(part, Record)]
            model = offered[0] if offered else model
    return list(model.model_fields)


def _kind_of(model: type[Record]) -> object:
    field = model.model_fields.get("kind")
    return field.default if field else None
