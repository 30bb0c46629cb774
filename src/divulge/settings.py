"""Plain values from TOML text and from settings like `--set adversary.max_queries=1000`, judged by spelling only.

What the values mean, and whether they make an audit file, is told in `spec.py`.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge.canonical import thaw
from divulge.errors import InputError

__all__ = ["apply_settings", "read_audit_values", "set_at"]


def read_audit_values(path: Path, settings: Sequence[str] = ()) -> dict[str, Any]:
    """Reads audit.toml as plain values, `--set` settings applied, whether or not they make an audit file."""
    try:
        text = path.read_text(encoding="utf-8-sig")  # some editors begin a file with a byte order mark
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror}. Write one with: divulge init KIND") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: is not UTF-8 text") from None
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is not TOML: {error}") from None
    if not values:
        raise InputError(f"{path}: is empty. A commented start: divulge init KIND -o {path}")
    unspellable = [f"{path}: {problem}" for problem in _unspellable(values)]
    try:
        changed = apply_settings(values, settings)
    except InputError as error:
        raise InputError([*unspellable, *error.problems]) from None
    if unspellable:
        raise InputError(unspellable)
    return changed


def apply_settings(values: Mapping[str, Any], settings: Sequence[str]) -> dict[str, Any]:
    """Applies settings like "adversary.max_queries=1000"; a value is TOML, a bare word is text."""
    result: dict[str, Any] = thaw(values)
    problems: list[str] = []
    for setting in settings:
        path, equals, text = setting.partition("=")
        if not equals or not path.strip():
            problems.append(f"--set needs path=value, for example adversary.max_queries=1000. Got {setting!r}")
            continue
        value = _value(text)
        wrong = [f"--set {setting}: {problem}" for problem in _unspellable(value, path.strip())]
        problems += wrong
        try:
            set_at(result, path.strip(), None if wrong else value, f"--set {setting}")
        except InputError as error:
            problems += error.problems
    if problems:
        raise InputError(problems)
    return result


def set_at(values: dict[str, Any], path: str, value: Any, said: str) -> None:
    """Sets one dotted path of plain values in place; `said` begins the message if there is no such place."""
    *steps, last = path.split(".")
    if not all((*steps, last)):
        raise InputError(f"{said}: {path!r} has an empty step")
    place: Any = values
    for number, step in enumerate(steps):
        if isinstance(place, list):
            place = place[_position(place, step, said)]
        elif isinstance(place, dict):
            place = place.setdefault(step, {})
        else:
            raise InputError(f"{said}: {'.'.join(steps[:number])} is not a table")
    if isinstance(place, list):
        place[_position(place, last, said)] = value
    elif isinstance(place, dict):
        place[last] = value
    else:
        raise InputError(f"{said}: {'.'.join(steps)} is not a table")


def _position(place: list[Any], step: str, said: str) -> int:
    if not place:
        raise InputError(f"{said}: the list is empty, so that it has no position {step!r}")
    if not (step.isascii() and step.isdigit() and int(step) < len(place)):
        raise InputError(f"{said}: {step!r} must be a position from 0 to {len(place) - 1}")
    return int(step)


def _value(text: str) -> Any:
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text.strip()
    # Whoever writes a line break means text, not a second key.
    return parsed["value"] if len(parsed) == 1 else text.strip()


def _unspellable(value: Any, path: str = "") -> Iterator[str]:
    """What TOML can say and JSON cannot: dates, times, and numbers that are not finite."""
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _unspellable(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _unspellable(item, f"{path}.{place}")
    elif isinstance(value, float) and not math.isfinite(value):
        yield f"{path!r} is inf or nan; numbers must be finite"
    elif not isinstance(value, str | int | float | None):
        yield f"{path!r} is a date or time; write it in quotation marks"
