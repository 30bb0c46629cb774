"""Which results belong together, and the verdict."""

import pytest
from tests.report.sample import SECRET, run
from tests.report.whole_run import (
    canaries,
    deduplicated,
    leaking,
    made,
    of_rows,
    of_users,
    silent,
    whole_run,
    with_epsilon,
)

from divulge.canonical import freeze
from divulge.records import Failure, SpecResult
from divulge.report.grouping import audits, identity, verdict

NO_PROOF = "which does not show that there is none"


def with_seed(result: SpecResult, seed: int) -> SpecResult:
    """The same result of another seed."""
    return result.model_copy(update={"spec": freeze({**result.spec, "seed": seed})})


def test_attacks_and_defences_share_an_audit() -> None:
    """The undefended come first, each setting in the order of the run."""
    first, *others = audits(whole_run())
    assert [one.label for one in first.settings] == ["no defence", "deduplication (copies 1)"]
    assert [[entry.attack for entry in one.entries] for one in first.settings] == [
        ["soft-token", "discrete-search"]
    ] * 2
    assert [one.target for one in others] == ["classifier", "next-word", "sentence-vectors", "broken", "probed"]
    assert [one.number for one in audits(whole_run())] == [1, 2, 3, 4, 5, 6]


@pytest.mark.parametrize(
    "other",
    [
        leaking(target="other"),
        leaking(access=("LabelAccess",)),
        leaking(secrets=canaries(copies=1)),
        leaking(adversary={"max_queries": 5}),
    ],
)
def test_another_model_adversary_or_secret_is_another_audit(other: SpecResult) -> None:
    """Their figures answer another question."""
    assert len(audits(run(leaking(), other))) == 2


def test_what_the_adversary_knows_of_a_defence_is_a_setting() -> None:
    """The static and the adaptive adversary stand side by side."""
    known = leaking(defences=deduplicated(), adversary={"knows_defence": True})
    (only,) = audits(run(known, leaking(defences=deduplicated()), leaking()))
    assert [one.label for one in only.settings] == [
        "no defence",
        "deduplication (copies 1), known to the adversary",
        "deduplication (copies 1)",
    ]


def test_seeds_are_told_apart_where_there_are_several() -> None:
    """Each is a model of its own."""
    (only,) = audits(run(with_seed(leaking(), 1), with_seed(leaking(), 2)))
    assert [one.label for one in only.settings] == ["no defence, seed 1", "no defence, seed 2"]


def test_audits_that_ask_the_same_say_what_differs() -> None:
    """By settings that hold no words of secrets."""
    found = audits(run(leaking(), leaking(secrets=canaries(copies=1, pattern=f"{SECRET} {{place}}")), of_users()))
    assert [one.distinction for one in found] == ["copies 10", "copies 1", ""]


@pytest.mark.parametrize(
    ("results", "failed", "words"),
    [
        ([], 0, "Nothing was audited"),
        ([], 2, "No result: 2 parts of the run failed"),
        ([leaking()], 0, "The audit found a leak"),
        ([silent()], 0, f"The audit found no leak, {NO_PROOF}"),
        ([of_rows()], 1, "The audit is inconclusive; 1 part of the run failed"),
        ([made(attack=None)], 0, "The model was measured, but not attacked"),
        ([with_epsilon(3.0, 2.0)], 0, "Its privacy claim is refuted; the audit found a leak"),
        ([with_epsilon(3.0, 2.0), silent()], 0, "A privacy claim is refuted; 1 of 2 audits found a leak"),
        (
            [with_epsilon(3.0, 2.0), with_epsilon(3.0, 2.0, target="b")],
            0,
            "2 privacy claims are refuted; 2 of 2 audits found a leak",
        ),
        ([leaking(), silent(target="b")], 0, "1 of 2 audits found a leak"),
        ([silent(), silent(target="b")], 0, f"None of the 2 audits found a leak, {NO_PROOF}"),
        ([leaking(), of_rows(), leaking(target="b")], 0, "2 of 3 audits found a leak; 1 is inconclusive"),
    ],
)
def test_the_verdict_is_one_sentence(results: list[SpecResult], failed: int, words: str) -> None:
    """What failed is part of it."""
    failures = tuple(Failure(spec_hash=str(number), reason="died") for number in range(failed))
    assert verdict(run(*results, failures=failures)) == words


def test_without_access_results_at_other_levels_are_the_same() -> None:
    """But not those with another budget or target."""
    weights, scores = leaking(), leaking(access=("LabelAccess",))
    assert identity(weights) != identity(scores)
    assert identity(weights, access=False) == identity(scores, access=False)
    others = [leaking(target="other"), leaking(adversary={"max_queries": 5})]
    assert all(identity(weights, access=False) != identity(other, access=False) for other in others)
