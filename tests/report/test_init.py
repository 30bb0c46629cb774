"""The registry of formats."""

import pytest
from tests.report.sample import run
from tests.report.whole_run import leaking, revealed_of

from divulge.errors import InputError
from divulge.gate.judgements import Judged, Judgement
from divulge.report import JUDGED, REPORTS, rendered, report_named


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_every_format_writes_a_run_without_results(name: str) -> None:
    """Even nothing has a report, and it ends with a line break."""
    assert report_named(name)(run()).endswith("\n")


def test_the_format_decides() -> None:
    """JSON begins with a brace, Markdown with a heading."""
    assert [rendered(run(), name)[0] for name in ("json", "md")] == ["{", "#"]


def test_an_unknown_format_is_refused() -> None:
    """The message names the formats there are."""
    with pytest.raises(
        InputError, match=r"unknown report format 'pdf'\..*Available: card, html, json, junit, md, sarif"
    ):
        report_named("pdf")


@pytest.mark.parametrize(
    ("name", "times"), [("html", 1), ("md", 1), ("json", 0), ("card", 0), ("junit", 0), ("sarif", 0)]
)
def test_what_is_revealed_is_passed_on(name: str, times: int) -> None:
    """To what people read; and only if it is given."""
    made = leaking()
    assert rendered(run(made), name, revealed=revealed_of(made)).count("a-2") == times
    assert "a-2" not in rendered(run(made), name)


@pytest.mark.parametrize("name", sorted(REPORTS))
def test_a_judgement_is_shown_or_refused(name: str) -> None:
    """Never left out in silence."""
    judged = Judged(judgements=(Judgement(required="below the sea", verdict="exceeded", reason="it is not"),))
    if name in JUDGED:
        assert "below the sea" in rendered(run(leaking()), name, judged=judged)
    else:
        with pytest.raises(InputError, match="shows no policy. Those that do: card, junit, sarif"):
            rendered(run(leaking()), name, judged=judged)
