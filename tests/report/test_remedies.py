"""What helps against a leak."""

from tests.report.sample import run
from tests.report.whole_run import leaking, of_records, of_users

from divulge.records import SpecResult
from divulge.report.grouping import audits
from divulge.report.remedies import against_leak
from divulge.spec import PartSpec, SecretsSpec


def told(*results: SpecResult) -> str:
    """All that helps against the only audit."""
    (only,) = audits(run(*results))
    return "\n".join(f"{one.do} {one.why}" for one in against_leak(only))


def test_records_have_remedies_of_their_own() -> None:
    """The list of records first; people are no records."""
    assert told(of_records()).startswith("Look at the records most at risk first.")
    assert "target.epsilon" in told(of_records())
    assert "records most at risk" not in told(of_users())


def test_secrets_of_a_file_may_be_real() -> None:
    """Then it is not enough to train anew; canaries of a pattern are made up."""
    assert "act on them now" in told(leaking(secrets=SecretsSpec(file="s.jsonl")))
    assert "act on them now" not in told(leaking())


def test_a_defence_that_was_tried_is_not_advised_again() -> None:
    """At the access where it would act."""
    scores = ("LabelLikelihoodAccess",)
    rounded = leaking(access=scores, defences=(PartSpec(name="rounding"),))
    assert "defence rounding" in told(leaking(access=scores))
    assert "defence rounding" not in told(leaking(access=scores), rounded)
