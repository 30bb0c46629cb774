"""Running a study, and finding what was computed."""

from pathlib import Path

import pytest
from tests.studies.sample import study

import divulge.studies
from divulge.engine.progress import Progress
from divulge.errors import EvidenceError, InputError
from divulge.graph import Task
from divulge.spec import StudyScale
from divulge.store import Store
from divulge.studies.results import write_table
from divulge.studies.rows import StudyTable
from divulge.studies.running import computed_scales, run_study, study_table

SAMPLE = study()
NAME = "tests.studies.test_running:SAMPLE"


class Counting(Progress):
    """Counts what was done."""

    def __init__(self) -> None:
        self.done: list[str] = []
        self.lines: list[str] = []

    def told(self, line: str) -> None:
        """Notes the line."""
        self.lines.append(line)

    def ended(self, task: Task, state: str, seconds: float, reason: str = "") -> None:
        """Notes the kind of each finished task."""
        self.done.append(task.kind)


def test_the_same_run_again_does_nothing(finished_store: Store, table: StudyTable) -> None:
    """All is in the store, and the table is the same."""
    counting = Counting()
    assert run_study(study(), "smoke", finished_store, workers=0, progress=counting) == table
    assert counting.done == []


def test_a_larger_scale_does_only_what_is_missing(tmp_path: Path) -> None:
    """One more seed is one more model in each world."""
    small = study(scales=(StudyScale(name="smoke", seeds=(3,)), StudyScale(name="quick", seeds=(3, 4))))
    counting, store = Counting(), Store(tmp_path)
    run_study(small, "smoke", store, workers=0)
    run_study(small, "quick", store, workers=0, progress=counting)
    assert counting.done.count("train-target") == 2


def test_cleared_guesses_are_made_again(tmp_path: Path) -> None:
    """Figures of single models are not enough for a table."""
    small = study(seeds=(3,), axes={"world": ["leaky"], "R": [1], "k": [1, 3]})
    store = Store(tmp_path)
    first = run_study(small, "smoke", store, workers=0)
    store.clear("attack")
    again = run_study(small, "smoke", store, workers=0)
    assert again.failures == ()
    assert again.rows == first.rows


def test_the_table_is_found_in_the_store(finished_store: Store, table: StudyTable) -> None:
    """By name, at the scale asked for or at the largest there is."""
    assert study_table(NAME, "smoke", finished_store) == table
    assert study_table(NAME, None, finished_store) == table
    assert computed_scales(SAMPLE, finished_store) == ("smoke",)


def test_kept_results_come_before_the_store(
    finished_store: Store, table: StudyTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And the larger scale before the smaller one, wherever it is."""
    monkeypatch.setenv("DIVULGE_RESULTS", str(tmp_path))
    kept = table.model_copy(update={"seconds": 99.0})
    write_table(tmp_path, SAMPLE, kept)
    assert study_table(NAME, None, finished_store) == kept
    write_table(tmp_path, SAMPLE, kept.model_copy(update={"scale": "quick"}))
    assert study_table(NAME, None, finished_store).scale == "quick"
    assert study_table(NAME, "smoke", finished_store).scale == "smoke"
    assert computed_scales(SAMPLE, finished_store) == ("quick", "smoke")


def test_nothing_computed_is_no_evidence(tmp_path: Path, finished_store: Store) -> None:
    """The message says what to run."""
    with pytest.raises(EvidenceError, match=r"has not been computed at any scale\. Compute it with: divulge study run"):
        study_table(NAME, None, Store(tmp_path))
    with pytest.raises(EvidenceError, match="at scale quick"):
        study_table(NAME, "quick", finished_store)


def test_a_mark_without_artefacts_is_no_evidence(tmp_path: Path) -> None:
    """A run that was interrupted before its first cell leaves only the mark."""
    store = Store(tmp_path)
    from divulge.studies.running import _remember

    _remember(SAMPLE, "smoke", store)
    assert computed_scales(SAMPLE, store) == ("smoke",)
    with pytest.raises(EvidenceError):
        study_table(NAME, None, store)


def test_an_unknown_scale_or_study_is_wrong_input(tmp_path: Path) -> None:
    """Not a lack of evidence."""
    with pytest.raises(InputError, match="no scale 'paper'"):
        study_table(NAME, "paper", Store(tmp_path))
    with pytest.raises(InputError, match="unknown study"):
        study_table("sample/table9", None, Store(tmp_path))


def test_failed_cells_do_not_cost_the_others(tmp_path: Path) -> None:
    """The table is made and kept; what failed is listed with its reason."""
    failing = "tests.studies.sample:Failing"
    base = {**study().base, "attacks": [{"name": failing}, {"name": "label-likelihood"}]}
    made = study(base=base, seeds=(3,), published=(), copy_of={})
    table = run_study(made, "smoke", Store(tmp_path / "store"), workers=0, save=tmp_path / "results")
    assert {row.attack for row in table.rows} == {"label-likelihood", None}
    assert [(one.attack, one.cell["world"]) for one in table.failures] == [(failing, "leaky"), (failing, "silent")]
    assert all("this attack always fails" in one.reason for one in table.failures)
    assert (tmp_path / "results" / "sample" / "table1.smoke.json").is_file()


def test_a_study_that_cannot_be_planned_leaves_nothing(tmp_path: Path) -> None:
    """Wrong input is found before anything is written."""
    store = Store(tmp_path / "store")
    wrong = study(base={**study().base, "attacks": [{"name": "no-such-attack"}]})
    with pytest.raises(InputError, match="unknown attack"):
        run_study(wrong, "smoke", store, workers=0, save=tmp_path / "results")
    assert list(store.entries()) == []
    assert not (tmp_path / "results").exists()


def test_registered_studies_are_found_by_their_short_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The registry is where names are looked up."""
    monkeypatch.setitem(divulge.studies.STUDIES, "sample/table1", NAME)
    with pytest.raises(EvidenceError, match="'sample/table1'"):
        study_table("sample/table1", None, Store(tmp_path))


def test_only_chosen_cells_are_computed(tmp_path: Path, table: StudyTable) -> None:
    """The others are told to be missing; a later run adds them, and the table is that of one run."""
    store, counting = Store(tmp_path / "store"), Counting()
    first = run_study(study(), "smoke", store, workers=0, progress=counting, save=tmp_path, only=["world=silent"])
    assert {row.cell["world"] for row in first.rows} == {"silent"}
    assert {(one.cell["world"], one.reason) for one in first.failures} == {("leaky", "not computed yet")}
    assert counting.done.count("train-target") == 2
    whole = run_study(study(), "smoke", store, workers=0, progress=counting, save=tmp_path)
    assert counting.done.count("train-target") == 4
    assert whole.rows == table.rows
    assert whole.failures == ()
