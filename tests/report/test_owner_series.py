"""What probes found, as marks to be drawn."""

from __future__ import annotations

import pytest
from tests.report.study_sample import row, study, table, whole

from divulge.report.owner_series import owners_metrics, owners_plot
from divulge.report.study_series import study_plot
from divulge.report.study_svg import as_svg
from divulge.studies.rows import StudyTable

BINS = ("-inf..-12", "-12..-11", "-11..-10")


def histograms() -> StudyTable:
    """Two kinds of words of two models, seen and unseen, in three bins."""
    cells = [
        {"model": model, "words": words, "seen": seen, "bin": name}
        for model in ("lstm", "gru")
        for seen in (True, False)
        for words in ("frequent", "rare")
        for name in BINS
    ]
    rows = [row(cell, None, 0.2 + number / 100, "density", "utility") for number, cell in enumerate(cells)]
    return table(*rows, name="p/figure5")


def test_histograms_are_lines_over_bins() -> None:
    """In the order of the bins; seen and unseen side by side; a panel for each model and kind of words."""
    plot = study_plot(study("p/figure5"), histograms())
    assert (plot.kind, plot.metric, plot.across, plot.copied) == ("lines", "density", "bin", None)
    assert plot.attacks == ("seen", "unseen")
    assert [panel.title for panel in plot.panels] == ["lstm, frequent", "lstm, rare", "gru, frequent", "gru, rare"]
    assert [place.label for place in plot.panels[1].places] == list(BINS)
    # Of the first model's rare words: seen are rows 3 to 5, unseen 9 to 11.
    marks = plot.panels[1].places[2].marks
    assert [(mark.attack, mark.value, mark.low) for mark in marks] == [("seen", 0.25, 0.15), ("unseen", 0.31, 0.21)]
    assert {place.across for panel in plot.panels for place in panel.places} == {None}


def test_numbers_go_by_size_and_none_is_one_of_them() -> None:
    """Shares of units, with zero among them; words are the series where nothing is seen or unseen."""
    cells = [{"words": words, "ablated": share} for share in (0.5, 0.0, 0.1) for words in ("frequent", "rare")]
    made = table(*(row(cell, None, 0.4, "train_accuracy", "utility") for cell in cells), name="p/figure7")
    plot = study_plot(study("p/figure7"), made)
    assert plot.attacks == ("frequent words", "rare words")
    assert [place.label for place in plot.panels[0].places] == ["ablated 0.0", "ablated 0.1", "ablated 0.5"]
    drawn = as_svg(plot)
    assert drawn.count("<polyline") == 2
    assert "frequent words" in drawn


def test_a_table_of_probes_is_drawn_as_dots() -> None:
    """One panel, a place for each cell, what was published beside it."""
    cells = [{"data": data} for data in ("blogs", "films", "talks")]
    made = table(*(row(cell, None, 0.4, "test_accuracy", "utility", published=0.5) for cell in cells))
    plot = study_plot(study(), made)
    assert (plot.kind, plot.across, plot.attacks) == ("dots", None, ("test_accuracy",))
    assert [[place.label for place in panel.places] for panel in plot.panels] == [["blogs", "films", "talks"]]
    assert plot.panels[0].places[0].published == 0.5


def test_attacks_come_first_and_a_probe_on_request() -> None:
    """A table of both is drawn by its attacks, unless a metric is asked for that only probes have."""
    both = whole([{"R": count} for count in (1, 10, 100)])
    assert owners_metrics(both) == ["intent_accuracy"]
    assert study_plot(study(), both).metric == "hdt"
    plot = study_plot(study(), both, "intent_accuracy")
    assert (plot.metric, plot.attacks) == ("intent_accuracy", ("intent_accuracy",))
    assert [place.marks[0].value for place in plot.panels[0].places] == [0.97] * 3


def test_what_has_no_value_is_not_drawn() -> None:
    """Nor named among the metrics."""
    made = table(row({}, None, None, "log_probability", "utility"), row({}, None, 3.0, "word_rank", "probe"))
    assert owners_metrics(made) == ["word_rank"]
    assert owners_plot(made, "word_rank", lines=True).panels[0].places[0].marks[0].value == pytest.approx(3.0)
