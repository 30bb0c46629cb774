"""What is wrong with a study is said before it is unfolded."""

from typing import Any

import pytest
from tests.studies.sample import study

from divulge.spec import StudyScale
from divulge.studies.checking import study_problems

WITH_COPIES = {"leaky": {"secrets.copies": 1}, "silent": {}}
AXES = {"world": ["leaky", "silent"], "R": [1], "k": [1, 3]}


def test_nothing_is_wrong_with_the_sample() -> None:
    """A study that can be unfolded has no problems."""
    assert study_problems(study()) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"name": "other/table1"}, "must be called sample/NAME"),
        ({"name": "sample/a/b"}, "must be called sample/NAME"),
        ({"scales": ()}, "has no scales"),
        ({"scales": (StudyScale(name="smoke"), StudyScale(name="smoke"))}, "defines scale smoke twice"),
        ({"metrics": ("acuracy",)}, "unknown metric 'acuracy'. Did you mean 'accuracy'"),
        ({"metrics": ("hdt", "hdt")}, "names metric hdt twice"),
        ({"axes": {**AXES, "n": [4]}}, "axis 'n' must be in one of settings, variants and readings. Found in none"),
        ({"settings": {"R": "secrets.copies", "world": "target.kind"}}, "Found in settings and variants"),
        ({"settings": {"R": "secrets.copies", "RR": "x"}}, "settings: unknown axis 'RR'"),
        ({"grids": ({"wrld": ["leaky"]},)}, "grids: unknown axis 'wrld'. Did you mean 'world'"),
        ({"scales": (StudyScale(name="quick", axes={"X": [1]}),)}, "scale quick: unknown axis 'X'"),
        ({"scales": (StudyScale(name="quick", axes={"world": ["dull"]}),)}, "what value dull of axis 'world' does"),
        ({"scales": (StudyScale(name="quick", axes={"k": [5]}),)}, "what value 5 of axis 'k' does"),
        ({"scales": (StudyScale(name="quick", axes={"R": []}),)}, "axis 'R' must have one or more values"),
        ({"scales": (StudyScale(name="quick", axes={"R": [2, 2]}),)}, "axis 'R' must have one or more values, all"),
        ({"axes": {**AXES, "R": [[1, 2]]}}, "values of axis 'R' must be text, numbers"),
        (
            {"scales": (StudyScale(name="quick", variants={"world": {"leaky": {}}}),)},
            "what value silent of axis 'world' does",
        ),
        ({"scales": (StudyScale(name="quick", variants={"R": {"1": {}}}),)}, "axis 'R' has no variants that a scale"),
        ({"scales": (StudyScale(name="quick", variants={"X": {}}),)}, "scale quick: unknown axis 'X'"),
        ({"scales": (StudyScale(name="quick", variants={"world": WITH_COPIES}),)}, "two axes set secrets.copies"),
        ({"seeds": ()}, "seeds must be one or more"),
        ({"seeds": (1, 1)}, "seeds must be one or more, all different"),
        ({"grids": ({"R": [3]},)}, "grids: axis 'R' has no value 3"),
        ({"settings": {"R": ["secrets.copies", "target"]}}, "two axes set target"),
    ],
)
def test_each_mistake_is_named(changes: dict[str, Any], said: str) -> None:
    """One mistake gives a message with the study's name and what to mend."""
    problems = study_problems(study(**changes))
    assert any(said in problem for problem in problems), problems
    assert all(problem.startswith("study '") for problem in problems)


def test_all_mistakes_come_at_once() -> None:
    """Nobody mends one mistake only to be told the next."""
    assert len(study_problems(study(metrics=("acuracy", "hdd"), name="x/y"))) == 3
