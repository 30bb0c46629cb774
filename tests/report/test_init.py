"""The registry of formats."""

import pytest
from tests.report.sample import run

from divulge.errors import InputError
from divulge.report import REPORTS, report_named


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_every_format_writes_a_run_without_results(name: str) -> None:
    """Even nothing has a report, and it ends with a line break."""
    assert report_named(name)(run()).endswith("\n")


def test_an_unknown_format_is_refused() -> None:
    """The message names the formats there are."""
    with pytest.raises(InputError, match=r"unknown report format 'pdf'.*Available: json, md"):
        report_named("pdf")
