"""Cells as complete audit files."""

import pytest
from tests.studies.sample import study

from divulge.errors import InputError
from divulge.spec import StudyScale
from divulge.studies.cells import unfold


def test_a_cell_holds_one_audit_file_for_each_seed() -> None:
    """Values are set where settings and variants say; the seed is the run's."""
    cells = unfold(study(), "quick")
    assert [dict(cell.values) for cell in cells] == [
        {"world": "leaky", "R": 1},
        {"world": "leaky", "R": 2},
        {"world": "silent", "R": 1},
        {"world": "silent", "R": 2},
    ]
    last = cells[-1]
    assert {seed: file.run.seed for seed, file in last.files.items()} == {3: 3, 4: 4, 5: 5}
    assert last.files[5].secrets.copies == 2
    assert last.files[5].target.recipe["leaks"] is False
    assert cells[0].files[3].target.recipe["leaks"] is True
    assert last.attacks == ("random", "label-likelihood")


def test_short_paths_are_set_before_long_ones() -> None:
    """A list that one axis replaces may have an item that another adjusts, whichever axis comes first."""
    made = study(
        axes={"R": [5], "world": ["leaky", "silent"], "k": [1]},
        settings={"R": "attacks.0.options.beam"},
        variants={
            "world": {
                "leaky": {"attacks": [{"name": "label-likelihood", "options": {"beam": 1}}]},
                "silent": {"attacks": [{"name": "label-likelihood"}], "secrets.count": 3},
            }
        },
    )
    first, second = unfold(made, "smoke")
    assert [cell.files[3].attacks[0].options["beam"] for cell in (first, second)] == [5, 5]
    assert second.files[3].secrets.count == 3


def test_an_axis_wins_over_its_scale() -> None:
    """Where both set a path of the same length, the cell must be what its row says."""
    made = study(scales=(StudyScale(name="smoke", settings={"secrets.copies": 9, "secrets.count": 2}),))
    file = unfold(made, "smoke")[0].files[3]
    assert (file.secrets.copies, file.secrets.count) == (1, 2)


def test_an_axis_may_set_several_paths_or_none() -> None:
    """A list of paths sets them all; an empty one makes the axis a mere label."""
    made = study(
        axes={"R": [4], "data": ["made"], "k": [1], "world": ["leaky"]},
        settings={"R": ["secrets.count", "secrets.controls"], "data": []},
    )
    (cell,) = unfold(made, "smoke")
    assert cell.values["data"] == "made"
    assert (cell.files[3].secrets.count, cell.files[3].secrets.controls) == (4, 4)


def test_without_attacks_a_cell_only_probes() -> None:
    """Its one attack is None."""
    base = {key: value for key, value in study().base.items() if key != "attacks"}
    assert unfold(study(base=base), "smoke")[0].attacks == (None,)


def test_all_that_is_wrong_with_any_cell_is_said_at_once() -> None:
    """The message names the study, its scale and the cell."""
    made = study(axes={"world": ["leaky"], "R": [-1, "x"], "k": [1]})
    with pytest.raises(InputError) as error:
        unfold(made, "smoke")
    assert len(error.value.problems) == 2
    assert all("scale smoke, cell" in problem and "secrets.copies" in problem for problem in error.value.problems)


def test_a_malformed_study_is_refused() -> None:
    """Problems of the study itself come before those of its cells."""
    with pytest.raises(InputError, match="has no scale"):
        unfold(study(scales=()), "smoke")
    with pytest.raises(InputError, match="unknown metric"):
        unfold(study(metrics=("nothing-like-it",)), "smoke")
    with pytest.raises(InputError, match="position from 0 to 1"):
        unfold(study(settings={"R": "attacks.7.options.beam"}), "smoke")


def test_an_attack_named_twice_in_a_cell_is_refused() -> None:
    """Rows tell attacks apart by name alone."""
    base = {**study().base, "attacks": [{"name": "random"}, {"name": "random", "options": {"guesses": 2}}]}
    with pytest.raises(InputError, match="named twice"):
        unfold(study(base=base), "smoke")


def test_a_study_repeats_by_its_seeds_alone() -> None:
    """Several models inside one cell would be pooled twice."""
    with pytest.raises(InputError, match=r"run\.models must be 1"):
        unfold(study(scales=(StudyScale(name="smoke", settings={"run.models": 2}),)), "smoke")


def test_a_scale_may_tell_anew_what_a_value_does() -> None:
    """Only at that scale, and only for the axis that it names."""
    again = {"world": {"leaky": {"secrets.count": 3}, "silent": {"secrets.count": 4}}}
    made = study(scales=(StudyScale(name="smoke", variants=again), StudyScale(name="quick")))
    smoke, quick = (unfold(made, scale)[0].files[3] for scale in ("smoke", "quick"))
    assert (smoke.secrets.count, smoke.target.recipe) == (3, {})
    assert (quick.secrets.count, quick.target.recipe["leaks"]) == (6, True)


JOINT = {
    "axes": {"R": [1, 2], "world": ["leaky", "silent"], "k": [1]},
    "settings": {"R": (), "world": ()},
}


def test_two_axes_may_decide_something_together() -> None:
    """Each combination has a variant of its own."""
    told = {f"{world} {R}": {"secrets.count": 10 * R + len(world)} for world in ("leaky", "silent") for R in (1, 2)}
    found = {
        (cell.values["world"], cell.values["R"]): cell.files[3].secrets.count
        for cell in unfold(study(**JOINT, variants={"world R": told}), "smoke")
    }
    assert found == {("leaky", 1): 15, ("leaky", 2): 25, ("silent", 1): 16, ("silent", 2): 26}


def test_a_combination_that_nothing_tells_of_is_named() -> None:
    """One of the four is missing; and a joint variant of an axis that does not exist is refused."""
    told = {"leaky 1": {}, "leaky 2": {}, "silent 1": {}}
    with pytest.raises(InputError, match="world R: nothing tells what silent 2 does"):
        unfold(study(**JOINT, variants={"world R": told}), "smoke")
    with pytest.raises(InputError, match="unknown axis 'size'"):
        unfold(study(**JOINT, variants={"world size": told}), "smoke")
