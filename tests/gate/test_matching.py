"""Tests of which results of two runs belong together."""

from __future__ import annotations

from tests.report.sample import SECRET
from tests.report.whole_run import canaries, deduplicated, leaking, of_users, silent

from divulge.gate.matching import differing, matched
from divulge.records import SpecResult


def seeded(result: SpecResult, seed: int) -> SpecResult:
    """The same question with another seed."""
    return result.model_copy(update={"spec": {**result.spec, "seed": seed}, "spec_hash": f"seed {seed}"})


def test_what_asks_the_same_belongs_together_in_any_order():
    """By model, attack and defences; the rest is left."""
    first = [leaking("a"), silent("b"), silent("a", defences=deduplicated())]
    second = [silent("b"), silent("a", defences=deduplicated(2)), of_users(), silent("a")]
    pairs, only_first, only_second = matched(first, second)
    assert pairs == [(first[1], second[0]), (first[0], second[3])]
    assert (only_first, only_second) == ([first[2]], [second[1], second[2]])  # other options are another defence


def test_other_data_or_other_secrets_are_still_the_same_question():
    """And it is said where they differ, by name alone."""
    first, second = leaking(), leaking(secrets=canaries(copies=2, count=20, pattern=f"other {SECRET} {{place}}"))
    pairs, *_ = matched([first], [second])
    assert pairs == [(first, second)]
    said = differing(first, second)
    assert said == ["secrets.pattern", "secrets.copies", "secrets.count"]
    assert SECRET not in " ".join(said)


def test_texts_that_changed_under_the_same_name_are_told():
    """By the fingerprint."""
    assert differing(leaking(), leaking(data_fingerprint="0" * 64)) == ["the texts of the data"]
    assert differing(leaking(), leaking()) == []


def test_of_several_alike_equal_specs_come_first():
    """Then what differs in the seed alone; two that are left on a side are not paired by chance."""
    one = leaking()
    first, second = [seeded(one, 1), seeded(one, 2)], [seeded(one, 2), seeded(one, 3)]
    pairs, only_first, only_second = matched(first, second)
    assert pairs == [(first[1], second[0]), (first[0], second[1])]
    other = leaking(secrets=canaries(copies=3))
    pairs, only_first, only_second = matched([seeded(one, 1), seeded(other, 1)], [seeded(other, 2), seeded(one, 2)])
    assert [(old.spec["secrets"], new.spec["seed"]) for old, new in pairs] == [
        (other.spec["secrets"], 2),
        (one.spec["secrets"], 2),
    ]
    pairs, only_first, only_second = matched([seeded(one, 1), seeded(one, 2)], [seeded(one, 3), seeded(one, 4)])
    assert (pairs, len(only_first), len(only_second)) == ([], 2, 2)


def test_nothing_is_paired_twice_or_lost():
    """Every result is in exactly one place."""
    first, second = [leaking("a"), leaking("b"), silent("c")], [silent("c"), leaking("b"), leaking("d"), of_users()]
    pairs, only_first, only_second = matched(first, second)
    assert len(pairs) + len(only_first) == len(first)
    assert len(pairs) + len(only_second) == len(second)
