"""Tests of divulge.secrets_spec."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from divulge.secrets_spec import SecretsSpec


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"families": {"pin": {"pattern": "pin {digit}"}}, "asked": "call"}, "asked must be one of the families"),
        ({"pattern": "pin {digit}", "asked": "pin"}, "families: none"),
        ({"families": {"pin": {"pattern": "pin {digit}"}}, "label": "L"}, "each has a pattern, label"),
        ({"families": {"pin": {"pattern": "pin {digit}"}}, "pattern": "p {digit}"}, "each has a pattern, label"),
        ({"families": {"pin": {"label": "L"}}}, "'pattern' is missing"),
        ({"families": {"pin": {"pattern": "p {digit}", "lable": "L"}}}, "unknown key 'lable'"),
        ({"families": {"pin": "p {digit}"}}, "families.pin must be a table"),
        (
            {"families": {"a": {"pattern": "p {digit}"}, "b": {"pattern": "p {digit}"}}},
            "families a and b have the same",
        ),
    ],
)
def test_families_that_cannot_be_are_refused(values, said):
    """Whatever is wrong with a family is said, with its name."""
    with pytest.raises(ValidationError, match=said):
        SecretsSpec(**values)


def test_a_single_pattern_is_a_family_without_a_name():
    """What canaries are made from is read in one way."""
    alone = SecretsSpec(pattern="pin {digit}", label="L", tag="T")
    assert {name: (one.pattern, one.label, one.tag) for name, one in alone.patterns.items()} == {
        "": ("pin {digit}", "L", "T")
    }
    several = SecretsSpec(families={"b": {"pattern": "b {digit}"}, "a": {"pattern": "a {digit}", "label": "A"}})
    assert [(name, one.label) for name, one in several.patterns.items()] == [("a", "A"), ("b", None)]
