"""Tests of one run beside another: differences with intervals, paired where the secrets are the same."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests.report.sample import figure, run
from tests.report.whole_run import BROKEN, deduplicated, leaking, made, silent, whole_run

from divulge.gate.comparing import Change, compare
from divulge.metrics.intervals import wilson
from divulge.records import Failure, Measurement, Outcome, SpecResult
from divulge.spec import SecretsSpec


def outcomes(metric: str, values: list[float], start: int = 0) -> tuple[Outcome, ...]:
    """One outcome per secret."""
    return tuple(Outcome(secret_id=f"s{start + i}", metric=metric, value=float(one)) for i, one in enumerate(values))


def rate(values: list[float], metric: str = "accuracy", start: int = 0, **more: object) -> SpecResult:
    """A result whose figure is the share of ones."""
    low, high = wilson(sum(values), len(values))
    one = figure(metric, float(np.mean(values)), low, high, len(values), **more)
    return made(one, outcomes=outcomes(metric, values, start))


def only(first: SpecResult, second: SpecResult) -> Change:
    """The one figure that both have."""
    (change,) = compare(run(first), run(second)).changes
    return change


def test_the_same_secrets_are_compared_one_by_one():
    """40 secrets, 10 found before and 30 after, 10 of them in both: +0.5; 20 pairs differ, all in one direction."""
    change = only(rate([1] * 10 + [0] * 30), rate([1] * 30 + [0] * 10))
    difference = change.difference
    assert (difference.paired, difference.n, change.verdict) == (True, 40, "worse")
    assert difference.value == pytest.approx(0.5)
    half = 1.96 * math.sqrt(0.25 / 40)  # the variance of 20 ones and 20 zeros is 1/4
    assert (difference.low, difference.high) == pytest.approx((0.5 - half, 0.5 + half), abs=0.05)


def test_pairs_see_what_two_intervals_cannot():
    """Nine more secrets of forty, and none fewer: the intervals overlap, the pairs do not lie."""
    before, after = [1] * 12 + [0] * 28, [1] * 21 + [0] * 19
    assert only(rate(before), rate(after)).verdict == "worse"
    other = only(rate(before), rate(after, start=100))
    assert (other.difference.paired, other.difference.n) == (False, 40)
    assert other.difference.low < only(rate(before), rate(after)).difference.low


def test_other_secrets_are_compared_by_combining_intervals():
    """Newcombe's method 10 for 56/70 and 48/80 (his example a): 0.2000 [0.0524, 0.3339]."""
    first, second = rate([1] * 48 + [0] * 32), rate([1] * 56 + [0] * 14, start=500)
    difference = only(first, second).difference
    assert not difference.paired
    assert (difference.value, difference.low, difference.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)
    assert difference.n == 70


def test_half_of_the_secrets_must_be_shared_to_pair():
    """Pairs of fewer would be another question; the difference is of those that are shared."""
    first, second = rate([1] * 20 + [0] * 20), rate([0] * 40, start=20)
    assert (only(first, second).difference.paired, only(first, second).difference.n) == (True, 20)
    assert only(first, second).difference.value == 0.0  # of the shared ones none was found before, either
    third = rate([0] * 40, start=21)
    assert not only(first, third).difference.paired
    assert only(first, third).difference.value == -0.5


def test_outcomes_that_the_figure_is_not_the_mean_of_are_not_paired():
    """Success at k = 1 has other outcomes than those kept, which are of the largest k; a median is no mean."""
    kept = outcomes("success", [1] * 30 + [0] * 10)
    small, large = figure("success", 0.25, 0.14, 0.4, k=1), figure("success", 0.75, 0.6, 0.86, k=200)
    found = compare(run(made(small, large, outcomes=kept)), run(made(small, large, outcomes=kept))).changes
    assert [(one.group["k"], one.difference.paired) for one in found] == [(1, False), (200, True)]
    ranks = made(figure("rank", 2.0, 1.0, 4.0), outcomes=outcomes("rank", [2.0] * 40))
    assert not only(ranks, ranks).difference.paired


def test_an_area_is_never_paired_by_its_outcomes():
    """Their mean is the area, but they depend on each other: pairs would claim too much."""
    area = made(figure("auc", 0.75, 0.6, 0.86), outcomes=outcomes("auc", [1] * 30 + [0] * 10))
    assert not only(area, area).difference.paired


