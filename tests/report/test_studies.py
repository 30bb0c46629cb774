"""A study in the terminal."""

from divulge.report.studies import as_text, check_words, described
from divulge.spec import Published, StudyScale
from divulge.studies.rows import MissingCell, StudyRow, StudyTable, TableCheck
from divulge.studies.worlds import LADDER


def made(*failures: MissingCell) -> StudyTable:
    """A table of one row."""
    line = {"cell": {"R": 1}, "attack": "a", "arm": "attack", "metric": "hdt", "published": 0.5, "copy": None}
    line |= {"value": 0.25, "low": 0.1, "high": 0.4, "n": 10, "verdict": "better", "note": "why"}
    row = StudyRow.model_validate(line)
    return StudyTable(study="p/t", paper="p", scale="smoke", rows=(row,), failures=failures, seconds=2.0, versions={})


def test_the_terminal_shows_figures_notes_and_what_is_missing() -> None:
    """Brackets are text, and each note stands below with its number."""
    missing = MissingCell(cell={"R": 1, "n": 4}, attack=None, seed=3, reason="worker [9] died")
    text = as_text(made(missing), 120)
    assert "p/t, scale smoke (2 s of work)" in text
    assert "0.25 [0.1, 0.4] n=10" in text
    assert "1. why" in text
    assert "\nCost: 2 core-seconds\n" in text
    assert text.endswith("Missing:\n- R 1, n 4, probes, seed 3: worker [9] died")
    assert "Missing" not in as_text(made(), 120)


def test_a_study_is_described_scale_by_scale() -> None:
    """Which values, which seeds, what it is compared with."""
    text = described(LADDER)
    assert text.startswith(f"worlds/ladder: {LADDER.title}")
    assert "scale quick: seeds 0, 1, 2, 3, 4" in text
    assert "  world: leaky, silent" in text
    assert "discrete-search is compared with soft-token, a faithful copy" in text
    assert "published numbers: 0" in text


def test_what_a_scale_changes_is_described() -> None:
    """Values, combinations and notes of its own."""
    scale = StudyScale(
        name="smoke", axes={"access": ["LabelAccess"]}, grids=({"world": ["silent", "leaky"]},), note="one rung"
    )
    printed = Published(cell={}, attack="random", metric="hdt", value=0.5)
    text = described(LADDER.model_copy(update={"scales": (scale,), "published": (printed,)}))
    assert "published numbers: 1" in text
    assert text.endswith(
        "scale smoke: seeds 0\n  access: LabelAccess\n  world: leaky, silent\n"
        "  combined only where: world silent, leaky\n  note: one rung"
    )


def test_checks_of_the_whole_table_are_shown_below_it() -> None:
    """With what speaks against the table said first; one check in twenty may be below 0.05 by chance."""
    check = TableCheck(name="ranks are uniform", attack="a", statistic=0.1234, p_value=0.04, n=30, note="KS")
    words = "a: ranks are uniform: p = 0.04 (statistic 0.123, n = 30); KS"
    assert check_words(check) == words
    assert check_words(check.model_copy(update={"p_value": 0.0009})).startswith("DOUBTFUL: a: ranks")
    text = as_text(made().model_copy(update={"checks": (check,), "models": 3}), 120)
    assert text.endswith(f"Checks of the whole table:\n- {words}\nCost: 2 core-seconds, 3 models trained")
