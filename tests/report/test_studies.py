"""A study for people."""

from divulge.report.studies import as_text, described, render, study_layout
from divulge.spec import StudyScale
from divulge.studies.rows import MissingCell, StudyRow, StudyTable
from divulge.studies.worlds import LADDER

MISSING = MissingCell(cell={"R": 1, "n": 4}, attack=None, seed=3, reason="worker [9] died")


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


def made(*rows: StudyRow, failures: tuple[MissingCell, ...] = ()) -> StudyTable:
    """A table of some rows."""
    return StudyTable(study="p/t", paper="p", scale="smoke", rows=rows, failures=failures, seconds=2.0, versions={})


def test_the_terminal_shows_figures_notes_and_what_is_missing() -> None:
    """Brackets are text, and each note stands below with its number."""
    text = as_text(made(row({"R": 1}, "why"), failures=(MISSING,)), 120)
    assert "p/t, scale smoke (2 s of work)" in text
    assert "0.25 [0.1, 0.4] n=10" in text
    assert "1. why" in text
    assert text.endswith("Missing:\n- R 1, n 4, probes, seed 3: worker [9] died")
    assert "Missing" not in as_text(made(row({"R": 1}, "why")), 120)


def test_markdown_shows_the_same() -> None:
    """A table without rows says so."""
    text = render(made(row({"R": 1}, "a|b")))
    assert text.startswith("## p/t, scale smoke (2 s of work)\n\n| R | attack |")
    assert "1. a\\|b" in text
    empty = render(made(failures=(MISSING,)))
    assert "Nothing was computed." in empty
    assert empty.endswith("Missing:\n\n- R 1, n 4, probes, seed 3: worker [9] died\n")


def test_a_study_is_described_scale_by_scale() -> None:
    """How many cells, which values, which attacks."""
    text = described(LADDER)
    assert text.startswith(f"worlds/ladder: {LADDER.title}")
    assert "scale quick: 12 cells, seeds 0, 1, 2, 3, 4" in text
    assert "  world: leaky, silent" in text
    assert "copy of discrete-search: soft-token" in text
    assert "published numbers: 0" in text
    scale = StudyScale(name="smoke", axes={"access": ["LabelAccess"]}, note="one rung")
    assert "  attacks: random\n  note: one rung" in described(LADDER.model_copy(update={"scales": (scale,)}))
