"""How grave a finding is."""

import pytest
from tests.report.sample import arms
from tests.report.whole_run import leaking, made, of_records, of_rows, of_users, silent, with_epsilon

from divulge.records import SpecResult
from divulge.report.findings import finding
from divulge.report.severity import SEVERITIES, SEVERITY_WORDS, Severity, rung_of, severity


def graded(result: SpecResult) -> Severity:
    """The severity of a result's finding, at the levels that it asked."""
    return severity(finding(result), result.spec["secrets"]["kind"], tuple(result.queries))


@pytest.mark.parametrize(
    ("access", "secrets", "people"),
    [
        ("LabelAccess", "critical", "high"),
        ("RankedTokensAccess", "critical", "high"),
        ("LabelLikelihoodAccess", "high", "medium"),
        ("TokenLikelihoodAccess", "high", "medium"),
        ("GradientAccess", "medium", "low"),
        ("MyOwnAccess", "high", "medium"),
    ],
)
def test_less_access_and_more_gain_are_graver(access: str, secrets: str, people: str) -> None:
    """To read a secret is worth more than to learn who was in; a black box is graver than weights."""
    assert graded(leaking(access=(access,))) == secrets
    assert graded(of_users(access=(access,))) == graded(of_records(access=(access,))) == people


def test_narrowing_down_is_one_step_less() -> None:
    """A secret that is easier to guess has not been read out yet."""
    narrowed = arms("exposure", (9.0, 8.0, 9.9), 1.4, (1.4, 0.9, 2.0))
    assert graded(made(*narrowed, access=("LabelAccess",))) == "high"
    found = arms("accuracy", (0.9, 0.8, 1.0), 0.01, (0.0, 0.0, 0.1))
    assert graded(made(*narrowed, *found, access=("LabelAccess",))) == "critical"
    many = arms("success", (0.47, 0.4, 0.54), 0.35, (0.33, 0.27, 0.39))  # of so many guesses that a third is luck
    few = arms("success", (0.47, 0.4, 0.54), 0.01, (0.01, 0.0, 0.03))
    assert graded(made(*many, access=("LabelAccess",))) == "high"
    assert graded(made(*few, access=("LabelAccess",))) == "critical"


def test_vectors_that_give_their_texts_away_are_high() -> None:
    """Whoever hosts them has them."""
    vectors = of_rows().model_copy(update={"measurements": tuple(arms("exact", (0.8, 0.7, 0.9), 0.0, (0, 0, 0.1)))})
    assert graded(vectors) == "high"


def test_what_is_no_leak_is_none_or_unclear() -> None:
    """An open question is unclear, also where nobody attacked; a refuted claim is critical whatever else is found."""
    assert graded(silent()) == "none"
    assert graded(of_rows()) == "unclear"
    assert graded(made(attack=None)) == "unclear"
    assert graded(with_epsilon(3.0, 2.0)) == "critical"
    assert graded(with_epsilon(3.0)) == "none"


def test_every_severity_has_words() -> None:
    """In the order of the report; levels are those of the strongest asked."""
    assert tuple(SEVERITY_WORDS) == SEVERITIES
    assert rung_of(("LabelAccess", "GradientAccess")) == 2
    assert rung_of(()) == 1
