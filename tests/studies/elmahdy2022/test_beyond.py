"""Studies of our own."""

from __future__ import annotations

import pytest

from divulge.access import LEVELS
from divulge.defences import DEFENCES
from divulge.spec import Study
from divulge.studies.cells import unfold
from divulge.studies.elmahdy2022.beyond import ACCESS, DEFENCES_TRIED, DELETION, PLACES, UNSEEN
from divulge.studies.elmahdy2022.table2 import TABLE2


def test_the_ladder_has_every_rung_of_labels_and_prunes_with_the_weights_alone() -> None:
    """Four levels, each twice: with supporting canaries and without."""
    files = {(cell.values["access"], cell.values["supporting"]): cell.files[0] for cell in unfold(ACCESS, "quick")}
    assert len(files) == 8
    for (level, supporting), file in files.items():
        assert level in LEVELS
        assert file.adversary.access == (level,)
        assert file.secrets.supporting == supporting
        assert file.attacks[0].options["prune"] == (level == "GradientAccess")


def test_models_are_those_of_table_two() -> None:
    """The ladder's, the undefended, and those in the rarest class: the same recipe, the same secrets."""
    (wanted,) = {repr(cell.files[0].target) for cell in unfold(TABLE2, "quick")}
    plain = [
        next(cell for cell in unfold(study, "quick") if cell.values[axis] == value)
        for study, axis, value in (
            (ACCESS, "access", "LabelAccess"),
            (DEFENCES_TRIED, "defence", "none"),
            (PLACES, "place", "rarest class"),
        )
    ]
    assert {repr(cell.files[0].target) for cell in plain} == {wanted}
    (secrets,) = {repr(cell.files[0].secrets) for cell in plain}
    one = next(cell for cell in unfold(TABLE2, "quick") if cell.values["tokens"] == 1)
    assert secrets == repr(one.files[0].secrets)


def test_every_defence_of_classifiers_is_tried() -> None:
    """Each by its name, and the last layers alone as what DP-SGD is to be compared with."""
    cells = {cell.values["defence"]: cell.files[0] for cell in unfold(DEFENCES_TRIED, "quick")}
    named = {part.name for file in cells.values() for part in file.defences}
    assert named <= set(DEFENCES)
    assert named == {"rounding", "temperature", "top-label", "label-only", "deduplication", "dp-sgd"}
    assert cells["DP"].target.recipe["trained"] == cells["last layers"].target.recipe["trained"] == "last"
    assert not cells["DP"].target.recipe["restore_best"]


def test_canaries_lie_in_five_places() -> None:
    """Three kinds of classes, a sentence with one secret word, another data set."""
    files = {cell.values["place"]: cell.files[0] for cell in unfold(PLACES, "quick")}
    assert [file.secrets.label_of for file in files.values()] == ["rarest", "any", "most-frequent", "rarest", "rarest"]
    assert files["organic"].secrets.pattern.count("{word}") == 1
    assert files["banking77"].data.name == "banking77"


def test_deletion_compares_twice_as_many_controls_with_four_ways_to_delete() -> None:
    """The same canaries in all five models, looked for among what the gradient leaves."""
    cells = unfold(DELETION, "quick")
    assert [cell.values["model"] for cell in cells] == ["kept", "retrain", "continue", "relabel", "ascend"]
    assert len({repr(cell.files[0].secrets) for cell in cells}) == 1
    assert cells[0].files[0].secrets.deleted
    asked = cells[0].files[0].secrets
    assert (asked.count, asked.controls, asked.ranked) == (5, 10, 0)
    assert all(attack.options["prune"] for cell in cells for attack in cell.files[0].attacks)
    assert [dict(file.defences[0].options) for file in (cell.files[0] for cell in cells[1:])] == [
        {"method": method} for method in ("retrain", "continue", "relabel", "ascend")
    ]


@pytest.mark.parametrize("study", [ACCESS, DEFENCES_TRIED, DELETION, PLACES], ids=lambda study: study.name)
def test_at_scale_paper_our_attack_keeps_its_shortlist(study: Study) -> None:
    """The paper's full search is an option of its own attack, which these do not run."""
    assert all("shortlist" not in attack.options for cell in unfold(study, "paper") for attack in cell.files[0].attacks)


def test_the_unseen_share_everything_with_table_two_but_their_seeds() -> None:
    """The same recipe and the same missing words, ours alone; at no scale a seed that the tables have."""
    seen = {seed for scale in TABLE2.scales if scale.name == "quick" for seed in (scale.seeds or TABLE2.seeds)}
    assert not seen & set(UNSEEN.seeds)
    (paper,) = (scale for scale in UNSEEN.scales if scale.name == "paper")
    assert not set(paper.seeds or ()) & (seen | set(range(10)))
    ours = {cell.values["tokens"]: cell.files[2] for cell in unfold(UNSEEN, "quick")}
    theirs = {cell.values["tokens"]: cell.files[0] for cell in unfold(TABLE2, "quick") if cell.values["lambda"] == 0.0}
    assert set(ours) == set(theirs) == {1, 2, 3}
    for tokens, file in ours.items():
        assert file.target == theirs[tokens].target
        assert file.secrets == theirs[tokens].secrets.model_copy(update={"ranked": 0})
        (attack,) = (part for part in file.attacks if part.name == "calibrated-likelihood")
        assert attack in theirs[tokens].attacks
