"""One spelling, one hash: what keys depend on and what they do not."""

from __future__ import annotations

import contextlib
import copy
import json
import math
import os
import pickle
import subprocess
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError
from tests.record_strategies import leaves, put

from divulge.canonical import FrozenDict, FrozenMapping, Record, canonical_json, digest, freeze, thaw
from divulge.graph import Task
from divulge.spec import AdversarySpec, AuditSpec, DataSpec, PartSpec, SecretsSpec, TargetSpec

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)
SPEC = AuditSpec(
    target=TargetSpec(kind="fake-classifier", recipe={"leaks": True, "dropout": 0.5}),
    data=DataSpec(name="synthetic-utterances", options={"size": 60}),
    secrets=SecretsSpec(pattern="my pin is {digit*4}", label="PinIntent", count=3),
    adversary=AdversarySpec(access=("GradientAccess",), max_queries=100),
    attack=PartSpec(name="soft-token", options={"steps": 250}),
    defences=(PartSpec(name="dropout"),),
    seed=7,
)
TASK = Task(
    kind="attack",
    label="attack it",
    payload={"seed": 7, "attack": {"name": "soft-token", "options": {"steps": 250}}, "levels": ["GradientAccess"]},
    needs={"target": "a" * 64, "knowledge": "b" * 64},
    revisions={"soft-token": 1, "fake-classifier": 2},
)


class Pair(Record):
    """Two fields in one order."""

    a: int
    b: FrozenMapping


class Reversed(Record):
    """The same two fields in the other order."""

    b: FrozenMapping
    a: int


def test_the_spelling_is_sorted_and_tight() -> None:
    """Keys in order at every depth, no white space, tuples as lists, letters as they are."""
    value = {"b": {"z": None, "y": True}, "a": (1, 2.5, "é")}
    assert canonical_json(value) == '{"a":[1,2.5,"é"],"b":{"y":true,"z":null}}'


def test_records_are_spelt_by_their_content() -> None:
    """A record, alone or inside other values, is spelt as the mapping it stands for, whatever its order of fields."""
    expected = '[{"a":1,"b":{"x":[2]}}]'
    assert canonical_json([Pair(a=1, b={"x": [2]})]) == expected
    assert canonical_json([Reversed(b={"x": [2]}, a=1)]) == expected
    assert canonical_json([{"b": {"x": (2,)}, "a": 1}]) == expected


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, [math.nan], {"a": math.inf}])
def test_numbers_that_are_not_finite_have_no_spelling(value: Any) -> None:
    """NaN equals nothing, so nothing may be keyed by it."""
    with pytest.raises(ValueError, match=r"[Oo]ut of range|finite"):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1, 2}, object(), b"bytes", {"a": {3}}])
def test_what_has_no_order_or_no_content_has_no_spelling(value: Any) -> None:
    """A set's order changes with the process; the message names the type and not the value."""
    with pytest.raises(TypeError, match=r"^(set|object|bytes) has no canonical spelling"):
        canonical_json(value)


def test_digest_is_sha256_of_the_spelling() -> None:
    """Literals from `printf '%s' '{"a":[1,2]}' | sha256sum`; a shorter digest is its beginning."""
    whole = "01530d164d479cf08e26d3b1ad9bdba927120d97e2d057a6d792db778780d720"
    assert digest({"a": (1, 2)}) == whole
    assert digest({"a": [1, 2]}, 16) == whole[:16]


@pytest.mark.parametrize(
    ("one", "other"),
    [(1, "1"), (1, 1.0), (1, True), (None, "null"), ([1, 2], [2, 1]), ({"a": 1}, {"b": 1}), (["ab"], ["a", "b"])],
)
def test_other_content_has_another_digest(one: object, other: object) -> None:
    """Types, order in lists and borders between texts count."""
    assert digest(one) != digest(other)


@given(JSON)
def test_freezing_keeps_the_content(value: Any) -> None:
    """Frozen, thawed or as it was: the same spelling; thawing gives plain JSON values back."""
    assert thaw(freeze(value)) == value
    assert canonical_json(freeze(value)) == canonical_json(value) == canonical_json(json.loads(canonical_json(value)))


