"""Static and adaptive adversaries are one switch: whether practice models carry the defence."""

from __future__ import annotations

import pytest

from divulge.parts import validate
from divulge.runs import run_specs
from divulge.spec import AuditFile
from divulge.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    return Store(tmp_path_factory.mktemp("adversaries") / "store")


def token_accuracy(store: Store, defence: str | None, *, knows: bool) -> float:
    file = {
        "target": {"kind": "fake-encoder"},
        "data": {"name": "synthetic-sentences", "options": {"size": 120}},
        "secrets": {"kind": "rows", "count": 60},
        "adversary": {
            "knows_defence": knows,
            "background": {"corpus": {"name": "synthetic-sentences", "options": {"size": 800, "seed": 1}}},
        },
        "attacks": [{"name": "parallel-decoder"}],
        "defences": [{"name": f"tests.contracts.mapping:{defence}"}] if defence else [],
    }
    results = run_specs(validate(AuditFile, file, "test").specs(), store, workers=0)
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
    assert token_accuracy(store, "PublicMapping", knows=False) < 0.1
    assert token_accuracy(store, "PublicMapping", knows=True) > 0.9


def test_knowing_a_defence_is_not_knowing_the_owners_secret(store: Store) -> None:
    """Practice models fit a mapping of their own: that does not undo the owner's."""
    assert token_accuracy(store, "SecretMapping", knows=True) < 0.1


def test_the_switch_without_a_defence_changes_no_task(store: Store) -> None:
    """An adversary who knows of no defence is the static one: nothing new is computed."""
    token_accuracy(store, None, knows=False)
    before = {entry.key for entry in store.entries() if entry.kind != "measure"}
    token_accuracy(store, None, knows=True)
    assert {entry.key for entry in store.entries() if entry.kind != "measure"} == before
