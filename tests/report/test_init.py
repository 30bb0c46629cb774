"""The registry of formats."""

import pytest
from tests.report.sample import run
from tests.report.whole_run import leaking, revealed_of

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
    with pytest.raises(InputError, match=r"unknown report format 'pdf'\..*Available: html, json, md"):
        report_named("pdf")


@pytest.mark.parametrize(("name", "times"), [("html", 1), ("md", 1), ("json", 0)])
def test_what_is_revealed_is_passed_on(name: str, times: int) -> None:
    """To what people read; and only if it is given."""
    made = leaking()
    assert rendered(run(made), name, revealed=revealed_of(made)).count("a-2") == times
    assert "a-2" not in rendered(run(made), name)
