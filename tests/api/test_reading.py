"""A request as specs, with every problem told at once."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.api.reading import Reading, Request
from divulge.errors import InputError
from divulge.spec import AuditSpec

DATA = [("good day", "a"), ("bad day", "b")] * 20
CANARY = {"pattern": "pin {digit*4}", "label": "a", "count": 2, "controls": 2}
NOTHING: dict[str, Any] = {
    "attacks": None,
    "defences": (),
    "adversary": None,
    "probes": (),
    "labels": None,
    "columns": None,
    "recipe": None,
    "name": None,
    "store": None,
}


def request(**given: Any) -> Request:
    """A request of what is told, and the rest as it is by default."""
    return Request(**{**NOTHING, "target": "fake-classifier", "data": DATA, "secrets": CANARY, **given})


def specs(seed: int = 0, models: int = 1, **given: Any) -> tuple[AuditSpec, ...]:
    """The specs of a request."""
    reading = Reading(request(**given))
    with reading.session.opened():
        return reading.specs(seed, models)


def test_one_spec_for_each_attack() -> None:
    """With all else in common."""
    found = specs(5, 3, attacks=["soft-token", "discrete-search"], defences="deduplication", probes=["label-accuracy"])
    assert [spec.attack.name for spec in found if spec.attack] == ["soft-token", "discrete-search"]
    assert {(spec.seed, spec.models, spec.defences[0].name, spec.probes[0].name) for spec in found} == {
        (5, 3, "deduplication", "label-accuracy")
    }


def test_no_attack_is_not_the_same_as_none_named() -> None:
    """An empty list only probes; by default attacks are chosen."""
    (probed,) = specs(attacks=[])
    assert probed.attack is None
    (chosen,) = specs()
    assert chosen.attack is not None
    assert chosen.attack.name == "discrete-search"


def test_all_problems_are_told_at_once() -> None:
    """What has no shape and, of the rest, what does not fit; each once."""
    with pytest.raises(InputError) as raised:
        specs(secrets=None, defences=[3], adversary={"access": ["LabelAcess"]}, models=0, attacks=["random", "randm"])
    said = str(raised.value)
    for part in ("secrets are missing", "defences, number 1", "Did you mean 'LabelAccess'", "'models'", "'randm'"):
        assert said.count(part) == 1


def test_a_wrong_target_is_told_with_the_rest() -> None:
    """Although nothing can be chosen for it."""
    with pytest.raises(InputError) as raised:
        Reading(request(target="nlu-tager", secrets=None, data=7, attacks=[3]))
    said = str(raised.value)
    for part in ("nlu-tagger", "secrets are missing", "data must be", "attacks, number 1"):
        assert part in said


def test_what_speaks_against_the_audit_comes_before_that_no_attack_fits() -> None:
    """A classifier holds no people: which attack would fit is beside the point."""
    with pytest.raises(InputError, match="cannot hold secrets of kind 'users'") as raised:
        specs(target=lambda texts: texts, labels=["a", "b"], secrets={"kind": "users"})
    assert "run by default" not in str(raised.value)


def test_how_many_processes() -> None:
    """As many as cores; an object of this process has this one alone."""
    assert Reading(request()).workers(3) == 3
    assert Reading(request()).workers(0) == 0
    assert Reading(request()).workers(None) >= 1
    live = Reading(request(target=lambda texts: texts, labels=["a", "b"]))
    assert live.workers(None) == live.workers(0) == 0
    with pytest.raises(InputError, match="workers is 2, but this object is in this process alone"):
        live.workers(2)


def test_a_request_shows_nothing() -> None:
    """Its repr would hold data."""
    assert "good day" not in repr(request())
