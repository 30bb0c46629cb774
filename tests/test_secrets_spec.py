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


def test_kept_results_keep_their_keys():
    """The digests of specs as they were before users could have unused or obfuscated texts."""
    people = {"kind": "users", "count": 5, "controls": 4}
    assert digest(SecretsSpec(**people)) == "d882c431dd26510cd6685cc28cd9b19883a9c731181aac54f977be4218a877ec"
    held_out = "305d35baf130c55fe7a9b50388c5533688cb485440b9422178a8f1b98c29e877"
    assert digest(SecretsSpec(**people, held_out="test")) == held_out
    canaries = "cc9add4d5e34cf1e49d80a2fa9b9716ef7c2f22bc6c9974629a2ab9b560ec304"
    assert digest(SecretsSpec(pattern="pin {digit}", label="L")) == canaries
    said = SecretsSpec(**people, unused_share=0.5, obfuscation="words")
    assert {"unused_share": 0.5, "obfuscation": "words"}.items() <= said.model_dump(mode="json").items()
    assert SecretsSpec.model_validate_json(said.model_dump_json()) == said
    assert digest(SecretsSpec(**people, unused_share=0)) == digest(SecretsSpec(**people))


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"unused_share": 1.0}, "less than 1"),
        ({"unused_share": -0.1}, "greater than or equal to 0"),
        ({"unused_share": 0.5, "held_out": "test"}, "with held_out it is trained on all"),
        ({"unused_share": 0.5, "kind": "records"}, "unused_share is for secrets of kind 'users'.*these are 'records'"),
        ({"obfuscation": "words", "kind": "rows"}, "obfuscation is for secrets of kind 'users'.*these are 'rows'"),
        ({"obfuscation": "", "kind": "rows"}, "obfuscation is for secrets of kind 'users'"),
        ({"obfuscation": "words", "person": "ada"}, "person asks about the texts as they are"),
        ({"unused_share": 0.5, "person": "ada"}, "remove unused_share and obfuscation"),
    ],
)
def test_what_only_many_users_have_is_refused_elsewhere(values, said):
    """Texts that were not used, or that are rewritten before they are asked about."""
    with pytest.raises(ValidationError, match=said):
        SecretsSpec(**{"kind": "users", **values})


def test_people_of_another_split_may_be_obfuscated():
    """A finished model is asked about rewritten texts as any other."""
    assert SecretsSpec(kind="users", held_out="test", obfuscation="words").obfuscation == "words"


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


def test_one_person_is_a_user_and_alpha_belongs_to_them():
    """Neither is spelt where it says nothing, so that the keys of other audits stay."""
    for values, said in (
        ({"kind": "records", "person": "ada"}, "person is for secrets of kind 'users'"),
        ({"kind": "users", "person": "  "}, "person is empty"),
        ({"kind": "users", "alpha": 0.01}, "set person too"),
        ({"kind": "users", "person": "ada", "alpha": 0.0}, "greater than 0"),
        ({"kind": "users", "person": "ada", "alpha": 0.5}, "less than 0.5"),
    ):
        with pytest.raises(ValidationError, match=said):
            SecretsSpec(**values)
    assert not {"person", "alpha"} & set(SecretsSpec(kind="users").model_dump(mode="json"))
    told = SecretsSpec(kind="users", person="ada", alpha=0.01).model_dump(mode="json")
    assert (told["person"], told["alpha"]) == ("ada", 0.01)
    assert SecretsSpec(kind="users", person=17).person == "17"
    with pytest.raises(ValidationError):
        SecretsSpec(kind="users", person=True)
