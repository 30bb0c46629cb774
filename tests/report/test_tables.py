"""Layouts, shown as Markdown and in a terminal."""

import io

import pytest
from rich.console import Console
from tests.report.sample import arms, figure, result, run
from tests.report.whole_run import with_epsilon

from divulge.report.tables import (
    Layout,
    as_markdown,
    as_rich,
    escaped,
    figure_text,
    measured_text,
    number_text,
    results_layout,
    study_layout,
)
from divulge.studies.rows import StudyRow, StudyTable


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.0, "0"), (0.9, "0.9"), (0.98333, "0.983"), (12.345, "12.3"), (1234.5, "1234"), (1e-10, "1e-10"), (None, "–")],
)
def test_numbers_have_three_digits(value: float | None, text: str) -> None:
    """Large ones are whole, missing ones a dash."""
    assert number_text(value) == text


def test_figures_come_with_interval_and_n() -> None:
    """A one-sided bound shows the missing end."""
    assert figure_text(0.93, 0.81, 0.98, 40) == "0.93 [0.81, 0.98] n=40"
    assert figure_text(0.93, None, None) == "0.93"
    assert figure_text(1.5, 0.5, None, 3) == "1.5 [0.5, –] n=3"
    assert figure_text(None, None, None, 3) == "–"


def test_only_chance_is_shown_without_interval() -> None:
    """A closed form has no doubt; a measured figure whose ends meet keeps its n."""
    assert measured_text(figure("rank", 1.0, 1.0, 1.0, 6, "baseline")) == "1"
    assert measured_text(figure("rank", 1.0, 1.0, 1.0, 6)) == "1 [1, 1] n=6"
    assert measured_text(None) == "–"


def row(cell: dict[str, object], note: str, **more: object) -> StudyRow:
    """A row of a study table."""
    fields = {"attack": "a", "arm": "attack", "metric": "hdt", "published": 0.5, "copy": None, "value": 0.25}
    fields |= {"low": 0.1, "high": 0.4, "n": 10, "verdict": "better"}
    return StudyRow.model_validate({**fields, "cell": cell, "note": note, **more})


def test_a_study_is_laid_out_with_its_axes_and_numbered_notes() -> None:
    """An axis that a row lacks is a dash; equal notes share a number."""
    rows = (
        row({"R": 1}, "first"),
        row({"R": 2, "seen": True}, "second", attack=None, copy=0.75),
        row({"R": None}, "first"),
    )
    table = StudyTable(study="p/t", paper="p", scale="quick", rows=rows, seconds=2.0, versions={})
    layout = study_layout(table)
    assert layout.columns[:2] == ("R", "seen")
    assert layout.rows[0] == ("1", "–", "a", "attack", "hdt", "0.5", "–", "0.25 [0.1, 0.4] n=10", "better", "1")
    assert layout.rows[1][:3] == ("2", "true", "–")
    assert layout.rows[1][6] == "0.75"
    assert [one[-1] for one in layout.rows] == ["1", "2", "1"]
    assert layout.rows[2][0] == "–"
    assert layout.notes == ("first", "second")
    assert layout.title == "p/t, scale quick (2 s of work)"


def test_results_are_laid_out_by_what_may_be_said() -> None:
    """The figure shown is one that leaks, where any does."""
    leak = result(*arms("hdt", (0.9, 0.85, 0.95), 0.9), *arms("success", (0.9, 0.8, 1.0), 0.01, (0.0, 0.0, 0.1)))
    layout = results_layout(run(leak, result(attack=None)))
    assert layout.rows[0] == (
        "leak",
        "soft-token",
        "fake-classifier",
        "–",
        "success",
        "0.9 [0.8, 1] n=40",
        "0.01",
        "0 [0, 0.1] n=40",
    )
    assert layout.rows[1][:4] == ("not attacked", "–", "fake-classifier", "–")


def test_markdown_has_one_line_for_each_row() -> None:
    """Bars and marks inside a cell do not break the table."""
    text = as_markdown(Layout(("a|b", "c"), (("1", "x\n<b>*y*"),), notes=("see `z`",)))
    assert text.splitlines() == ["| a\\|b | c |", "| --- | --- |", "| 1 | x \\<b\\>\\*y\\* |", "", "1. see \\`z\\`"]


def test_text_is_shown_as_it_is() -> None:
    """No links out of names; underscores inside words need no mark."""
    assert escaped("token_accuracy [x](y) \\") == "token_accuracy [x]\\(y) \\\\"


def test_the_terminal_shows_brackets_as_text() -> None:
    """An interval must not be taken for markup."""
    layout = Layout(("ours",), (("0.9 [0.8, 1]",), ("[bold]x[/bold]",)), "a [red]title", ("note [one]",))
    out = io.StringIO()
    Console(file=out, width=60).print(as_rich(layout))
    for text in ("0.9 [0.8, 1]", "[bold]x[/bold]", "a [red]title", "1. note [one]"):
        assert text in out.getvalue()


def test_the_headline_is_what_nearly_leaks_where_nothing_does() -> None:
    """A figure that lacks only its control comes before one that shows nothing."""
    made = result(*arms("hdt", (0.9, 0.85, 0.95), 0.9), *arms("accuracy", (0.9, 0.8, 1.0), 0.01))
    assert results_layout(run(made)).rows[0][:5] == ("inconclusive", "soft-token", "fake-classifier", "–", "accuracy")


def test_of_several_depths_the_first_that_leaks_is_shown_with_its_depth() -> None:
    """Success within ten guesses, not within a hundred, and it says so."""
    deep = [
        one.model_copy(update={"group": {"k": k}})
        for k in (100, 10)
        for one in arms("success", (0.7, 0.4 if k == 10 else 0.6, 0.9), 0.01, (0.0, 0.0, 0.1))  # the first is wide
    ]
    assert results_layout(run(result(*deep))).rows[0][4] == "success k=10"


def test_a_refuted_claim_is_the_figure_of_its_row() -> None:
    """A leak that no other figure shows; where one does, that one stands there."""
    (shown,) = results_layout(run(with_epsilon(3.21, 2.0))).rows
    assert shown[0] == "leak"
    assert shown[4:] == ("epsilon_lower_bound", "at least 3.21 n=1000", "claimed at most 2", "–")
    (plain,) = results_layout(run(with_epsilon(3.21))).rows
    assert plain[4] == "exposure"
