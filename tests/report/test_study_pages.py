"""The page of all kept studies."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.report.study_sample import row, study, table, whole

from divulge.cli.app import run
from divulge.report.study_pages import Kept, page
from divulge.studies.rows import TableCheck

PROJECT = Path(__file__).parents[2]
CELLS = [{"canary": "pin", "R": 1, "vectors": "random"}, {"canary": "pin", "R": 10, "vectors": "random"}]


def test_a_study_is_told_from_its_question_to_its_cost() -> None:
    """Question, scale, cost, recipe, departures, checks, plots."""
    text = page([Kept(study(), whole(CELLS), ("plots/one.svg", "plots/one-utility.svg"))])
    assert "## p\n" in text
    assert "### p/table1\n\nHow much is found.\n" in text
    assert "- Scale: quick. Cost: 2.0 core-hours, 20 models trained" in text
    assert "- Recipe: nlu-tagger, epochs 3, vectors random" in text
    assert "- Departures: made by hand; fewer R." in text
    assert "- Check: ranks are uniform: ours p = 0.4 (n = 60)." in text
    assert "![p/table1](plots/one.svg)\n\n![p/table1](plots/one-utility.svg)\n" in text


def test_a_table_from_before_a_change_tells_what_was_noted_then() -> None:
    """Another note of the study: its recipe and departures are of no use to figures that were made otherwise."""
    kept = whole(CELLS)
    noted = kept.model_copy(
        update={"rows": tuple(one.model_copy(update={"note": "n = trials; by machine"}) for one in kept.rows)}
    )
    text = page([Kept(study(), noted)])
    assert "- Computed before this study was changed, and to be computed again. Then: by machine." in text
    assert "- Recipe" not in text
    assert "- Departures" not in text


def test_one_line_holds_print_copy_others_ours_and_utility() -> None:
    """With the interval, n and the verdict."""
    lines = page([Kept(study(), whole(CELLS))]).splitlines()
    head = next(line for line in lines if line.startswith("| canary"))
    assert head == (
        "| canary | R | vectors | metric | published | copy: theirs | other | random | ours: ours | n | verdict "
        "| intent_accuracy |"
    )
    first = lines[lines.index(head) + 2]
    assert first == (
        "| pin | 1 | random | hdt | 0.3 | 0.6 [0.5, 0.7], not comparable | 0.45 | 0.9 | 0.5 [0.4, 0.6] | 10 "
        "| not comparable | 0.97 |"
    )


def test_people_are_told_from_others_by_auc() -> None:
    """Accuracy hangs on a line that an attack draws; of a study that measures both, the page shows AUC."""
    rows = [row({"R": 1}, name, 0.5, metric) for name in ("ours", "theirs") for metric in ("accuracy", "auc", "recall")]
    lines = page([Kept(study(), table(*rows))]).splitlines()
    shown = [line.split(" | ")[1] for line in lines if line.startswith("| 1 |")]
    assert shown == ["auc"]
    assert "- auc: ours 0.5, theirs 0.5 on average; ours at least as good in 1 of 1 cells." in lines
    assert not any(line.startswith("- accuracy") for line in lines)


def test_a_check_in_doubt_has_a_line_of_its_own() -> None:
    """With its statistic; the one that holds is told by its name."""
    told = {"name": "ranks are uniform", "statistic": 0.05, "n": 60, "note": "KS"}
    checks = (TableCheck(attack="ours", p_value=0.4, **told), TableCheck(attack="theirs", p_value=1e-5, **told))
    text = page([Kept(study(), whole(CELLS).model_copy(update={"checks": checks}))])
    assert "- Check: DOUBTFUL: theirs: ranks are uniform: p = 1e-05 (statistic 0.05, n = 60); KS." in text
    assert "- Check: ranks are uniform: ours p = 0.4 (n = 60)." in text


def test_a_study_that_attacks_nothing_shows_what_models_are_worth() -> None:
    """Each metric with its interval."""
    kept = whole(CELLS)
    worth = tuple(one for one in kept.rows if one.arm == "utility")
    text = page([Kept(study(), kept.model_copy(update={"rows": worth}))])
    assert "| canary | R | vectors | metric | figure | n |" in text
    assert "| intent_accuracy | 0.97" in text


def test_what_is_missing_is_said() -> None:
    """A study that was not computed, and one of which results are missing."""
    text = page([Kept(study(), None), Kept(study("p/table2"), table(missing=True))])
    assert "Not computed yet: `divulge study run p/table1 --scale quick --save results`." in text
    assert "- Missing: 1 results; the JSON file says which and why." in text


def test_the_committed_page_is_what_the_committed_results_give(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """If not: divulge study page -o docs/reproducing.md."""
    monkeypatch.setenv("DIVULGE_RESULTS", str(PROJECT / "results"))
    assert run(["study", "page", "-o", str(tmp_path / "reproducing.md")]) == 0, capsys.readouterr().err
    written = {path.relative_to(tmp_path): path.read_text(encoding="utf-8") for path in tmp_path.rglob("*.*")}
    docs = PROJECT / "docs"
    kept = [docs / "reproducing.md", *(docs / "reproducing").glob("*.svg")]
    assert written == {path.relative_to(docs): path.read_text(encoding="utf-8") for path in kept}
