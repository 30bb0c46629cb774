"""A table as marks to be drawn."""

from __future__ import annotations

import pytest
from tests.report.study_sample import row, study, table, whole

from divulge.errors import InputError
from divulge.report.study_series import attacks_of, ours_of, study_plot, varying

BY_R = [
    {"canary": canary, "n": n, "R": count, "data": "snips"}
    for canary, n in (("pin", 4), ("call", 10))
    for count in (100, 10, 1)
]
BY_DATA = [
    {"canary": canary, "R": count, "data": data}
    for canary in ("pin", "call")
    for count in (1, 10)
    for data in ("snips", "atis")
]


def test_ours_comes_first_then_the_copy() -> None:
    """The attack that the study compares, what it is compared with, and the others as they come."""
    rows = whole(BY_R[:1]).rows
    assert attacks_of(study(), rows) == ["ours", "theirs", "other", "random"]
    assert ours_of(study(), ["theirs", "other"]) == "other"
    assert ours_of(study(copy_of={}), ["a", "b"]) == "a"
    assert ours_of(study(), []) is None


def test_what_is_printed_of_the_copy_is_drawn_whichever_attack_comes_first() -> None:
    """A weak baseline's printed number beside ours would flatter us."""
    rows = [row({"R": 1}, "other", 0.1, published=0.9), row({"R": 1}, "theirs", 0.2, published=0.3)]
    rows.append(row({"R": 1}, "ours", 0.4))
    assert study_plot(study(), table(*rows)).panels[0].places[0].published == 0.3


def test_axes_that_vary_tell_cells_apart() -> None:
    """In the order of the rows; what all share is left out."""
    assert varying(whole(BY_R).rows) == {"canary": ["pin", "call"], "n": [4, 10], "R": [100, 10, 1]}


def test_a_table_is_drawn_as_dots() -> None:
    """One panel for each value of the first axis and of what follows from it; one place for each cell."""
    plot = study_plot(study(), whole(BY_R))
    assert (plot.kind, plot.metric, plot.across, plot.copied) == ("dots", "hdt", None, "theirs")
    assert plot.attacks == ("ours", "theirs", "other")
    assert [panel.title for panel in plot.panels] == ["pin, n 4", "call, n 10"]
    assert [place.label for place in plot.panels[0].places] == ["R 100", "R 10", "R 1"]
    first = plot.panels[0].places[0]
    assert [(mark.attack, mark.value, mark.low, mark.high) for mark in first.marks] == [
        ("ours", 0.5, 0.4, 0.6),
        ("theirs", 0.6, 0.5, 0.7),
        ("other", 0.45, 0.35, 0.55),
    ]
    assert (first.published, first.chance) == (0.3, 0.9)
    assert plot.panels[0].places[1].published is None


def test_a_figure_is_drawn_as_lines_over_its_numbers() -> None:
    """In order of the numbers, one panel for each other setting."""
    plot = study_plot(study("p/figure2"), whole(BY_R, "p/figure2"))
    assert (plot.kind, plot.across) == ("lines", "R")
    assert [panel.title for panel in plot.panels] == ["pin, n 4", "call, n 10"]
    assert [place.across for place in plot.panels[1].places] == [1.0, 10.0, 100.0]
    # the sixth cell is the last: 0.5 - 5 x 0.1
    assert plot.panels[1].places[0].marks[0].value == 0.0


def test_data_sets_are_compared_by_bars() -> None:
    """What is compared stands together, whatever the order of the rows."""
    plot = study_plot(study("p/figure3"), whole(BY_DATA, "p/figure3"))
    assert plot.kind == "bars"
    assert [(panel.title, [place.label for place in panel.places]) for panel in plot.panels] == [
        ("pin", ["R 1, snips", "R 10, snips", "R 1, atis", "R 10, atis"]),
        ("call", ["R 1, snips", "R 10, snips", "R 1, atis", "R 10, atis"]),
    ]


def test_a_metric_is_chosen_or_refused() -> None:
    """AUC or HDT unless told otherwise; what the table has not is said."""
    both = table(row({"R": 1}, "ours", 0.4, "accuracy"), row({"R": 1}, "ours", 0.2))
    assert study_plot(study(), both).metric == "hdt"
    people = table(row({"R": 1}, "ours", 0.4, "accuracy"), row({"R": 1}, "ours", 0.9, "auc"))
    assert study_plot(study(), people).metric == "auc"
    deleted = table(row({"R": 1}, "ours", 0.4, "success"), row({"R": 1}, "ours", 0.9, "trace"))
    assert study_plot(study(), deleted).metric == "trace"
    assert study_plot(study(), table(row({"R": 1}, "ours", 0.4, "accuracy"))).metric == "accuracy"
    assert study_plot(study(), both, "accuracy").panels[0].places[0].marks[0].value == 0.4
    with pytest.raises(InputError, match="no figure of metric 'rank'"):
        study_plot(study(), both, "rank")
    with pytest.raises(InputError, match="no figure of any attack"):
        study_plot(study(), table())


def test_what_has_no_value_is_not_drawn() -> None:
    """A printed number without a figure of ours makes no mark."""
    plot = study_plot(study(), table(row({"R": 1}, "ours", None, published=0.5), row({"R": 1}, "theirs", 0.2)))
    assert plot.attacks == ("theirs",)
