"""Static and adaptive adversaries are one switch: whether practice models carry the defence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from divulge.errors import InputError
from divulge.parts import validate
from divulge.records import RunResults
from divulge.runs import run_specs
from divulge.spec import AuditFile
from divulge.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("adversaries") / "store")


def audited(store: Store, defence: str | None, options: Mapping[str, Any] | None, *, knows: bool) -> RunResults:
    """Rows alone leaked: an adversary who may ask the encoder through a defence could learn the defence from that."""
    file = {
        "target": {"kind": "fake-encoder"},
        "data": {"name": "synthetic-sentences", "options": {"size": 120}},
        "secrets": {"kind": "rows", "count": 60},
        "adversary": {
            "access": ["EmbeddedRowsAccess"],
            "knows_defence": knows,
            "background": {"corpus": {"name": "synthetic-sentences", "options": {"size": 800, "seed": 1}}},
        },
        "attacks": [{"name": "parallel-decoder"}],
        "defences": [{"name": defence, "options": options or {}}] if defence else [],
    }
    return run_specs(validate(AuditFile, file, "test").specs(), store, workers=0)


def token_accuracy(
    store: Store, defence: str | None, options: Mapping[str, Any] | None = None, *, knows: bool
) -> float:
    results = audited(store, defence, options, knows=knows)
    assert results.failures == ()
    (value,) = (
        m.value
        for m in results.results[0].measurements
        if (m.metric, m.arm) == ("token_accuracy", "attack") and not m.group
    )
    assert value is not None
    return value


def test_a_public_mapping_stops_only_the_adversary_who_does_not_know_it(store: Store) -> None:
    """Undefended everything is read; the static adversary reads nothing, the adaptive one everything again."""
    assert token_accuracy(store, None, knows=False) > 0.9
    assert token_accuracy(store, "tests.contracts.mapping:PublicMapping", knows=False) < 0.1
    assert token_accuracy(store, "tests.contracts.mapping:PublicMapping", knows=True) > 0.9


def test_knowing_a_defence_is_not_knowing_the_owners_secret(store: Store) -> None:
    """Practice models fit a mapping of their own: that does not undo the owner's."""
    assert token_accuracy(store, "tests.contracts.mapping:SecretMapping", knows=True) < 0.1


def test_the_switch_without_a_defence_changes_no_task(store: Store) -> None:
    """An adversary who knows of no defence is the static one: nothing new is computed."""
    token_accuracy(store, None, knows=False)
    before = {entry.key for entry in store.entries() if entry.kind != "measure"}
    token_accuracy(store, None, knows=True)
    assert {entry.key for entry in store.entries() if entry.kind != "measure"} == before


@pytest.mark.parametrize(
    ("defence", "options"),
    [
        ("dimension-cut", {"kept": 0.5}),
        ("dimension-cut", {"kept": 0.5, "by": "variance"}),
        ("privacy-mapping", {"strength": 1.0}),
    ],
    ids=["order", "variance", "mapping"],
)
def test_some_defences_stop_only_the_adversary_who_does_not_know_them(
    store: Store, defence: str, options: dict[str, Any]
) -> None:
    """What is left of the vectors, or a mapping much like the owner's, still names most words to whoever practises."""
    static, adaptive = (token_accuracy(store, defence, options, knows=knows) for knows in (False, True))
    assert static < 0.8
    assert adaptive > static + 0.1


def test_a_token_without_a_vector_is_guessed_from_the_others_by_who_knows_of_the_mask(store: Store) -> None:
    """Half of the vectors are masked: about half of the words are read, some more by whoever practises on masked rows.

    Not nearly all: what a fake encoder tells of a word beside it is little.
    """
    static, adaptive = (token_accuracy(store, "masking", {"share": 0.5}, knows=knows) for knows in (False, True))
    assert 0.3 < static < 0.65
    assert static + 0.03 < adaptive < 0.85


@pytest.mark.parametrize("knows", [False, True], ids=["static", "adaptive"])
@pytest.mark.parametrize("to", ["int8", "binary"])
def test_few_bits_hide_nothing(store: Store, to: str, knows: bool) -> None:
    """Codes of eight bits, and signs alone, still name the words."""
    assert token_accuracy(store, "quantisation", {"to": to}, knows=knows) > 0.8


@pytest.mark.parametrize("knows", [False, True], ids=["static", "adaptive"])
def test_attacks_on_tokens_say_that_rows_are_pooled(store: Store, knows: bool) -> None:
    """They cannot be run, which is told before anything is."""
    with pytest.raises(InputError, match=r"attack 'parallel-decoder' (reads|would learn on) unpooled rows"):
        audited(store, "pooled-rows", None, knows=knows)
