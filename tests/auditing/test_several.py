"""One result from several models, against the same models one by one."""

from __future__ import annotations

import math

import pytest
from tests.auditing.sample import file_of, specs_of

from divulge.auditing.forecast import forecast
from divulge.auditing.planning import plan
from divulge.auditing.several import measure_models
from divulge.records import Artefact, SpecResult
from divulge.runs import run_specs
from divulge.spec import AuditFile
from divulge.store import Store


def run_one(store: Store, kind: str, *settings: str) -> SpecResult:
    """Runs the only spec of a small audit."""
    results = run_specs(specs_of(kind, *settings), store, workers=0)
    assert results.failures == ()
    return results.results[0]


def figure(result: SpecResult, metric: str, arm: str) -> float | None:
    """One figure of a result."""
    (found,) = (one.value for one in result.measurements if one.metric == metric and one.arm == arm and not one.group)
    return found


def test_secrets_of_all_models_are_pooled(store: Store) -> None:
    """Three models of six secrets and five controls: 18 and 15, and the mean of what each gave alone."""
    together = run_one(store, "canaries", "run.models=3", "run.seed=4")
    alone = [run_one(store, "canaries", f"run.seed={seed}") for seed in (4, 1_000_007, 2_000_010)]
    sizes = {one.arm: one.n for one in together.measurements if one.metric == "accuracy"}
    assert sizes == {"attack": 18, "control": 15, "baseline": 18}
    for arm in ("attack", "control"):
        values = [figure(one, "accuracy", arm) for one in alone]
        assert figure(together, "accuracy", arm) == pytest.approx(sum(v for v in values if v is not None) / 3)
    assert together.queries == {level: sum(one.queries[level] for one in alone) for level in alone[0].queries}
    assert len({one.secret_id for one in together.outcomes}) == 18
    assert together.spec["models"] == 3
    assert figure(together, "test_accuracy", "utility") == pytest.approx(
        sum(figure(one, "test_accuracy", "utility") or math.nan for one in alone) / 3
    )


def test_models_are_shared_with_audits_of_one(store: Store) -> None:
    """The first model is trained once, whether it is audited alone or among others."""
    pooled = plan(specs_of("canaries", "run.models=3", "run.seed=4"))
    single = plan(specs_of("canaries", "run.seed=4"))
    shared = {task.key for task in pooled.graph} & {task.key for task in single.graph}
    assert {pooled.graph[key].kind for key in shared} == {"train-target", "prepare", "attack", "probe"}


def test_each_model_has_a_seed_and_secrets_of_its_own() -> None:
    """The first seed is the one given, the others far from it; no two models share a canary."""
    (one,) = plan(specs_of("canaries", "run.models=3", "run.seed=4")).planned
    assert [member.spec.seed for member in one.members] == [4, 1_000_007, 2_000_010]
    ids = [secret.id for member in one.members for secret in member.case.secrets]
    assert len(set(ids)) == len(ids) == 18
    assert one.spec.hash != specs_of("canaries", "run.seed=4")[0].hash


def test_people_asked_about_twice_are_counted_once(store: Store) -> None:
    """Sixteen of thirty people for each of two models: n is the number of different ones."""
    result = run_one(store, "users", "run.models=2")
    (one,) = plan(specs_of("users", "run.models=2")).planned
    different = {secret.hint for member in one.members for secret in member.case.secrets}
    found = next(one for one in result.measurements if one.metric == "auc" and one.arm == "attack")
    assert found.n == len(different) < 32


def test_rows_of_several_models_are_read_too(store: Store) -> None:
    """The same rows under two seeds: the figure lies between those of the two alone, and n counts each row once."""
    together = run_one(store, "rows", "run.models=2")
    alone = sorted(
        figure(run_one(store, "rows", f"run.seed={seed}"), "token_accuracy", "attack") or 0 for seed in (0, 1)
    )
    assert alone[0] <= (figure(together, "token_accuracy", "attack") or 0) <= alone[1]
    (one,) = plan(specs_of("rows", "run.models=2")).planned
    rows = {secret.hint for member in one.members for secret in member.case.secrets}
    assert next(one.n for one in together.measurements if one.metric == "token_accuracy") == len(rows)


def test_the_forecast_counts_all_models(store: Store) -> None:
    """Three times the secrets, controls, queries and trainings of one."""
    one, three = (forecast(plan(specs_of("canaries", f"run.models={n}")), store) for n in (1, 3))
    assert (one.specs[0].models, three.specs[0].models) == (1, 3)
    assert (three.specs[0].secrets, three.specs[0].controls) == (18, 15)
    assert three.specs[0].queries == 3 * (one.specs[0].queries or 0)
    trained = {row.kind: row.tasks for row in three.tasks}
    assert (trained["train-target"], trained["attack"], trained["measure"]) == (3, 3, 1)


def test_audits_of_neighbouring_seeds_share_no_model() -> None:
    """Whoever repeats an audit with the next seed repeats all of it."""
    first, second = (plan(specs_of("canaries", "run.models=4", f"run.seed={seed}")) for seed in (0, 1))
    assert not {task.key for task in first.graph} & {task.key for task in second.graph}


def test_the_forecast_counts_people_once(store: Store) -> None:
    """Thirty people at most, however many models ask about them; what can be shown is told for one model."""
    one, five = (forecast(plan(specs_of("users", f"run.models={n}")), store).specs[0] for n in (1, 5))
    assert one.secrets == 16
    assert 16 < five.secrets <= 30
    assert one.power == five.power


def test_the_forecast_does_not_promise_what_secrets_of_one_model_cannot_show(store: Store) -> None:
    """Two models of six secrets may say no more than two secrets."""
    found = forecast(plan(specs_of("canaries", "run.models=2")), store).specs[0]
    assert found.power[0] == "2 models of 6 secrets each: if those of a model err together, n is 2"
    assert any("of 2 secrets" in line for line in found.power)


def test_utility_is_over_texts_not_over_models(store: Store) -> None:
    """Three models tried on the same texts are tried on no more of them."""
    together, alone = (run_one(store, "canaries", f"run.models={n}") for n in (3, 1))
    sizes = [
        next(one.n for one in result.measurements if one.metric == "test_accuracy") for result in (together, alone)
    ]
    assert sizes[0] == sizes[1]


def test_a_check_that_failed_on_one_model_has_failed() -> None:
    """It says on how many; one that could not be tried everywhere has not held."""

    def said(passed: bool | None) -> dict[str, Artefact]:
        check = {"access": "LabelAccess", "name": "above chance", "passed": passed, "detail": "accuracy 0.1"}
        return {"attack": Artefact(values={"handshake": [check], "attack": [], "queries": {"LabelAccess": 2}})}

    def joined(*passed: bool | None) -> dict[str, object]:
        found = measure_models(range(len(passed)), [None] * len(passed), [said(one) for one in passed])
        assert found.values["queries"] == {"LabelAccess": 2 * len(passed)}
        return found.values["handshake"][0]

    assert joined(True, False, True) == {
        "access": "LabelAccess",
        "name": "above chance",
        "passed": False,
        "detail": "on 1 of 3 models: accuracy 0.1",
    }
    assert joined(True, None)["passed"] is None
    assert joined(True, True)["passed"] is True


def test_an_audit_file_asks_for_models_under_run() -> None:
    """One model unless said otherwise."""
    assert file_of("canaries").run.models == 1
    assert [spec.models for spec in file_of("canaries", "run.models=7").specs()] == [7]
    assert AuditFile.model_fields["run"].default.models == 1
