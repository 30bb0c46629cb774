"""The sample study, run once for all tests that only read its results."""

from __future__ import annotations

import pytest
from tests.studies.sample import study

from divulge.store import Store
from divulge.studies.planning import StudyPlan, plan_study
from divulge.studies.rows import StudyTable
from divulge.studies.running import run_study


@pytest.fixture(scope="session")
def finished_store(tmp_path_factory: pytest.TempPathFactory) -> Store:
    """A store that holds all of the sample study at scale smoke."""
    store = Store(tmp_path_factory.mktemp("finished"))
    run_study(study(), "smoke", store, workers=0)
    return store


@pytest.fixture(scope="session")
def planned() -> StudyPlan:
    """The plan of the sample study at scale smoke."""
    return plan_study(study(), "smoke")


@pytest.fixture(scope="session")
def table(finished_store: Store) -> StudyTable:
    """The table of the sample study at scale smoke; making it again does no task anew."""
    return run_study(study(), "smoke", finished_store, workers=0)


@pytest.fixture(autouse=True)
def no_kept_results(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keeps results that came with the project out of the way."""
    monkeypatch.setenv("DIVULGE_RESULTS", str(tmp_path_factory.getbasetemp() / "no-results"))
