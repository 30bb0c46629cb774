"""Secrets, adversary and parts as callers give them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from divulge.api.asked import given_adversary, given_parts, given_secrets
from divulge.api.session import Session
from divulge.api.targets import GivenTarget
from divulge.errors import InputError
from divulge.spec import AdversarySpec, DataSpec, PartSpec, SecretsSpec, TargetSpec


@pytest.fixture
def session() -> Session:
    """Where texts in memory are known."""
    return Session(GivenTarget(TargetSpec(kind="fake-classifier")), None)


def test_secrets_by_file_or_by_what_they_are() -> None:
    """A path is a secrets file."""
    assert given_secrets("s.json") == given_secrets(Path("s.json")) == SecretsSpec(file="s.json")
    assert given_secrets({"file": Path("s.json")}) == SecretsSpec(file="s.json")
    spec = SecretsSpec(kind="records", held_out="test")
    assert given_secrets(spec) is spec
    assert given_secrets({"kind": "records", "held_out": "test"}) == spec


@pytest.mark.parametrize(
    ("secrets", "said"),
    [
        (None, "secrets are missing: say what to look for.*divulge plant"),
        ("my pin is {digit*4}", r"A pattern is given as \{'pattern'"),
        (7, "Got int"),
        ({"kind": "recordz"}, "^secrets: 'kind'"),
        ({"pattern": "a {digit}", "cout": 3}, "unknown key 'cout'. Did you mean 'count'"),
    ],
)
def test_wrong_secrets_are_told(secrets: Any, said: str) -> None:
    """With what to do."""
    with pytest.raises(InputError, match=said):
        given_secrets(secrets)


def test_the_adversary(session: Session) -> None:
    """Nothing, a spec, a dict; one name stands for a list of one."""
    assert given_adversary(None, session) == AdversarySpec()
    spec = AdversarySpec(max_queries=5)
    assert given_adversary(spec, session) is spec
    assert given_adversary({"access": "LabelAccess"}, session).access == ("LabelAccess",)
    with pytest.raises(InputError, match="Got str"):
        given_adversary("LabelAccess", session)
    with pytest.raises(InputError, match="unknown key 'acess'"):
        given_adversary({"acess": []}, session)


def test_public_texts_as_data_are_given(session: Session) -> None:
    """By name, or in memory: then there is a file while the session is open."""
    named = given_adversary({"background": {"corpus": "synthetic-topics", "references": 2}}, session)
    assert named.background.corpus == DataSpec(name="synthetic-topics")
    assert named.background.references == 2
    found = given_adversary({"background": {"corpus": ["one", "two"]}}, session).background.corpus
    assert found is not None
    with session.opened():
        assert len(Path(found.path or "").read_text(encoding="utf-8").splitlines()) == 2
    with pytest.raises(InputError, match=r"adversary.background.corpus: holds no texts"):
        given_adversary({"background": {"corpus": []}}, session)


def test_parts_by_name_dict_or_spec() -> None:
    """One stands for a list of one."""
    rounding = PartSpec(name="rounding", options={"decimals": 2})
    assert given_parts("rounding", "defences") == (PartSpec(name="rounding"),)
    assert given_parts(rounding, "defences") == (rounding,)
    assert given_parts({"name": "rounding", "options": {"decimals": 2}}, "defences") == (rounding,)
    assert given_parts(["a", rounding], "defences") == (PartSpec(name="a"), rounding)
    assert given_parts((), "defences") == ()


def test_wrong_parts_are_told_all_at_once() -> None:
    """Each by its number."""
    with pytest.raises(InputError) as raised:
        given_parts([3, {"nam": "x"}, "good"], "attacks")
    assert any("attacks, number 1: must be a name" in one for one in raised.value.problems)
    assert any("attacks, number 2: unknown key 'nam'" in one for one in raised.value.problems)
    with pytest.raises(InputError, match="Got set"):
        given_parts({"a"}, "attacks")
