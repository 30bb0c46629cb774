"""Parts as pure data: every option is in the spelling, and another file at the same path is another model."""

from __future__ import annotations

from pathlib import Path

from divulge.attacks.label_likelihood import LabelLikelihood
from divulge.auditing.spelling import all_spelt, defences_of, revisions_of, spelt, spelt_target
from divulge.defences.rounding import Rounding
from divulge.testing.classifier import FakeClassifier


def test_a_part_is_its_class_and_all_its_options() -> None:
    """Defaults included: a changed default makes another key."""
    assert spelt(Rounding({"decimals": 3})) == {
        "class": "divulge.defences.rounding:Rounding",
        "options": {"decimals": 3},
    }
    assert [one["class"].rpartition(":")[2] for one in all_spelt([LabelLikelihood(), Rounding()])] == [
        "LabelLikelihood",
        "Rounding",
    ]


def test_a_target_without_a_path_has_no_files() -> None:
    """Its recipe says it all."""
    found = spelt_target("fake-classifier", FakeClassifier({"leaks": False}))
    assert found["files"] == []
    assert found["recipe"]["leaks"] is False


def test_only_fitted_defences_are_picked() -> None:
    """By their role."""
    assert defences_of({"target": "1", "defence 0": "2", "defence 1": "3"}) == {"defence 0": "2", "defence 1": "3"}


def test_revisions_name_each_class_once(tmp_path: Path) -> None:
    """Parts of the package have no source number; a mended one raises its revision."""
    del tmp_path
    assert revisions_of([Rounding(), Rounding()]) == {"divulge.defences.rounding:Rounding": Rounding.revision}
