"""Figure 8."""

from __future__ import annotations

import pytest

from divulge.defences.dp_fedavg import DpFedAvg
from divulge.studies.cells import unfold
from divulge.studies.planning import plan_study
from divulge.studies.song2019.figure8 import FIGURE8, NOISY


def test_the_same_network_is_trained_with_noise_and_without() -> None:
    """Nothing else differs, and a static auditor does not know of it."""
    files = {tuple(cell.values.values()): cell.files[0] for cell in unfold(FIGURE8, "quick")}
    usual, private = files["none", "static"], files["DP", "static"]
    assert usual.target == private.target
    assert [dict(part.options)["noise"] for part in private.defences] == [NOISY["noise"]]
    assert not private.adversary.knows_defence
    assert files["DP", "adaptive"].adversary.knows_defence
    assert {file.secrets.count for file in files.values()} == {700}


def test_federated_training_without_noise_is_the_private_one_but_for_the_noise() -> None:
    """As the recipe of the private target comes out of its defence."""
    files = {tuple(cell.values.values()): cell.files[0] for cell in unfold(FIGURE8, "quick")}
    quiet = dict(files["federated", "static"].target.recipe)["federated"]
    private = DpFedAvg(files["DP", "static"].defences[0].options).on_recipe({})["federated"]
    assert {**quiet, "user_noise": NOISY["noise"]} == private
    assert quiet["user_noise"] == 0


@pytest.mark.parametrize("scale", ["quick", "paper"])
def test_no_word_is_taken_from_the_people_asked_about(scale: str) -> None:
    """Epsilon is of the training: it would not cover a vocabulary of texts that hold the members' own."""
    for cell in unfold(FIGURE8, scale):
        for file in cell.files.values():
            assert file.target.recipe["words_from"] not in (None, file.data.name)
    assert "film dialogs" in next(one.note for one in FIGURE8.scales if one.name == scale)


def test_an_accountant_tells_the_epsilon_of_the_private_one_alone() -> None:
    """At scale smoke three targets, and a shadow trained as usual, one federated and one with noise."""
    tasks = list(plan_study(FIGURE8, "smoke").plan.graph)
    assert sum(task.kind == "accountant" for task in tasks) == 1
    assert sum(task.kind == "train-target" for task in tasks) == 3
    practised = [task.payload["target"]["recipe"]["federated"] for task in tasks if task.kind == "train-practice"]
    noise = sorted(None if one is None else one["user_noise"] for one in practised if one is not None)
    assert noise == [0, NOISY["noise"]]
    assert sum(one is None for one in practised) == 1  # it serves three cells
