"""The templates of intents."""

from __future__ import annotations

import re

import pytest

from divulge.data.synthetic.commands import FILLERS, INTENTS, SKEW


@pytest.mark.parametrize("intent", INTENTS)
def test_every_intent_has_templates_and_slots(intent: str) -> None:
    """An intent has at least eight different templates, each with a slot or two choices of its own."""
    templates = INTENTS[intent]
    assert len(set(templates)) == len(templates) >= 8
    assert all("{" in template or "|" in template for template in templates)


def test_slots_share_their_fillers() -> None:
    """Several slots are filled by the same rule, so that the words alone do not tell the slot."""
    uses = [match for templates in INTENTS.values() for t in templates for match in re.findall(r"\{(\w+):(\w+)\}", t)]
    slots: dict[str, set[str]] = {}
    for slot, rule in uses:
        slots.setdefault(rule, set()).add(slot)
    assert {rule for rule, found in slots.items() if len(found) >= 3} >= {"title", "person", "number"}


def test_every_rule_is_used() -> None:
    """No filler or skew is left over from a template that is gone."""
    patterns = [p for rules in (INTENTS, FILLERS) for alternatives in rules.values() for p in alternatives]
    used = {by or slot or rule for p in patterns for slot, by, rule in re.findall(r"\{(\w+)(?::(\w+))?\}|<(\w+)>", p)}
    assert set(FILLERS) == used
    assert set(SKEW) <= set(FILLERS)
