"""The templates of sentences."""

from __future__ import annotations

import re

import pytest

from divulge.data.synthetic.incidents import DOMAINS, ENTITIES, SKEW, WORDING


@pytest.mark.parametrize("domain", DOMAINS)
def test_every_template_names_an_entity(domain: str) -> None:
    """A sentence without an entity would have no keywords."""
    assert len(set(DOMAINS[domain])) == 10
    assert all(re.search(r"\{\w+\}", template) for template in DOMAINS[domain])


def test_every_rule_is_used() -> None:
    """No list is left over, and only entities are slots."""
    patterns = [p for rules in (DOMAINS, ENTITIES, WORDING) for alternatives in rules.values() for p in alternatives]
    slots = {slot for p in patterns for slot in re.findall(r"\{(\w+)\}", p)}
    rules = {rule for p in patterns for rule in re.findall(r"<(\w+)>", p)}
    assert slots <= set(ENTITIES)
    assert set(ENTITIES) | set(WORDING) == slots | rules
    assert set(SKEW) <= set(ENTITIES)