@given(st.dictionaries(st.text(), JSON, min_size=1, max_size=4))
def test_the_order_of_keys_does_not_matter(value: dict[str, Any]) -> None:
    """The same items put in backwards have the same digest and the same hash."""
    backwards = dict(reversed(value.items()))
    assert digest(backwards) == digest(value)
    assert hash(freeze(backwards)) == hash(freeze(value))


@pytest.mark.parametrize(
    "change",
    [
        lambda held: held.__setitem__("a", 2),
        lambda held: held.__delitem__("a"),
        lambda held: held.update(a=2),
        lambda held: held.pop("a"),
        lambda held: held.popitem(),
        lambda held: held.setdefault("b", 2),
        lambda held: held.clear(),
        lambda held: held.__ior__({"b": 2}),
    ],
)
def test_a_frozen_mapping_cannot_be_changed(change: Any) -> None:
    """Every way to change a dict in place is refused, and leaves it as it was."""
    held = freeze({"a": 1})
    with pytest.raises(TypeError, match="frozen record"):
        change(held)
    assert held == {"a": 1}


def test_freezing_goes_all_the_way_down() -> None:
    """Mappings inside lists inside mappings are frozen too."""
    held = freeze({"a": [{"b": [1]}]})
    assert isinstance(held["a"], tuple)
    assert isinstance(held["a"][0], FrozenDict)
    assert held["a"][0]["b"] == (1,)


def test_a_frozen_mapping_can_be_copied() -> None:
    """Copies of every kind are equal and frozen too."""
    held = freeze({"a": {"b": 1}})
    for copied in (copy.copy(held), copy.deepcopy(held), pickle.loads(pickle.dumps(held))):
        assert copied == held
        assert isinstance(copied, FrozenDict)
        assert isinstance(copied["a"], FrozenDict)


def test_keys_do_not_change_by_accident() -> None:
    """Golden digests: whoever changes one on purpose makes every stored result stale, and says so in the changelog."""
    assert SPEC.hash == "d08363fe946ba119"
    assert TASK.key == "1464498520d5376f3666243d4336129efeeed835edc6eb2c4de8e3125d89b158"


def test_keys_do_not_depend_on_the_process() -> None:
    """Fresh interpreters with other hash seeds give the same keys, to a spec and to a task."""
    script = (
        "import sys\n"
        "from divulge.graph import Task\n"
        "from divulge.spec import AuditSpec\n"
        "print(AuditSpec.model_validate_json(sys.argv[1]).hash, Task.model_validate_json(sys.argv[2]).key, hash('a'))"
    )
    command = [sys.executable, "-c", script, SPEC.model_dump_json(), TASK.model_dump_json()]
    found = []
    for seed in ("1", "4242"):
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        found.append(
            subprocess.run(command, env=environment, capture_output=True, check=True, text=True).stdout.split()
        )
    assert [keys[:2] for keys in found] == [[SPEC.hash, TASK.key]] * 2
    assert found[0][2] != found[1][2]  # the seeds did differ


def _another(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}x"
        case None:
            return 1
        case list():
            return [*value, "x"]
        case _:
            return {**value, "x": 1}


def test_any_changed_field_changes_the_hash_of_a_spec() -> None:
    """Whatever single value is replaced by another that is allowed there, the spec has another hash."""
    whole = SPEC.model_dump(mode="json")
    hashes = {SPEC.hash}
    changed = 0
    for path in leaves(whole):
        content = copy.deepcopy(whole)
        held: Any = content
        for step in path:
            held = held[step]
        put(content, path, _another(held))
        with contextlib.suppress(ValidationError):  # two sources of data, say
            hashes.add(AuditSpec.model_validate_json(json.dumps(content)).hash)
            changed += 1
    assert changed > 20
    assert len(hashes) == changed + 1


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "measure"},
        {"payload": {**TASK.payload, "seed": 8}},
        {"needs": {"target": "a" * 64, "knowledge": "c" * 64}},
        {"needs": {"target": "b" * 64, "knowledge": "a" * 64}},
        {"revisions": {"soft-token": 2, "fake-classifier": 2}},
    ],
)
def test_any_changed_field_changes_the_key_of_a_task(change: dict[str, Any]) -> None:
    """All but the label, which is for people."""
    content = {**TASK.model_dump(mode="json"), "label": "the same in other words"}
    assert Task.model_validate_json(json.dumps(content)).key == TASK.key
    assert Task.model_validate_json(canonical_json({**content, **change})).key != TASK.key
