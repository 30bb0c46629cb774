"""The registry of formats."""

import pytest
from tests.report.sample import run

from divulge.errors import InputError
from divulge.report import REPORTS, rendered, report_named


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_every_format_writes_a_run_without_results(name: str) -> None:
    """Even nothing has a report, and it ends with a line break."""
    assert report_named(name)(run()).endswith("\n")


def test_the_format_decides() -> None:
    """JSON begins with a brace, Markdown with a heading."""
    assert [rendered(run(), name)[0] for name in ("json", "md")] == ["{", "#"]


def test_an_unknown_format_is_refused() -> None:
    """The message names the formats there are."""
    with pytest.raises(InputError, match=r"unknown report format 'pdf'\..*Available: json, md"):
        report_named("pdf")
