"""Figure 8."""

from __future__ import annotations

import pytest

from divulge.studies.cells import unfold
from divulge.studies.planning import plan_study
from divulge.studies.song2019.figure8 import FIGURE8, NOISY


def test_the_same_network_is_trained_with_noise_and_without() -> None:
    """Nothing else differs; the auditor does not know of it."""
    files = {cell.values["defence"]: cell.files[0] for cell in unfold(FIGURE8, "quick")}
    assert files["none"].target == files["DP"].target
    assert [dict(part.options)["noise"] for part in files["DP"].defences] == [NOISY["noise"]]
    assert not files["DP"].adversary.knows_defence
    assert files["DP"].secrets.count == 700


@pytest.mark.parametrize("scale", ["quick", "paper"])
def test_no_word_is_taken_from_the_people_asked_about(scale: str) -> None:
    """Epsilon is of the training: it would not cover a vocabulary of texts that hold the members' own."""
    for cell in unfold(FIGURE8, scale):
        for file in cell.files.values():
            assert file.target.recipe["words_from"] not in (None, file.data.name)
    assert "film dialogs" in next(one.note for one in FIGURE8.scales if one.name == scale)


def test_an_accountant_tells_the_epsilon_of_the_private_one_alone() -> None:
    """At scale smoke two targets; one shadow serves both."""
    tasks = list(plan_study(FIGURE8, "smoke").plan.graph)
    assert sum(task.kind == "accountant" for task in tasks) == 1
    assert sum(task.kind == "train-target" for task in tasks) == 2
    assert sum(task.kind == "train-practice" for task in tasks) == 1
