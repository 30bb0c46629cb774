"""One spelling for every value, so that a hash depends on content alone.

Keys sorted, no white space, finite numbers only: the text does not change with field order, process or
PYTHONHASHSEED.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Annotated, Any, NoReturn

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, JsonValue, PlainSerializer

__all__ = ["FrozenDict", "FrozenMapping", "Record", "canonical_json", "digest", "freeze", "thaw"]

PLAIN = {str, int, bool, type(None)}  # what neither needs freezing nor can be infinite


class Record(BaseModel):
    """The base of every record and spec: frozen, strict, finite, no unknown keys."""

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid", allow_inf_nan=False, hide_input_in_errors=True)


def canonical_json(value: object) -> str:
    """Spells `value` (JSON-like, or records) in the one canonical way.

    >>> canonical_json({"b": 1, "a": (1, 2)})
    '{"a":[1,2],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False, default=_plain)


def digest(value: object, length: int = 64) -> str:
    """Hashes the canonical spelling of `value` with SHA-256; `length` hex digits of it."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()[:length]


class FrozenDict(dict[str, Any]):
    """A mapping that cannot be changed and can be hashed: what a frozen record may hold."""

    def _refuse(self, *_: object, **__: object) -> NoReturn:
        raise TypeError("this mapping belongs to a frozen record; make a new one instead")

    __setitem__ = __delitem__ = clear = pop = popitem = setdefault = update = _refuse
    __ior__ = _refuse

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(canonical_json(self))

    def __reduce__(self) -> tuple[type[FrozenDict], tuple[dict[str, Any]]]:
        return FrozenDict, (dict(self),)  # copying item by item, as dicts are, would be refused

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self


def freeze(value: Any) -> Any:
    """Turns mappings into `FrozenDict` and lists into tuples, all the way down; refuses numbers that are not finite."""
    if isinstance(value, Mapping):
        return FrozenDict({key: freeze(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        # A vocabulary of thousands of words is looked at once, and not word by word.
        return tuple(value) if PLAIN.issuperset(map(type, value)) else tuple(freeze(item) for item in value)
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("numbers must be finite")  # JSON text may spell NaN, and pydantic lets it into JSON values
    return value


def thaw(value: Any) -> Any:
    """Undoes `freeze`: plain dicts and lists, all the way down."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return list(value) if PLAIN.issuperset(map(type, value)) else [thaw(item) for item in value]
    return value


# Thawed on the way in and out: JSON knows lists, a frozen record holds tuples.
FrozenMapping = Annotated[Mapping[str, JsonValue], BeforeValidator(thaw), AfterValidator(freeze), PlainSerializer(thaw)]


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no canonical spelling; use JSON-like values or records")
