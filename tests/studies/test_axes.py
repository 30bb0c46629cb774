"""Scales, axis values and their combinations."""

import pytest
from tests.studies.sample import study

from divulge.errors import InputError
from divulge.spec import StudyScale
from divulge.studies.axes import (
    axis_values,
    choice_of,
    combinations,
    is_chosen,
    read_values,
    scale_named,
    setting_axes,
    spelt,
)

SMOKE = StudyScale(name="smoke")


def test_all_values_are_combined_in_the_order_of_the_axes() -> None:
    """The last axis varies fastest, and axes that only read guesses make no cell."""
    made = study(axes={"world": ["leaky", "silent"], "R": [1, 2], "k": [1, 3]})
    found = [(cell["world"], cell["R"]) for cell in combinations(made, SMOKE)]
    assert found == [("leaky", 1), ("leaky", 2), ("silent", 1), ("silent", 2)]
    assert setting_axes(made) == ("world", "R")


def test_grids_narrow_the_combinations_and_each_comes_once() -> None:
    """Two grids that overlap give their union."""
    made = study(
        axes={"world": ["leaky", "silent"], "R": [1, 2], "k": [1]},
        grids=({"world": ["leaky"]}, {"R": [2]}),
    )
    found = [(cell["world"], cell["R"]) for cell in combinations(made, SMOKE)]
    assert found == [("leaky", 1), ("leaky", 2), ("silent", 2)]


def test_grids_narrow_what_is_read_in_their_cells() -> None:
    """The second grid says nothing of k: whatever it holds is read at all values; the values of a scale come first."""
    made = study(
        axes={"world": ["leaky", "silent"], "R": [1, 2], "k": [1, 3]},
        grids=({"world": ["leaky"], "k": [3]}, {"R": [2]}),
    )
    assert len(list(combinations(made, SMOKE))) == 3
    assert read_values(made, SMOKE, "k", {"world": "leaky", "R": 1}) == (3,)
    assert read_values(made, SMOKE, "k", {"world": "leaky", "R": 2}) == (1, 3)
    assert read_values(made, SMOKE, "k", {"world": "silent", "R": 2}) == (1, 3)
    assert read_values(made, StudyScale(name="smoke", axes={"k": [1]}), "k", {"world": "silent", "R": 2}) == (1,)
    assert read_values(made, StudyScale(name="smoke", grids=({},)), "k", {"world": "leaky", "R": 1}) == (1, 3)


def test_a_scale_replaces_values_and_grids() -> None:
    """What a scale says wins; what it leaves out stays; its values narrow the study's grids."""
    made = study(axes={"world": ["leaky", "silent"], "R": [1, 2], "k": [1]}, grids=({"world": ["leaky"]},))
    narrowed = StudyScale(name="smoke", axes={"R": [2]})
    assert [(cell["world"], cell["R"]) for cell in combinations(made, narrowed)] == [("leaky", 2)]
    replaced = StudyScale(name="smoke", axes={"R": [7]}, grids=({"world": ["silent"]},))
    assert [(cell["world"], cell["R"]) for cell in combinations(made, replaced)] == [("silent", 7)]
    assert axis_values(made, replaced, "R") == (7,)
    assert axis_values(made, replaced, "world") == ("leaky", "silent")


def test_values_are_told_apart_by_their_spelling() -> None:
    """To Python true is 1; to a grid it is not."""
    made = study(axes={"world": ["leaky"], "R": [1, True], "k": [1]}, grids=({"R": [True]},))
    assert [cell["R"] for cell in combinations(made, SMOKE)] == [True]


def test_an_unknown_scale_is_refused() -> None:
    """The message names the scales there are."""
    assert scale_named(study(), "quick").name == "quick"
    with pytest.raises(InputError, match=r"has no scale 'smok'\. Did you mean 'smoke'"):
        scale_named(study(), "smok")


def test_values_are_spelt_as_keys() -> None:
    """Text stands for itself, all else is JSON."""
    assert [spelt(value) for value in ("all", 5000, 0.01, None, True)] == ["all", "5000", "0.01", "null", "true"]


def test_a_choice_of_cells_is_read() -> None:
    """Values of one axis add up, several axes must all hold, and numbers are told by their spelling."""
    made = study(axes={"world": ["leaky", "silent"], "R": [1, 2, 3], "k": [1, 3]})
    choice = choice_of(made, SMOKE, ["R=1", "R=3", "world=silent"])
    found = [(cell["world"], cell["R"]) for cell in combinations(made, SMOKE) if is_chosen(cell, choice)]
    assert found == [("silent", 1), ("silent", 3)]
    assert all(is_chosen(cell, choice_of(made, SMOKE, ())) for cell in combinations(made, SMOKE))


def test_attacks_are_chosen_as_cells_are() -> None:
    """By name, those that only one value of an axis has too; a cell as such is chosen whatever its attacks."""
    extra = {"leaky": {"attacks": [{"name": "label-match"}]}, "silent": {}}
    choice = choice_of(study(variants={"world": extra}), SMOKE, ["attack=label-match", "world=leaky"])
    leaky = {"world": "leaky", "R": 1}
    assert is_chosen(leaky, choice)
    assert [is_chosen(leaky, choice, name) for name in ("label-match", "random")] == [True, False]
    assert not is_chosen({**leaky, "world": "silent"}, choice, "label-match")


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (["worlds=leaky"], "'world'"),  # the nearest axis
        (["world=leak"], "'leaky'"),
        (["R"], "axis 'R' has no such value"),
        (["attack=label-liklihood"], "'label-likelihood'"),
        (["k=1"], "has no such axis"),  # k reads the same guesses
        (["world=leaky", "R=2"], "no cell"),  # by the grids
    ],
)
def test_a_choice_of_nothing_is_refused(told: list[str], said: str) -> None:
    """An axis or a value that is not there, one that makes no cells, and a combination that the grids leave out."""
    grids = ({"world": ["leaky"], "R": [1]}, {"world": ["silent"]})
    with pytest.raises(InputError, match=said):
        choice_of(study(axes={"world": ["leaky", "silent"], "R": [1, 2], "k": [1, 3]}, grids=grids), SMOKE, told)
