"""The report for machines."""

from tests.report.sample import arms, result, run

from divulge.records import RunResults
from divulge.report.as_json import render


def test_the_results_are_written_as_they_are() -> None:
    """What is read back is what was written."""
    made = run(result(*arms("accuracy", (0.5, 0.4, 0.6), 0.1)))
    assert RunResults.model_validate_json(render(made)) == made
