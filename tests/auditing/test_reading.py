"""Tests of reading audit files: as many mistakes at once as can be told."""

from __future__ import annotations

import pytest
from tests.auditing.sample import specs_of

from divulge.auditing.reading import read_checked
from divulge.errors import InputError

GOOD = """
[target]
kind = "fake-classifier"

[data]
name = "synthetic-utterances"
options = { size = 60 }

[secrets]
pattern = "my pin at <name*2> is {digit*2}"
label = "PinIntent"
count = 6
controls = 5
decoys = 20

[[attacks]]
name = "label-likelihood"
"""

FIVE_MISTAKES = """
[target]
kind = "fake-classifier"

[data]
path = "no-such-file.csv"

[secrets]
pattern = "my pin is {digit*2}"
label = "PinIntent"

[adversary]
access = ["LabelAccess"]

[[attacks]]
name = "label-likelyhood"

[[attacks]]
name = "discrete-search"

[run]
seed = "zero"

[runs]
device = "cpu"
"""


def problems_of(tmp_path, text: str, *settings: str) -> tuple[str, ...]:
    """What is said about a file."""
    path = tmp_path / "audit.toml"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_checked(path, settings)
    return caught.value.problems


def test_a_good_file_is_read(tmp_path):
    """With settings applied."""
    path = tmp_path / "audit.toml"
    path.write_text(GOOD)
    assert read_checked(path).specs() == specs_of("canaries")
    assert read_checked(path, ["secrets.copies=3"]).specs() == specs_of("canaries", "secrets.copies=3")


def test_five_different_mistakes_are_told_together(tmp_path):
    """Unknown key, wrong type, unknown name, impossible combination, missing file: one error."""
    found = problems_of(tmp_path, FIVE_MISTAKES)
    pieces = [
        "unknown key 'runs'. Did you mean 'run'?",
        "'run.seed'",
        "unknown attack 'label-likelyhood'. Did you mean 'label-likelihood'",
        "attack 'discrete-search' requires GradientAccess; granted is LabelAccess",
        "no-such-file.csv",
    ]
    assert [sum(piece in problem for problem in found) for piece in pieces] == [1] * 5
    assert len(found) == 5


def test_a_table_out_of_shape_silences_what_hangs_on_it(tmp_path):
    """Whether an attack fits an access that cannot be read is not guessed; other mistakes are told all the same."""
    found = problems_of(tmp_path, FIVE_MISTAKES, "adversary.max_queries=many")
    assert not any("requires GradientAccess" in problem for problem in found)
    assert any("adversary.max_queries" in problem for problem in found)
    assert len(found) == 5


def test_one_bad_item_of_a_list_does_not_hide_the_others(tmp_path):
    """The second defence is looked up although the first is out of shape; what they leave granted is not judged."""
    defences = '\n[[defences]]\nnam = "dropout"\n[[defences]]\nname = "roundin"\n'
    found = problems_of(tmp_path, GOOD + defences, 'adversary.access=["RankedTokensAccess"]')
    assert [problem.removeprefix(f"{tmp_path / 'audit.toml'}: ") for problem in found] == [
        "'defences.0.name' is missing",
        "unknown key 'defences.0.nam'. Did you mean 'name'?",
        "unknown defence 'roundin'. Did you mean 'rounding'?",
    ]


def test_what_a_defence_out_of_shape_would_leave_granted_is_not_judged(tmp_path):
    """It may be the one that takes the access away, or not."""
    (said,) = problems_of(tmp_path, GOOD + "[[defences]]\nname = 3\n", 'adversary.access=["RankedTokensAccess"]')
    assert "'defences.0.name'" in said


@pytest.mark.parametrize("text", ["target = 3", "[[target]]\nkind = 'x'", "attacks = 'all'\ndefences = 7\nrun = []"])
def test_tables_of_a_wrong_kind_are_told(tmp_path, text):
    """A number where a table belongs is a problem like any other."""
    assert len(problems_of(tmp_path, text)) >= 3


def test_what_is_no_toml_has_only_that_to_be_told(tmp_path):
    """The limit of telling everything at once."""
    (said,) = problems_of(tmp_path, FIVE_MISTAKES + "][")
    assert "is not TOML" in said
