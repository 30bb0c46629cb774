"""The verbs that an attack need not write."""

from __future__ import annotations

import numpy as np
import pytest

from divulge.adversary import Background
from divulge.attacks.base import Attack
from divulge.attacks.baselines import Random
from divulge.attacks.discrete_search import DiscreteSearch
from divulge.errors import InputError
from divulge.grants import Grant
from divulge.records import LeakedRow


def test_an_attack_without_score_says_so() -> None:
    """Only attacks that write `score` can be measured by rank and exposure."""
    assert DiscreteSearch.can_score()
    assert not Random.can_score()
    with pytest.raises(NotImplementedError, match="random does not score"):
        Random().score(Grant([]), LeakedRow(row=0), [], Random().prepare(Background(), np.random.default_rng(0)))


def test_an_attack_learns_nothing_and_estimates_nothing_unless_it_says_how() -> None:
    """The defaults: empty knowledge, unknown cost."""
    learnt = Attack.prepare(DiscreteSearch(), Background(), np.random.default_rng(0))
    assert (learnt.values, learnt.arrays) == ({}, {})
    assert Attack.cost(DiscreteSearch.Options(), LeakedRow(row=0)) is None


def test_unknown_options_are_refused_with_a_suggestion() -> None:
    """A misspelt option names the one that was meant."""
    with pytest.raises(InputError, match="Did you mean 'restarts'"):
        DiscreteSearch({"restart": 3})
