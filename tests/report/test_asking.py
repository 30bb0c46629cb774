"""What was asked, in words."""

import pytest
from tests.report.sample import SECRET, result, run
from tests.report.whole_run import canaries, deduplicated, leaking, made, of_records, of_rows, of_users, with_epsilon

from divulge.records import SpecResult
from divulge.report.asking import asked, stand_in_words
from divulge.report.grouping import audits
from divulge.spec import BackgroundSpec, DataSpec, SecretsSpec, TargetSpec


def words(*results: SpecResult) -> dict[str, str]:
    """The terms of the only audit."""
    (only,) = audits(run(*results))
    return dict(asked(only))


def test_planted_secrets_are_described() -> None:
    """How many, how often, who looks for them, with which attacks against which defences."""
    told = words(leaking(), leaking("soft-token", defences=deduplicated()))
    assert told["Model"] == "tagger, on the data synthetic-utterances"
    assert told["Secrets"] == "40 made-up secrets, each planted 10 times into the training texts"
    assert told["Controls"] == "40 secrets of the same kind that the model never saw"
    assert "holds the model's weights" in told["Adversary"]
    assert told["Attacks"] == "discrete-search and soft-token"
    assert told["Defences tried"] == "deduplication (copies 1)"
    assert SECRET not in str(told)


@pytest.mark.parametrize(
    ("made_result", "term", "said"),
    [
        (leaking(secrets=canaries(copies=1, count=1)), "Secrets", "1 made-up secret, each planted once"),
        (leaking(secrets=canaries(supporting="all")), "Secrets", "planted elsewhere: one in every other class"),
        (leaking(secrets=canaries(supporting=25)), "Secrets", "planted elsewhere: 25 times in one other class"),
        (leaking(secrets=canaries(controls=0)), "Controls", "without controls no leak can be claimed"),
        (leaking(secrets=SecretsSpec(file="s.jsonl")), "Secrets", "those of a secrets file"),
        (leaking(secrets=SecretsSpec(file="s.jsonl")), "Controls", "those of the secrets file"),
        (of_users(), "Secrets", "40 people whose texts were used"),
        (of_users(), "Controls", "40 people known not to have been used"),
        (of_users(), "Known beforehand", "2 practice models with known secrets"),
        (of_records(), "Their task", "must tell for each whether the model was trained on it"),
        (of_records(), "Secrets", "000 texts that the model was trained on, among 1000 drawn like them and kept out"),
        (of_records(), "Controls", "000 texts kept out, half of them passed off as trained on"),
        (
            of_records(secrets=SecretsSpec(kind="records", held_out="test")),
            "Secrets",
            "10 texts that the model was trained on, among 10 of the split test",
        ),
        (with_epsilon(1.0), "Secrets", "a coin each decides whether it is planted"),
        (with_epsilon(1.0, copies=3), "Secrets", "whether it is planted, 3 times each"),
        (with_epsilon(1.0), "Controls", "those of them that the coin kept out"),
        (of_rows(), "Secrets", "30 leaked rows"),
        (of_rows(), "Controls", "the sentences of other rows"),
        (leaking(adversary={"max_queries": 500}), "Questions allowed", "500 examples"),
        (leaking(), "Known beforehand", "nothing but the task"),
        (made(attack=None), "Attacks", "none"),
    ],
)
def test_every_kind_of_question_has_its_words(made_result: SpecResult, term: str, said: str) -> None:
    """Each term says what the spec says."""
    assert said in words(made_result)[term]


def test_background_is_listed() -> None:
    """Public texts, practice models with and without secrets."""
    behind = BackgroundSpec(corpus=DataSpec(path="public.csv"), references=1, shadows=3)
    told = words(leaking(adversary={"background": behind}))["Known beforehand"]
    assert told == (
        "public texts (public.csv), 3 practice models with known secrets and 1 practice model without secrets"
    )


def test_models_of_the_adversary_are_told() -> None:
    """Finished ones, of which kind they are, and what is known to be out."""
    behind = BackgroundSpec(paths=("a", "b"), controls=5, target=TargetSpec(kind="classifier"))
    told = words(leaking(adversary={"background": behind}))["Known beforehand"]
    assert told == (
        "2 finished models of their own and 5 known never to have been used (practice models of the kind classifier)"
    )


def test_a_privacy_claim_is_told_as_one() -> None:
    """Only where there is one."""
    assert "Privacy claimed" not in words(leaking())
    one = leaking()
    for delta, said in ((1e-5, "epsilon 8 at delta 1e-05, by the owner's"), (None, "epsilon 8, by the owner's")):
        spec = {**one.spec, "target": {**one.spec["target"], "epsilon": 8.0, "delta": delta}}
        assert words(one.model_copy(update={"spec": spec}))["Privacy claimed"].startswith(said)


def test_several_models_are_told() -> None:
    """Only where there are several."""
    assert "Models" not in words(leaking())
    one = leaking()
    assert words(one.model_copy(update={"spec": {**one.spec, "models": 3}}))["Models"].startswith("3, trained alike")


def test_a_stand_in_is_called_one() -> None:
    """What a fake target shows is about Divulge."""
    (fake,), (real,) = audits(run(result())), audits(run(leaking()))
    assert "says nothing about any real model" in stand_in_words(fake)
    assert stand_in_words(real) == ""
