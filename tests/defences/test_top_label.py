"""The best label, its probability, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest
from tests.adapters import TEXTS, Gradients, Labels, Likelihoods

from divulge.access import LabelLikelihoodAccess, TopLabelAccess
from divulge.attacks.base import Attack
from divulge.auditing.fitting import attack_problems, granted_levels, taken_by
from divulge.auditing.naming import attack_named, target_named
from divulge.defences.top_label import TopLabel
from divulge.grants import Grant, level_of
from divulge.records import Artefact
from divulge.spec import SecretsSpec


@pytest.mark.parametrize("decimals", [None, 1])
def test_the_best_label_and_its_probability_are_shown(decimals: int | None) -> None:
    """As the model has them, or rounded."""
    found = TopLabel({"decimals": decimals}).on_access(Likelihoods(), Artefact())
    assert isinstance(found, TopLabelAccess)
    clear = Likelihoods().likelihoods(TEXTS)
    numbers, shown = found.top(TEXTS)
    assert numbers.tolist() == clear.argmax(axis=1).tolist() == found.label(TEXTS).tolist()
    expected = clear.max(axis=1) if decimals is None else np.round(clear.max(axis=1), decimals)
    assert shown.tolist() == expected.tolist()
    assert decimals is None or not np.array_equal(shown, clear.max(axis=1))


def test_other_labels_and_weights_are_no_longer_granted() -> None:
    """Labels alone pass as they are, and so does everything where it is off."""
    access = TopLabel().on_access(Gradients(), Artefact())
    assert level_of(access) is TopLabelAccess
    assert LabelLikelihoodAccess not in Grant([access])
    labels, plain = Labels(), Gradients()
    assert TopLabel().on_access(labels, Artefact()) is labels
    assert TopLabel({"on": False}).on_access(plain, Artefact()) is plain


def test_an_attack_that_needs_more_is_refused_in_words_that_name_both() -> None:
    """The attack, what it requires, what is left, and the defence that left it."""
    target, defence = target_named("fake-classifier"), TopLabel()
    attack: Attack = attack_named("label-likelihood")
    secrets = SecretsSpec(pattern="pin {digit}", label="pin")
    levels = granted_levels(target, [defence])
    (said,) = attack_problems(secrets, attack, levels, taken_by(target, [defence]))
    assert "attack 'label-likelihood' requires LabelLikelihoodAccess; granted is TopLabelAccess" in said
    assert "behind defence 'top-label'" in said
    assert taken_by(target, [TopLabel({"on": False})]) == []
