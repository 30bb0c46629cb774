"""Random records of every class, made from the types of their fields; what fields owe each other is told here."""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator, Mapping
from typing import Annotated, Any, Literal, Union, get_args, get_origin, get_type_hints

from hypothesis import strategies as st
from pydantic.fields import FieldInfo

from divulge.canonical import Record
from divulge.records import Gaps, Ranking
from divulge.secrets_spec import LIKELY
from divulge.spec import DataSpec, SecretsSpec

Values = dict[str, Any]

SHORT = st.text(max_size=4)
TOKENS = st.lists(SHORT, max_size=4).map(tuple)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | SHORT,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(SHORT, inner, max_size=2),
    max_leaves=4,
)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: SHORT,
    bool: st.booleans(),
    type(None): st.none(),
}


def records_of(*modules: types.ModuleType) -> list[type[Record]]:
    """Every record class that one of these modules defines."""
    return [
        found
        for module in modules
        for found in vars(module).values()
        if isinstance(found, type) and issubclass(found, Record) and found.__module__ == module.__name__
    ]


def records(kind: type[Record]) -> st.SearchStrategy[Record]:
    """Any valid record of this class."""
    hints = get_type_hints(kind, include_extras=True)
    fields = {name: _of_type(hints[name]) for name in kind.model_fields}
    return st.fixed_dictionaries(fields).flatmap(CONSTRAINTS.get(kind, st.just)).map(lambda values: kind(**values))


def leaves(value: Any, path: tuple[int | str, ...] = ()) -> Iterator[tuple[int | str, ...]]:
    """The path of every value in a JSON value that holds no others."""
    steps = list(value) if isinstance(value, dict) else list(range(len(value))) if isinstance(value, list) else []
    for step in steps:
        yield from leaves(value[step], (*path, step))
    if not steps:
        yield path


def put(value: Any, path: tuple[int | str, ...], new: Any) -> None:
    """Sets the value at a path of a JSON value in place."""
    for step in path[:-1]:
        value = value[step]
    value[path[-1]] = new


def _of_type(hint: Any, constraints: tuple[Any, ...] = ()) -> st.SearchStrategy[Any]:
    origin, inner = get_origin(hint), get_args(hint)
    if hint in PLAIN:
        found = PLAIN[hint]
    elif hint in (int, float):
        found = _number(hint, constraints)
    elif origin is Annotated:
        told = [one for extra in inner[1:] for one in (extra.metadata if isinstance(extra, FieldInfo) else [extra])]
        found = _of_type(inner[0], tuple(told))
    elif origin in (Union, types.UnionType):
        found = st.one_of([_of_type(one, constraints) for one in inner])
    elif origin is Literal:
        found = st.sampled_from(inner)
    elif origin is tuple and inner[1:] == (...,):
        found = st.lists(_of_type(inner[0]), max_size=3).map(tuple)
    elif origin is tuple:
        found = st.tuples(*(_of_type(one) for one in inner))
    elif origin is not None and issubclass(origin, Mapping):
        found = st.dictionaries(SHORT, JSON, max_size=3)
    elif isinstance(hint, type) and issubclass(hint, Record):
        found = records(hint)
    else:
        raise TypeError(f"no strategy for {hint}: tell here how to make one")
    return found


def _number(kind: type, constraints: tuple[Any, ...]) -> st.SearchStrategy[Any]:
    bounds = {
        name: getattr(one, name) for one in constraints for name in ("ge", "le", "lt", "gt") if hasattr(one, name)
    }
    least, most = bounds.get("ge", bounds.get("gt")), bounds.get("le", bounds.get("lt"))
    if kind is int:
        return st.integers(min_value=least, max_value=most)
    ends = {"exclude_min": "gt" in bounds, "exclude_max": "lt" in bounds}
    return st.floats(min_value=least, max_value=most, **ends, allow_nan=False, allow_infinity=False)


def _gaps(values: Values) -> st.SearchStrategy[Values]:
    holes = sum(token is None for token in values["tokens"])
    options = st.lists(SHORT, min_size=1, max_size=3, unique=True).map(tuple)
    tags = st.none() | st.lists(SHORT, min_size=len(values["tokens"]), max_size=len(values["tokens"])).map(tuple)
    candidates = st.lists(options, min_size=holes, max_size=holes).map(tuple)
    return st.builds(lambda made, told: {**values, "candidates": made, "tags": told}, candidates, tags)


def _ranking(values: Values) -> st.SearchStrategy[Values]:
    scores = sorted(values["scores"], reverse=True)
    return st.just({**values, "scores": tuple(scores), "candidates": (("a",),) * len(scores)})


def _one_source(values: Values) -> st.SearchStrategy[Values]:
    return st.sampled_from(("name", "path")).map(lambda given: {**values, "name": None, "path": None, given: "x"})


def _secrets(values: Values) -> st.SearchStrategy[Values]:
    given = ("file", "pattern") if values["kind"] == "canaries" else ("label",)
    held = values["held_out"] if values["kind"] in ("records", "users") else None
    fixed = {**values, "file": None, "pattern": None, "held_out": held, "families": {}, "asked": None}
    fixed |= _as_asked(fixed)
    plain = {"supporting": 0, "label_of": None, "ranked": 0}

    def from_one(name: str) -> Values:
        made = {**fixed, name: "x"} if name == "pattern" else {**fixed, **plain, name: "x"}
        return {**made, "label": None} if made["label_of"] else made

    if values["kind"] != "canaries":
        fixed = {**fixed, "deleted": False}
        return st.sampled_from(given).map(from_one)
    alone = st.sampled_from(given).map(from_one)
    bare = {**fixed, "label": None, "tag": None, "candidates": {}, "label_of": None, "ranked": 0}
    told = st.lists(SHORT, min_size=1, max_size=2, unique=True).map(
        lambda names: {name: {"pattern": f"{name} p", "label": "l"} for name in names}
    )
    several = told.flatmap(
        lambda made: st.sampled_from((None, *made)).map(lambda asked: {**bare, "families": made, "asked": asked})
    )
    return alone | several


def _as_asked(values: Values) -> Values:
    """One person with a level of evidence, or many, whose texts may be unused or rewritten; only users are people."""
    users = values["kind"] == "users"
    one = values["person"] if users and (values["person"] or "").strip() else None
    unused = values["unused_share"] if users and one is None and values["held_out"] is None else 0.0
    rewritten = values["obfuscation"] if users and one is None else None
    alpha = LIKELY if one is None else values["alpha"]
    return {"person": one, "alpha": alpha, "unused_share": unused, "obfuscation": rewritten}


CONSTRAINTS: dict[type[Record], Callable[[Values], st.SearchStrategy[Values]]] = {
    Gaps: _gaps,
    Ranking: _ranking,
    DataSpec: _one_source,
    SecretsSpec: _secrets,
}
