"""Tests of divulge.secrets_spec."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from divulge.canonical import digest
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


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"label_of": "rarest", "label": "L"}, "both label and label_of"),
        ({"label_of": "rare"}, "rarest"),
        ({"supporting": -1}, 'must be "all", or a whole number from 0'),
        ({"supporting": "some"}, 'must be "all", or a whole number from 0'),
        ({"supporting": True}, 'must be "all", or a whole number from 0'),
        ({"pattern": None, "kind": "rows", "supporting": 1}, "supporting is for canaries"),
        ({"pattern": None, "file": "s.json", "label_of": "any"}, "label_of is for canaries"),
        (
            {"pattern": None, "families": {"pin": {"pattern": "pin {digit}"}}, "label_of": "any"},
            "families have a label each",
        ),
    ],
)
def test_classes_that_cannot_be_meant_are_refused(values, said):
    """Which class canaries are planted in is said once, and only of canaries that are made here."""
    with pytest.raises(ValidationError, match=said):
        SecretsSpec(**{"pattern": "pin {digit}", **values})


def test_what_came_later_is_spelt_only_where_it_says_something():
    """Results that were kept before these settings were there keep their keys."""
    plain = SecretsSpec(pattern="pin {digit}", label="L")
    assert not {"supporting", "label_of"} & set(plain.model_dump(mode="json"))
    assert digest(plain) == digest(plain.model_copy(update={"supporting": 0}))
    said = SecretsSpec(pattern="pin {digit}", supporting="all", label_of="any")
    assert {"supporting": "all", "label_of": "any"}.items() <= said.model_dump(mode="json").items()
    assert SecretsSpec.model_validate_json(said.model_dump_json()) == said
    assert SecretsSpec.model_validate_json(plain.model_dump_json()) == plain


def test_a_tokenizer_stays_a_name():
    """Thousands of words do not belong into a spec, which is written down with every task."""
    named = {"word": "whole-words:some/folder"}
    spec = SecretsSpec(pattern="{word}", candidates=named)
    assert spec.model_dump(mode="json")["candidates"] == named
    families = SecretsSpec(families={"a": {"pattern": "{word}", "candidates": named}})
    assert dict(families.patterns["a"].candidates) == named


def test_what_was_to_be_deleted_are_canaries():
    """Others have no controls of the same draw; the field is not spelt where it says nothing."""
    with pytest.raises(ValidationError, match="deleted is for canaries"):
        SecretsSpec(kind="records", deleted=True)
    assert "deleted" not in SecretsSpec(pattern="pin {digit}").model_dump(mode="json")
    assert SecretsSpec(file="s.json", deleted=True).model_dump(mode="json")["deleted"] is True
