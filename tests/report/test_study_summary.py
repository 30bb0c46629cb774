"""A study in a few lines."""

from __future__ import annotations

from tests.report.study_sample import row, study, table, whole

from divulge.report.study_summary import by_cell, shown_metrics, summary
from divulge.studies.rows import StudyTable

CELLS = [{"canary": "pin", "R": 1, "vectors": "random"}, {"canary": "pin", "R": 10, "vectors": "random"}]


def lines(kept: StudyTable) -> str:
    return "\n".join(summary(study(), kept))


def test_the_summary_counts_cells_and_averages() -> None:
    """Ours has 0.5 and 0.4 against 0.6 and 0.45: better than theirs twice, than other once, than no print."""
    text = lines(whole(CELLS))
    assert "hdt: ours 0.45, theirs 0.6, other 0.45 on average; ours at least as good in 2, 1 of 2 cells." in text
    assert "hdt: ours at least as good as the print in 0 of 1 cells with one." in text
    assert "random 0.9 on average" not in text


def test_attacks_that_were_measured_in_other_cells_have_a_line_of_their_own() -> None:
    """Ours is averaged over the cells of whom it stands beside: 0.45 of both, 0.5 of the first."""
    kept = whole(CELLS)
    rows = [one for one in kept.rows if one.attack != "other" or one.cell != CELLS[1]]
    text = lines(kept.model_copy(update={"rows": tuple(rows)}))
    assert "hdt: ours 0.45, theirs 0.6 on average; ours at least as good in 2 of 2 cells." in text
    assert "hdt: ours 0.5, other" in text


def test_vectors_are_not_averaged_over() -> None:
    """Each kind has its own lines."""
    cells = [{"R": 1, "vectors": "random"}, {"R": 1, "vectors": "glove"}]
    text = lines(whole(cells))
    assert (
        "hdt, vectors random: ours 0.5, theirs 0.6, other 0.45 on average; ours at least as good in 1, 0 of 1" in text
    )
    assert "hdt, vectors glove: ours 0.4, theirs" in text


def test_higher_accuracy_is_better() -> None:
    """Unlike HDT."""
    rows = [row({"R": 1}, name, value, "accuracy") for name, value in (("theirs", 0.2), ("ours", 0.4))]
    assert "ours at least as good in 1 of 1 cells" in lines(table(*rows))
    rows = [row({"R": 1}, name, value, "accuracy") for name, value in (("theirs", 0.4), ("ours", 0.2))]
    assert "ours at least as good in 0 of 1 cells" in lines(table(*rows))


def test_a_page_has_room_for_some_metrics() -> None:
    """In their own order; where people are told from others, AUC stands for all."""
    named = ("exact", "count", "spread", "accuracy")
    assert shown_metrics([row({"R": 1}, "ours", 0.2, name) for name in named]) == ["accuracy", "count", "exact"]
    assert shown_metrics([row({"R": 1}, "ours", 0.2, name) for name in ("accuracy", "auc")]) == ["auc"]


def test_rows_are_found_by_cell_metric_and_attack() -> None:
    """Controls and baselines are no figures of an attack."""
    shown = row({"R": 1}, "ours", 0.2)
    found = by_cell([shown, row({"R": 1}, "ours", 0.9, arm="control"), row({"R": 1}, "ours", 0.8, arm="baseline")])
    assert found == {('{"R":1}', "hdt", "ours"): shown}
