"""The label, and nothing else."""

from __future__ import annotations

from tests.adapters import TEXTS, Gradients, Labels, Likelihoods

from divulge.access import LabelAccess, TopLabelAccess
from divulge.auditing.fitting import granted_levels
from divulge.auditing.naming import target_named
from divulge.defences.label_only import LabelOnly
from divulge.grants import Grant, level_of
from divulge.records import Artefact


def test_labels_stay() -> None:
    """They are those of the greatest probability."""
    found = LabelOnly().on_access(Likelihoods(), Artefact())
    assert isinstance(found, LabelAccess)
    assert found.label(TEXTS).tolist() == Likelihoods().likelihoods(TEXTS).argmax(axis=1).tolist()
    assert found.labels == Likelihoods().labels


def test_no_probability_is_granted() -> None:
    """Of no label; what was planned with says the same."""
    access = LabelOnly().on_access(Gradients(), Artefact())
    assert level_of(access) is LabelAccess
    assert TopLabelAccess not in Grant([access])
    assert granted_levels(target_named("fake-classifier"), [LabelOnly()]) == (LabelAccess,)


def test_switched_off_it_changes_nothing() -> None:
    """And labels alone lose nothing."""
    plain = Gradients()
    assert LabelOnly({"on": False}).on_access(plain, Artefact()) is plain
    found = LabelOnly().on_access(Labels(), Artefact())
    assert level_of(found) is LabelAccess
