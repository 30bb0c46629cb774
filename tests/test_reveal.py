"""Secrets in plain words, for the owner alone."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.sample import specs_of

from divulge.auditing.planning import plan
from divulge.errors import ExecutionError
from divulge.records import Revealed, RunResults, Tokens
from divulge.reveal import reveal
from divulge.runs import run_specs
from divulge.store import Store


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """One store for all audits here."""
    return Store(tmp_path_factory.mktemp("revealed"))


def ran(store: Store, kind: str, *settings: str) -> tuple[RunResults, tuple[Revealed, ...]]:
    """Runs the only spec of a small audit and reveals it."""
    results = run_specs(specs_of(kind, *settings), store, workers=0)
    return results, reveal(results, store)[results.results[0].spec_hash]


@pytest.mark.parametrize("models", [1, 2])
def test_canaries_are_shown_with_the_first_guess(store: Store, models: int) -> None:
    """The planted ones are guessed by the leaky stand-in, the held-out ones are not; all as they were made."""
    results, found = ran(store, "canaries", f"run.models={models}")
    planted, held_out = ([one for one in found if one.arm == arm] for arm in ("attack", "control"))
    assert (len(planted), len(held_out)) == (6 * models, 5 * models)
    (planned,) = plan(specs_of("canaries", f"run.models={models}")).planned
    first = planned.members[0].case.secrets[0]
    assert isinstance(first.answer, Tokens)
    assert planted[0].secret_id.endswith(first.id)
    assert planted[0].answer == " ".join(first.answer.tokens)
    assert {one.secret_id for one in planted} == {one.secret_id for one in results.results[0].outcomes}
    assert planted[0].asked.startswith("my pin at ")
    assert planted[0].asked.endswith("is ____ ____")
    accuracy = next(one for one in results.results[0].measurements if (one.metric, one.arm) == ("accuracy", "attack"))
    assert sum(bool(one.right) for one in planted) == round((accuracy.value or 0) * accuracy.n)
    assert all((one.guess == one.answer) == one.right for one in found)


def test_people_are_neither_right_nor_wrong(store: Store) -> None:
    """A statistic is shown as it is, beside whether the person's texts were used."""
    _, found = ran(store, "users")
    assert {one.answer for one in found} == {"used", "not used"}
    assert all(one.right is None and (one.guess or "").startswith("statistic ") for one in found)
    assert all("3 texts, the first: " in one.asked for one in found)


def test_rows_are_shown_with_their_sentence(store: Store) -> None:
    """The sentence behind the row, and the one that was read off it."""
    _, found = ran(store, "rows")
    assert found[0].asked.startswith("row ")
    assert any(one.right for one in found if one.arm == "attack")
    assert not any(one.right for one in found if one.arm == "control")


def test_what_is_no_longer_in_the_store_cannot_be_shown(store: Store, tmp_path: Path) -> None:
    """It says so, and what to do."""
    results, _ = ran(store, "canaries")
    with pytest.raises(ExecutionError, match="not in the store any more"):
        reveal(results, Store(tmp_path))


def test_data_that_is_gone_is_told(store: Store) -> None:
    """The secrets cannot be made again without the texts."""
    results, _ = ran(store, "canaries")
    one = results.results[0]
    lost = one.model_copy(update={"spec": {**one.spec, "data": {**one.spec["data"], "name": "synthetic-nothing"}}})
    with pytest.raises(ExecutionError, match="cannot be made again"):
        reveal(RunResults(results=(lost,)), store)
