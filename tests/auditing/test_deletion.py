"""Whether a deletion left a trace: from the secrets spec to the figures, on one model and on several."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.sample import attacking, file_of, specs_of

from divulge.auditing.deletion import deletion_power, deletion_problems, remaining_trace
from divulge.auditing.forecast import forecast
from divulge.auditing.naming import attack_named, corpus_of, target_named
from divulge.auditing.planning import plan
from divulge.data.canaries import draw_canaries
from divulge.data.cases import target_case
from divulge.data.secrets import SecretsFile, write_secrets
from divulge.errors import InputError
from divulge.records import SpecResult, Standing
from divulge.report.findings import finding
from divulge.runs import run_specs
from divulge.seeds import generator
from divulge.spec import SecretsSpec
from divulge.store import Store

LABEL = "secrets.label=plan_trip"  # a class of the data, which a deletion of canaries leaves
DELETED = (LABEL, "secrets.deleted=true", "secrets.count=8", "secrets.controls=8", "secrets.copies=3")


def figures(result: SpecResult) -> dict[str, float | None]:
    """The figures about a trace, by metric."""
    return {one.metric: one.value for one in result.measurements if one.arm == "attack" and "trace" in one.metric}


def run_one(store: Store, *settings: str) -> SpecResult:
    """Runs the only spec of a small audit of canaries."""
    results = run_specs(specs_of("canaries", *settings), store, workers=0)
    assert results.failures == ()
    return results.results[0]


def standings(exposures: list[float], name: str) -> dict[str, Standing]:
    """Standings of so many bits."""
    ids = [f"{name}{number}" for number in range(len(exposures))]
    pairs = zip(ids, exposures, strict=True)
    return {key: Standing(secret_id=key, rank=1, among=2, space=9, exposure=bits) for key, bits in pairs}


def test_a_trace_has_an_interval_a_baseline_and_a_p_value() -> None:
    """4 planted canaries above 4 controls: 1 of C(8, 4) = 70 exchanges is as good."""
    found, chance, p_value = remaining_trace(
        [(standings([5, 6, 7, 8], "p"), standings([1, 2, 3, 4], "c"))],
        seed=0,
    )
    assert (found.metric, found.value, found.n, found.arm) == ("trace", 1.0, 8, "attack")
    assert 0.5 < (found.low or 0) < (found.high or 0) == 1.0
    assert (chance.metric, chance.value, chance.low, chance.high, chance.arm) == ("trace", 0.5, 0.5, 0.5, "baseline")
    assert (p_value.metric, p_value.value, p_value.arm) == ("trace_p_value", pytest.approx(1 / 70), "attack")
    assert (p_value.low, p_value.high) == (None, None)


def test_without_standings_nothing_is_measured() -> None:
    """An attack that answered nothing leaves nothing to compare."""
    assert remaining_trace([({}, {})], seed=0) == []


def test_a_stand_in_that_knows_the_canaries_keeps_a_trace(store: Store) -> None:
    """And one that does not has none; without `deleted` nobody asks."""
    leaking = run_one(store, *DELETED)
    assert figures(leaking) == {"trace": 1.0, "trace_p_value": pytest.approx(1 / 12870)}  # C(16, 8)
    assert finding(leaking).kind == "leak"
    silent = run_one(store, *DELETED, "target.recipe.leaks=false")
    assert (figures(silent)["trace_p_value"] or 0) > 0.05
    assert finding(silent).kind == "none found"
    assert figures(run_one(store, *DELETED, "secrets.deleted=false")) == {}


def test_several_models_are_compared_each_by_itself(store: Store) -> None:
    """Three models of 2 + 2 can show what none of them can alone: 1 / C(4, 2)^3."""
    few = ("secrets.count=2", "secrets.controls=2")
    alone = run_one(store, *DELETED, *few)
    assert figures(alone) == {"trace": 1.0, "trace_p_value": None}
    assert finding(alone).kind == "inconclusive"
    together = run_one(store, *DELETED, *few, "run.models=3")
    assert figures(together) == {"trace": 1.0, "trace_p_value": pytest.approx(1 / 216)}
    assert finding(together).kind == "leak"


def test_the_question_makes_no_new_model() -> None:
    """The target and all that is trained stay; what is measured is another thing."""
    asked, not_asked = (
        plan(specs_of("canaries", *DELETED)),
        plan(specs_of("canaries", *DELETED, "secrets.deleted=false")),
    )
    trained = {task.key for task in asked.graph if task.kind in ("train-target", "probe")}
    assert trained <= {task.key for task in not_asked.graph}
    assert asked.planned[0].measure != not_asked.planned[0].measure


def test_an_audit_that_does_not_ask_is_spelt_as_ever() -> None:
    """Results that were kept before keep their keys."""
    assert "deleted" not in file_of("canaries").secrets.model_dump(mode="json")
    assert file_of("canaries", *DELETED).secrets.model_dump(mode="json")["deleted"] is True


@pytest.fixture
def planted(tmp_path: Path) -> SecretsFile:
    """A secrets file of 6 + 6 canaries, made for other data."""
    spec = SecretsSpec(pattern="my pin at <name*2> is {digit*2}", label="plan_trip", count=6, controls=6)
    inside, outside = draw_canaries(spec, generator(0, "test"), b"k" * 32, tagged=False)
    content = SecretsFile("of other data", b"k" * 32, inside, outside, spec=spec)
    write_secrets(tmp_path / "s.json", content)
    return content


@pytest.mark.usefixtures("planted")
def test_a_secrets_file_may_be_asked_of_the_data_after_deletion(store: Store, tmp_path: Path) -> None:
    """The data are no longer those that it was made for; without `deleted` it is refused."""
    file = f'secrets={{file="{tmp_path / "s.json"}", decoys=20'
    found = run_one(store, f"{file}, deleted=true}}")
    assert (figures(found)["trace_p_value"] or 0) > 0.05  # nobody planted them
    with pytest.raises(InputError, match="belongs to other data"):
        plan(specs_of("canaries", f"{file}}}"))


@pytest.mark.usefixtures("planted")
def test_shadows_of_an_adversary_are_made_from_such_a_file_too(tmp_path: Path) -> None:
    """They plant canaries like those of the file, whatever the data."""
    public = 'adversary.background={shadows=1, corpus={name="synthetic-utterances", options={size=50, seed=1}}}'
    planned = plan(specs_of("canaries", f'secrets={{file="{tmp_path / "s.json"}", deleted=true}}', public))
    assert "train-practice" in {task.kind for task in planned.graph}


def test_the_same_canaries_in_several_models_are_not_more_canaries(planted: SecretsFile, tmp_path: Path) -> None:
    """`check` counts those of a file once, those of a pattern for each model."""
    assert len(planted.secrets) == 6
    file = f'secrets={{file="{tmp_path / "s.json"}", deleted=true}}'
    (one,) = forecast(plan(specs_of("canaries", file, "run.models=2")), Store(tmp_path / "store")).specs
    assert any("6 planted canaries and 6 controls" in line for line in one.power)
    (one,) = forecast(plan(specs_of("canaries", *DELETED, "run.models=2")), Store(tmp_path / "store")).specs
    assert any("16 planted canaries and 16 controls" in line for line in one.power)


def test_what_cannot_tell_is_refused() -> None:
    """No controls, an attack without scores, a class that goes with the canaries: all told at once."""
    with pytest.raises(InputError) as caught:
        plan(
            specs_of(
                "canaries",
                "secrets.deleted=true",
                "secrets.controls=0",
                "secrets.label=Gone",
                attacking("Spender"),
            )
        )
    said = "\n".join(caught.value.problems)
    assert "there are none: set secrets.controls" in said
    assert "does not score them. Attacks that do:" in said
    assert "label-likelihood" in said
    assert "has the label Gone" in said


def test_only_canaries_are_deleted() -> None:
    """People and records have no controls of the same draw."""
    with pytest.raises(InputError, match="deleted is for canaries"):
        file_of("users", "secrets.deleted=true")


def test_a_finished_model_may_know_what_the_data_does_not() -> None:
    """Its labels are its own; and without a question there is no problem."""
    spec = file_of("canaries", "secrets.deleted=true", "secrets.label=Gone")
    case = target_case(spec.secrets, corpus_of(spec.data), 0)
    attack, target = attack_named("label-likelihood", {}), target_named("fake-classifier", {})
    assert len(deletion_problems(case, attack, target, ())) == 1
    finished = type("Finished", (type(target),), {"learns": False})({})
    assert deletion_problems(case, attack, finished, ()) == []
    assert deletion_problems(replace(case, deleted=False), None, target, ()) == []


@pytest.mark.parametrize(
    ("sizes", "said"),
    [
        ((3, 3), ["shows from 1.00 on", "is 0.05"]),  # 1 / C(6, 3)
        ((8, 8), ["shows from 0.77 on", "is 7.8e-05"]),  # 49 of 64 pairs; 1 / C(16, 8)
        ((2, 2), ["warning: 2 planted canaries and 2 controls cannot show a trace", "0.17"]),
    ],
)
def test_what_can_be_shown_is_said_before(sizes: tuple[int, int], said: list[str]) -> None:
    """With the smallest p-value; a warning where that is above 0.05."""
    count, controls = sizes
    spec = file_of("canaries", *DELETED, f"secrets.count={count}", f"secrets.controls={controls}")
    lines = "\n".join(deletion_power([target_case(spec.secrets, corpus_of(spec.data), 0)]))
    assert all(one in lines for one in said)
    plain = file_of("canaries")
    assert deletion_power([target_case(plain.secrets, corpus_of(plain.data), 0)]) == []


def test_a_file_that_others_may_read_is_refused_as_ever(planted: SecretsFile, tmp_path: Path) -> None:
    """What was deleted is secret still."""
    assert planted.controls
    (tmp_path / "s.json").chmod(0o644)
    with pytest.raises(InputError, match="others may read"):
        plan(specs_of("canaries", f'secrets={{file="{tmp_path / "s.json"}", deleted=true}}'))
