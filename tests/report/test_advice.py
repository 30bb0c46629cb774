"""What to do about it."""

import pytest
from tests.report.sample import arms, figure, run
from tests.report.whole_run import (
    BROKEN,
    canaries,
    deduplicated,
    leaking,
    made,
    of_records,
    of_rows,
    of_users,
    silent,
    with_epsilon,
)

from divulge.defences import DEFENCES
from divulge.records import SpecResult
from divulge.report.advice import advice
from divulge.report.grouping import audits
from divulge.spec import PartSpec, SecretsSpec


def told(*results: SpecResult) -> str:
    """All advice about the only audit."""
    (only,) = audits(run(*results))
    return "\n".join(f"{one.do} {one.why}" for one in advice(only)).replace("\N{NO-BREAK SPACE}", " ")


def test_secrets_that_come_out_of_weights() -> None:
    """Clean, deduplicate, train privately, guard the weights; and do not take canaries for a rate."""
    said = told(leaking())
    assert said.startswith("Take secrets out before training.")
    assert "These secrets stood there 10 times each" in said
    assert "differential privacy" in said
    assert "Guard the weights" in said
    assert "Do not read this as a rate of real leaks." in said
    assert "rounded scores" not in said


def test_advice_fits_the_secrets() -> None:
    """What was planted once needs no deduplication; what was found in the data is no worst case of planting."""
    assert "Deduplicate" not in told(leaking(secrets=canaries(copies=1)))
    assert "Do not read this as a rate" not in told(leaking(secrets=SecretsSpec(file="s.jsonl")))


@pytest.mark.parametrize(
    ("access", "said"),
    [
        ("LabelAccess", "The attack needed 5000 questions for each secret."),
        ("LabelLikelihoodAccess", "or rounded scores (defence rounding)"),
        ("GradientAccess", "Guard the weights"),
    ],
)
def test_advice_fits_the_access(access: str, said: str) -> None:
    """200 000 questions about 40 secrets are 5000 each."""
    assert said in told(leaking(access=(access,)))


def test_people_and_vectors_have_advice_of_their_own() -> None:
    """Membership is about persons, vectors are texts; neither is about repeated secrets."""
    people = told(of_users())
    assert "Limit what one person contributes." in people
    assert "output-limit" in people
    assert "right on 88 % of its training texts but on 31 % of new ones" in people
    vectors = told(
        of_rows().model_copy(update={"measurements": tuple(arms("exact", (0.8, 0.7, 0.9), 0.0, (0, 0, 0.1)))})
    )
    assert "Treat the vectors as the texts themselves." in vectors
    assert "knows_defence = true" in vectors
    assert "Deduplicate" not in people + vectors


def test_a_defence_that_helped_is_named_with_its_figures() -> None:
    """And what was tried is not advised again; a static adversary is no proof."""
    said = told(leaking(), silent(defences=deduplicated()))
    assert said.startswith("Consider deduplication (copies 1).")
    assert "from 95 % (83 to 99 %) to 0 % (0 to 9 %) by the figure “secrets guessed entirely right”" in said
    assert "Audit it again with knows_defence = true" in said
    assert "Deduplicate the training texts" not in said
    known = silent(defences=deduplicated(), adversary={"knows_defence": True})
    assert "Audit it again with knows_defence" not in told(leaking(), known)


def test_a_defence_that_did_not_help_is_named_too() -> None:
    """It still leaks, or is still open."""
    assert told(leaking(), leaking(defences=deduplicated())).startswith(
        "Do not rely on deduplication (copies 1) alone."
    )
    open_ = made(*arms("accuracy", (0.2, 0.05, 0.4), 0.0001, (0.0, 0.0, 0.09)), defences=deduplicated())
    assert told(leaking(), open_).startswith("Measure deduplication (copies 1) with more secrets.")


def test_none_found_is_not_safe() -> None:
    """What remains possible, the next access up, what else to try."""
    said = told(silent(access=("LabelLikelihoodAccess",)))
    assert said.startswith("Do not read this as “safe”. With n = 40, up to 9 % remain possible.")
    assert "Audit at GradientAccess next" in said
    assert "differential privacy" not in said
    assert "Audit at" not in told(silent())


def test_what_is_open_says_how_to_close_it() -> None:
    """Few secrets, no controls, overlapping intervals, a broken access."""
    few = told(made(*arms("accuracy", (1.0, 0.7, 1.0), 0.01, (0.0, 0.0, 0.3), n=9)))
    assert "Ask about 10 secrets or more" in few
    assert "secrets.controls" not in few
    assert "Set secrets.controls to 10 or more." in told(made(*arms("accuracy", (1.0, 0.9, 1.0), 0.01)))
    assert "Four times as many halve the interval" in told(of_rows())
    broken = told(leaking(handshake=(BROKEN,)))
    assert broken.startswith("Mend the access first.")
    assert "secrets" not in broken
    assert "the groups differ by themselves" in told(of_users(attack="blind", queries={}))


def test_without_an_attack_one_is_advised() -> None:
    """There is nothing else to say."""
    assert told(made(figure("test_accuracy", 0.8, 0.7, 0.9, arm="utility"), attack=None)).startswith("Name an attack")


def test_only_defences_that_exist_are_advised() -> None:
    """Their names are those of the registry."""
    vectors = of_rows().model_copy(update={"measurements": tuple(arms("exact", (0.8, 0.7, 0.9), 0.0, (0, 0, 0.1)))})
    said = " ".join(
        [told(leaking()), told(leaking(access=("LabelLikelihoodAccess",))), told(of_users()), told(vectors)]
    )
    named = [name for name in ("deduplication", "rounding", "output-limit", "rotation") if f"defence {name}" in said]
    assert len(named) == 4
    assert set(named) <= set(DEFENCES)
    turned = vectors.model_copy(update={"spec": {**vectors.spec, "defences": [PartSpec(name="rotation").model_dump()]}})
    assert "defence rotation" not in told(vectors, turned)


def test_a_refuted_claim_comes_before_all_else() -> None:
    """What the figures advise follows; a claim that stands needs no advice."""
    said = told(with_epsilon(3.0, 2.0))
    assert said.startswith("Withdraw the privacy claim until it is understood.")
    assert "Do not read this as “safe”." in said
    assert "Withdraw" not in told(with_epsilon(1.0, 2.0))


def test_texts_that_differ_must_be_drawn_anew() -> None:
    """Neither more secrets nor more controls would help."""
    said = told(of_records((0.84, 0.8, 0.88)))
    assert said.startswith("Draw members and non-members from the same texts.")
    assert "Ask about more secrets" not in said
