"""Tests of what one result asks."""

from __future__ import annotations

from tests.report.sample import figure
from tests.report.whole_run import BROKEN, HELD, deduplicated, made, of_users, silent

from divulge.gate.questions import (
    about,
    attack_of,
    defences_of,
    figure_key,
    is_void,
    never_asked,
    of_membership,
    part_of,
    target_of,
)
from divulge.records import SpecResult

BARE = SpecResult(spec={}, spec_hash="0", measurements=(), seconds=0.0, versions={})


def test_a_result_says_what_it_is_about():
    """Attack, model, defences."""
    result = silent("soft-token", defences=deduplicated(2))
    assert about(result) == "soft-token on tagger, deduplication"
    assert (attack_of(result), target_of(result), defences_of(result)) == ("soft-token", "tagger", ("deduplication",))
    assert about(made(attack=None)) == "no attack on tagger"


def test_a_spec_without_parts_is_read_all_the_same():
    """Results of somebody's own hand may lack them."""
    assert about(BARE) == "no attack on a model"
    assert (attack_of(BARE), defences_of(BARE), dict(part_of(BARE, "secrets"))) == (None, (), {})
    assert [one(BARE) for one in (is_void, never_asked, of_membership)] == [False] * 3


def test_membership_is_told_from_secrets_in_texts():
    """People are asked about in the one, words in the other."""
    assert of_membership(of_users())
    assert not of_membership(silent())


def test_a_failed_check_voids_a_result():
    """One that could not be tried does not."""
    assert is_void(silent(handshake=(HELD, BROKEN)))
    assert not is_void(silent())


def test_an_attack_without_queries_never_asked():
    """A result without an attack is no such attack."""
    assert never_asked(of_users(attack="blind", queries={}))
    assert not never_asked(of_users())
    assert not never_asked(made(attack=None))


def test_figures_are_told_apart_by_metric_arm_and_group():
    """The order within a group does not matter."""
    one, other = figure("success", 0.1, 0, 1, k=1, choice="own"), figure("success", 0.1, 0, 1, choice="own", k=1)
    assert figure_key(one) == figure_key(other) == ("success", "attack", '{"choice":"own","k":1}')
