"""One graph for all cells."""

from divulge.studies.planning import StudyPlan


def test_every_attack_of_every_seed_is_planned(planned: StudyPlan) -> None:
    """Two worlds, two attacks, two seeds; each spec stands at its place."""
    assert [dict(cell.cell.values)["world"] for cell in planned.cells] == ["leaky", "silent"]
    for cell in planned.cells:
        assert list(cell.specs) == ["random", "label-likelihood"]
        for attack, by_seed in cell.specs.items():
            for seed, one in by_seed.items():
                spec = one.resolved.spec
                assert (spec.attack and spec.attack.name, spec.seed) == (attack, seed)
                assert spec.target.recipe["leaks"] is (cell.cell.values["world"] == "leaky")


def test_attacks_on_one_model_share_its_training(planned: StudyPlan) -> None:
    """Two worlds by two seeds make four models for eight specs."""
    kinds = [task.kind for task in planned.plan.graph]
    assert kinds.count("train-target") == 4
    assert kinds.count("measure") == 8


def test_guesses_are_wanted_in_themselves(planned: StudyPlan) -> None:
    """Were only figures final, guesses cleared from the store would never come back."""
    finals = set(planned.plan.graph.finals)
    attacks = {task.key for task in planned.plan.graph if task.kind == "attack"}
    assert attacks <= finals
