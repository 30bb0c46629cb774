"""The report for machines."""

from tests.report.sample import arms, result, run
from tests.report.whole_run import leaking, revealed_of

from divulge.records import RunResults
from divulge.report.as_json import render


def test_the_results_are_written_as_they_are() -> None:
    """What is read back is what was written."""
    made = run(result(*arms("accuracy", (0.5, 0.4, 0.6), 0.1)))
    assert RunResults.model_validate_json(render(made)) == made


def test_secrets_are_never_among_them() -> None:
    """Whatever is revealed to people."""
    made = leaking()
    assert render(run(made), revealed_of(made)) == render(run(made))
