"""Which attacks are run when none is named."""

from __future__ import annotations

from typing import Any

import pytest

from divulge.api.choosing import DEFAULTS, default_attacks
from divulge.attacks import ATTACKS
from divulge.attacks.base import Attack
from divulge.auditing.fitting import HINTS
from divulge.errors import InputError
from divulge.parts import load, validate
from divulge.spec import AdversarySpec, PartSpec, SecretsSpec, TargetSpec

CANARY = {"pattern": "pin {digit*4}", "label": "a"}
TRAIN = {"train": "divulge.testing.counting:train"}


def chosen(kind: str, secrets: dict[str, Any], recipe: Any = None, **adversary: Any) -> list[str]:
    """The names of the attacks."""
    target = TargetSpec(kind=kind, recipe=recipe or {})
    wanted = validate(SecretsSpec, secrets, "secrets")
    return [one.name for one in default_attacks(target, wanted, validate(AdversarySpec, adversary, "adversary"), ())]


def test_every_default_is_an_attack_on_such_secrets() -> None:
    """And every kind of secrets has one."""
    assert set(DEFAULTS) == set(HINTS)
    for kind, lines in DEFAULTS.items():
        for name in (name for line in lines for name in line):
            assert HINTS[kind] in load(ATTACKS, name, Attack, "attack").hints


def test_the_strongest_that_the_access_allows() -> None:
    """Gradients, likelihoods, labels: each has its own."""
    assert chosen("fake-classifier", CANARY) == ["discrete-search"]
    assert chosen("fake-classifier", CANARY, access=["LabelLikelihoodAccess"]) == ["label-likelihood"]
    assert chosen("own-classifier", CANARY, TRAIN) == ["label-likelihood"]
    assert chosen("own-classifier", CANARY, TRAIN, access=["LabelAccess"]) == ["label-match"]


def test_records_are_compared_with_reference_models_where_there_are_any() -> None:
    """And always told by their loss, or by their label where that is all there is."""
    records = {"kind": "records"}
    assert chosen("own-classifier", records, TRAIN) == ["record-loss"]
    assert chosen("own-classifier", records, TRAIN, access=["LabelAccess"]) == ["label-match"]
    models = {"references": 2}
    assert chosen("own-classifier", records, TRAIN, background=models) == ["lira", "record-loss"]
    assert chosen("own-classifier", records, TRAIN, background={**models, "controls": 5}) == ["rmia", "record-loss"]


def test_a_defence_that_takes_access_away_is_seen() -> None:
    """Rounding leaves likelihoods and no gradients."""
    target, secrets = TargetSpec(kind="fake-classifier"), validate(SecretsSpec, CANARY, "secrets")
    rounded = default_attacks(target, secrets, AdversarySpec(), [PartSpec(name="rounding", options={"decimals": 1})])
    assert [one.name for one in rounded] == ["label-likelihood"]


def test_that_none_fits_is_told_with_the_reasons() -> None:
    """Rows need public sentences to learn on."""
    with pytest.raises(InputError, match="none of those run by default fits") as raised:
        chosen("fake-encoder", {"kind": "rows"})
    assert "set adversary.background.corpus" in str(raised.value)
