"""One spelling for every value, so that a hash depends on content alone.

Keys sorted, no white space, finite numbers only: the text does not change with field order, process or
PYTHONHASHSEED.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NoReturn

from pydantic import BaseModel

__all__ = ["FrozenDict", "canonical_json", "digest", "freeze", "thaw"]


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

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, memo: object) -> FrozenDict:
        return self


def freeze(value: Any) -> Any:
    """Turns mappings into `FrozenDict` and lists into tuples, all the way down."""
    if isinstance(value, Mapping):
        return FrozenDict({key: freeze(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(freeze(item) for item in value)
    return value


def thaw(value: Any) -> Any:
    """Undoes `freeze`: plain dicts and lists, all the way down."""
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [thaw(item) for item in value]
    return value


def _plain(value: object) -> object:
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    raise TypeError(f"{type(value).__name__} has no canonical spelling; use JSON-like values or records")