def test_secrets_that_share_models_are_not_paired():
    """Outcomes do not say which model they belong to; one secret in each model is its own unit."""
    for count, paired in ((4, False), (1, True)):
        one = rate([1] * 10 + [0] * 30)
        secrets = SecretsSpec(pattern="x {digit}", count=count).model_dump(mode="json")
        several = one.model_copy(update={"spec": {**one.spec, "models": 10, "secrets": secrets}})
        assert only(several, several).difference.paired is paired


def test_no_difference_at_all_still_has_a_width():
    """Forty equal pairs do not prove that the next is equal; exposure has no share's bounds."""
    same = only(rate([0] * 40), rate([0] * 40)).difference
    assert same.low < 0 == same.value < same.high
    bits = made(figure("exposure", 3.0, 2.0, 6.0), outcomes=outcomes("exposure", [3.0] * 40))
    width = only(bits, bits).difference
    assert width.paired
    assert -4 < width.low < 0 < width.high < 4  # no outcome can differ by more than 6 - 2


@pytest.mark.parametrize(
    ("metric", "arm", "rising"),
    [
        ("exposure", "attack", "worse"),
        ("hdt", "attack", "better"),
        ("test_accuracy", "utility", "better"),
        ("test_perplexity", "utility", "worse"),
        ("accuracy", "baseline", "changed"),
        ("accuracy", "control", "changed"),
    ],
)
def test_which_way_is_worse_comes_from_the_metric(metric, arm, rising):
    """Baselines and controls are neither better nor worse."""
    low, high = figure(metric, 0.1, 0.05, 0.15, arm=arm), figure(metric, 0.8, 0.7, 0.9, arm=arm)
    assert only(made(low), made(high)).verdict == rising
    falling = {"worse": "better", "better": "worse", "changed": "changed"}[rising]
    assert only(made(high), made(low)).verdict == falling
    assert only(made(low), made(low)).verdict == "no clear change"


def test_nothing_is_claimed_of_a_broken_access():
    """Neither better nor worse, in whichever run."""
    broken = leaking(handshake=(BROKEN,))
    for first, second, said in ((broken, silent(), "first"), (silent(), broken, "second")):
        changes = compare(run(first), run(second)).changes
        assert changes
        assert {(one.verdict, one.difference) for one in changes} == {("not comparable", None)}
        assert changes[0].note == f"void: the handshake failed in the {said} run"


def test_what_was_not_measured_is_not_compared():
    """A missing value, a missing end."""
    absent = made(figure("auc", None, None, None))
    assert only(absent, made(figure("auc", 0.5, 0.4, 0.6))).verdict == "not comparable"
    bound = figure("epsilon_lower_bound", 1.0, 1.0, None, arm="probe")
    raised = figure("epsilon_lower_bound", 2.0, 2.0, None, arm="probe")
    change = only(made(bound), made(raised))
    assert (change.difference.value, change.difference.low, change.difference.high) == (1.0, None, None)
    assert change.verdict == "no clear change"  # two bounds from below say nothing of their difference


def test_what_only_one_run_has_is_listed():
    """Results, figures and failures."""
    first = run(
        made(figure("auc", 0.5, 0.4, 0.6), figure("recall", 0.5, 0.4, 0.6)),
        silent("a", defences=deduplicated()),
        failures=(Failure(spec_hash="0", reason="x"),),
    )
    second = run(made(figure("auc", 0.5, 0.4, 0.6), figure("success", 0.5, 0.4, 0.6, k=10)), silent("b"))
    found = compare(first, second)
    assert len(found.changes) == 1
    assert found.only_first == ("a on tagger, deduplication", "soft-token on tagger: recall (attack)")
    assert found.only_second == ("b on tagger", "soft-token on tagger: success k=10 (attack)")
    assert found.notes == ("1 of the specs of the first run failed; nothing is said of them.",)


def test_a_run_does_not_differ_from_itself():
    """Every figure is matched, none has clearly changed, and the same comes out every time."""
    whole = whole_run()
    found = compare(whole, whole)
    assert len(found.changes) == sum(len(one.measurements) for one in whole.results)
    assert {one.verdict for one in found.changes} == {"no clear change", "not comparable"}
    assert (found.only_first, found.only_second) == ((), ())
    assert compare(whole, whole) == found


def test_swapping_the_runs_turns_the_difference_around():
    """Also its ends, for pairs and for intervals alike."""
    for start in (0, 900):
        first, second = rate([1] * 10 + [0] * 30), rate([1] * 25 + [0] * 15, start=start)
        one, other = only(first, second).difference, only(second, first).difference
        turned: Measurement = figure("accuracy", -other.value, -other.high, -other.low)
        assert (one.value, one.low, one.high) == pytest.approx((turned.value, turned.low, turned.high), abs=0.02)
