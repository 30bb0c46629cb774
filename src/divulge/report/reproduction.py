"""How to run a result again: its spec as an audit file, without the words of its secrets."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from divulge.canonical import thaw

__all__ = ["WITHHELD", "audit_file"]

WITHHELD = "withheld"
PRIVATE = ("pattern", "label")  # may hold words of real texts
LONGEST = 40  # values of a list that a page has room for
TABLES = ("target", "data", "secrets", "adversary")


def audit_file(spec: Mapping[str, Any]) -> str:
    """Writes the audit file that a spec comes from; what may hold words of secrets is withheld, long lists are cut."""
    shown = thaw(spec)
    secrets = shown["secrets"]
    secrets |= {key: WITHHELD for key in PRIVATE if secrets.get(key) is not None}
    if secrets.get("candidates"):
        secrets["candidates"] = WITHHELD
    lines = [line for name in TABLES for line in _table(name, shown[name])]
    listed = {"attacks": [shown["attack"]] if shown["attack"] else [], "probes": shown["probes"]}
    listed["defences"] = shown["defences"]
    for name, parts in listed.items():
        for part in parts:
            lines += [f"[[{name}]]", *_lines(part), ""]
    run = {"seed": shown["seed"]} | {key: shown[key] for key in ("models",) if key in shown}
    return "\n".join([*lines, *_table("run", run)]).strip() + "\n"


def _table(name: str, values: Mapping[str, Any]) -> Iterator[str]:
    yield f"[{name}]"
    yield from _lines(values)
    yield ""


def _lines(values: Mapping[str, Any]) -> Iterator[str]:
    for key, value in values.items():
        if value not in (None, {}, []):
            yield f"{_key(key)} = {_value(value)}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        inside = ", ".join(f"{_key(key)} = {_value(one)}" for key, one in value.items() if one is not None)
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, list) and len(value) > LONGEST:
        return json.dumps(f"{len(value)} values, in results.json")
    if isinstance(value, list):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")  # TOML spells the rest alike


def _key(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isascii() and bare.isalnum() else _value(key)
