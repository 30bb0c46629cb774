"""Tests of one limit held against one figure: every way to pass, to exceed, and to stay open."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.sample import arms, figure, run
from tests.report.whole_run import BROKEN, leaking, made, of_users, silent

from divulge.gate.comparing import compare
from divulge.gate.holding import Changes, absent, judged_figure
from divulge.gate.judgements import Judgement
from divulge.gate.policy import Limit
from divulge.gate.questions import figure_key
from divulge.records import Measurement, SpecResult


def held(limit: Limit, *measurements: Measurement, make: Any = made, **more: Any) -> Judgement:
    """Holds a limit against the first of these figures."""
    return judged_figure(limit, make(*measurements, **more), measurements[0], {})


def changed(limit: Limit, first: SpecResult, second: SpecResult) -> Judgement:
    """Holds a limit against the change of the first figure from one run to the next."""
    changes: Changes = {
        (one.spec_hashes[1], figure_key(one.second)): one for one in compare(run(first), run(second)).changes
    }
    return judged_figure(limit, second, second.measurements[0], changes)


EXPOSURE = figure("exposure", 8.0, 7.0, 9.5)


@pytest.mark.parametrize(
    ("limit", "judged", "verdict", "reason"),
    [
        (Limit(metric="exposure", below=10.0), 9.5, "passed", "within the limit"),
        (Limit(metric="exposure", below=9.5), 9.5, "exceeded", "only the end of the interval"),
        (Limit(metric="exposure", below=9.0), 9.5, "exceeded", "only the end of the interval"),
        (Limit(metric="exposure", below=8.0), 9.5, "exceeded", "the figure is beyond the limit"),
        (Limit(metric="exposure", below=7.0), 9.5, "exceeded", "the whole interval is beyond"),
        (Limit(metric="exposure", below=9.0, end="value"), 8.0, "passed", "within the limit"),
        (Limit(metric="exposure", below=7.5, end="low"), 7.0, "passed", "within the limit"),
        (Limit(metric="exposure", below=7.0, end="low"), 7.0, "exceeded", "the whole interval is beyond"),
        (Limit(metric="exposure", above=6.0, arm="control"), 7.0, "passed", "within the limit"),
    ],
)
def test_the_end_that_is_asked_for_decides(limit, judged, verdict, reason):
    """Below is below: what reaches the limit exceeds it."""
    found = held(limit, EXPOSURE)
    assert (found.judged, found.verdict) == (judged, verdict)
    assert reason in found.reason
    assert found.clear == ("whole" in reason)
    assert (found.value, found.low, found.high, found.n) == (8.0, 7.0, 9.5, 40)


@pytest.mark.parametrize(
    ("metric", "bound", "verdict"),
    [
        ("hdt", 0.5, "passed"),
        ("hdt", 0.7, "exceeded"),
        ("test_accuracy", 0.6, "passed"),
        ("test_accuracy", 0.65, "exceeded"),
    ],
)
def test_from_below_the_low_end_decides(metric, bound, verdict):
    """For what leaks when it is low, and for what the model is worth."""
    arm = "attack" if metric == "hdt" else "utility"
    assert held(Limit(metric=metric, above=bound), figure(metric, 0.8, 0.65, 0.9, arm=arm)).verdict == verdict


def test_more_confidence_asks_more():
    """9.5 at 95 % is 8 + 1.5 * 1.314 = 9.97 at 99 %, and 8 + 1.5 * 0.839 = 9.26 at 90 %."""
    assert held(Limit(metric="exposure", below=9.9, confidence=0.99), EXPOSURE).verdict == "exceeded"
    low, high = (held(Limit(metric="exposure", below=9.4, confidence=at), EXPOSURE) for at in (0.9, 0.95))
    assert (low.verdict, high.verdict) == ("passed", "exceeded")
    assert low.high == pytest.approx(9.259, abs=1e-3)


@pytest.mark.parametrize(
    ("one", "more", "reason"),
    [
        (figure("exposure", 1.0, 0.5, 1.5, n=9), {}, "n = 9, but the limit wants at least 10"),
        (figure("exposure", None, None, None), {}, "could not be measured"),
        (figure("exposure", 1.0, 0.5, None), {}, "has no high end; set end"),
        (figure("exposure", 1.0, 0.5, 1.5), {"handshake": (BROKEN,)}, "the handshake failed"),
        (figure("exposure", 1.0, 0.5, 1.5), {"queries": {}}, "never asked the model"),
    ],
)
@pytest.mark.parametrize("below", [0.1, 10.0])
def test_what_is_doubtful_neither_passes_nor_exceeds(one, more, reason, below):
    """However far within the limit, or beyond it."""
    found = held(Limit(metric="exposure", below=below), one, **more)
    assert found.verdict == "inconclusive"
    assert reason in found.reason


def test_the_fewest_secrets_are_the_policys_to_say():
    """More, or less."""
    one = figure("exposure", 1.0, 0.5, 1.5, n=9)
    assert held(Limit(metric="exposure", below=2.0, at_least_n=9), one).verdict == "passed"
    assert held(Limit(metric="exposure", below=2.0, at_least_n=50), EXPOSURE).verdict == "inconclusive"


def test_a_bound_on_epsilon_is_judged_by_the_end_it_has():
    """A bound from below that exceeds the limit proves something; one that does not proves nothing, but passes."""
    bound = figure("epsilon_lower_bound", 3.0, 3.0, None, 1000, "probe")
    assert held(Limit(metric="epsilon_lower_bound", below=8.0), bound).verdict == "passed"
    assert held(Limit(metric="epsilon_lower_bound", below=2.0), bound).verdict == "exceeded"


def test_a_baseline_beyond_the_limit_explains_the_attack():
    """No model is needed to get there; but an attack that lies clearly beyond the baseline did need it."""
    for metric, attack, baseline, limit in (
        ("exposure", (6.2, 5.5, 7.0), 6.0, Limit(metric="exposure", below=5.0)),
        ("hdt", (0.88, 0.8, 0.95), 0.9, Limit(metric="hdt", above=0.95)),
    ):
        found = held(limit, *arms(metric, attack, baseline))
        assert found.verdict == "inconclusive"
        assert "so is what needs no model" in found.reason
    assert held(Limit(metric="exposure", below=5.0), *arms("exposure", (8.0, 7.0, 9.5), 4.9)).verdict == "exceeded"
    assert held(Limit(metric="exposure", below=1.0), *arms("exposure", (25.0, 24.0, 26.0), 1.44)).verdict == "exceeded"
    assert held(Limit(metric="hdt", above=0.95), *arms("hdt", (0.4, 0.3, 0.5), 0.9)).verdict == "exceeded"


def test_a_control_beyond_the_limit_explains_it_as_well():
    """The model cannot know those secrets."""
    found = held(Limit(metric="exposure", below=5.0), *arms("exposure", (8.0, 6.5, 9.5), 1.4, (6.0, 5.0, 7.0)))
    assert found.verdict == "inconclusive"
    assert "secrets the model cannot know (control 6)" in found.reason


def test_only_the_same_group_explains():
    """Guessing a hundred times reaches more than guessing once."""
    own = [figure("success", 0.5, 0.4, 0.6, k=1), figure("success", 0.9, 0.9, 0.9, arm="baseline", k=100)]
    assert held(Limit(metric="success", below=0.3), *own).verdict == "exceeded"
    same = [own[0], figure("success", 0.45, 0.45, 0.45, arm="baseline", k=1)]
    assert held(Limit(metric="success", below=0.3), *same).verdict == "inconclusive"


def test_membership_must_lie_beyond_the_blind_baseline():
    """Texts may give it away by themselves; for planted secrets chance is known."""
    limit = Limit(metric="auc", below=0.7)
    blind = figure("auc", 0.65, 0.5, 0.79, 80, "baseline")
    found = judged_figure(
        limit,
        of_users(measurements=(figure("auc", 0.85, 0.78, 0.9, 80), blind)),
        figure("auc", 0.85, 0.78, 0.9, 80),
        {},
    )
    assert (found.verdict, "not clearly better than what needs no model" in found.reason) == ("inconclusive", True)
    far = figure("auc", 0.85, 0.8, 0.9, 80)
    assert judged_figure(limit, of_users(measurements=(far, blind)), far, {}).verdict == "exceeded"
    alone = figure("auc", 0.85, 0.78, 0.9, 80)
    assert judged_figure(limit, of_users(measurements=(alone,)), alone, {}).verdict == "exceeded"


def test_a_figure_within_the_limit_passes_whatever_the_baseline():
    """Nothing is to be explained."""
    found = held(Limit(metric="exposure", below=10.0), *arms("exposure", (8.0, 7.0, 9.5), 12.0))
    assert found.verdict == "passed"


def test_no_model_and_no_baseline_explains_what_the_owner_measured():
    """A utility that is too low is too low."""
    low = figure("test_accuracy", 0.3, 0.2, 0.4, arm="utility")
    assert held(Limit(metric="test_accuracy", above=0.9), low).verdict == "exceeded"


# -- against an earlier run -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "before", "after", "allowed", "verdict"),
    [
        ("exposure", (5.0, 4.0, 6.0), (5.0, 4.0, 6.0), 1.5, "passed"),  # 0 ± sqrt(2) = 1.414
        ("exposure", (5.0, 4.0, 6.0), (5.0, 4.0, 6.0), 1.4, "exceeded"),
        ("exposure", (5.0, 4.0, 6.0), (2.0, 1.0, 3.0), 0.0, "passed"),  # -3 + 1.414 is still better
        ("hdt", (0.5, 0.4, 0.6), (0.8, 0.7, 0.9), 0.0, "passed"),  # more wrong guesses: better
        ("hdt", (0.8, 0.7, 0.9), (0.5, 0.4, 0.6), 0.4, "exceeded"),  # worse by 0.3 + 0.1414
        ("hdt", (0.8, 0.7, 0.9), (0.5, 0.4, 0.6), 0.45, "passed"),
    ],
)
def test_no_worse_than_before_is_judged_by_the_pessimistic_end(metric, before, after, allowed, verdict):
    """Of the difference, whichever way the metric points."""
    limit = Limit(metric=metric, no_worse_by=allowed)
    found = changed(limit, made(figure(metric, *before)), made(figure(metric, *after)))
    assert found.verdict == verdict
    assert found.low <= found.value <= found.high == found.judged


def test_a_change_may_be_judged_by_its_value():
    """Or at another confidence: 0 + 1.414 * 0.839 = 1.187 at 90 %."""
    same = made(figure("exposure", 5.0, 4.0, 6.0))
    assert changed(Limit(metric="exposure", no_worse_by=0.0, end="value"), same, same).verdict == "passed"
    found = changed(Limit(metric="exposure", no_worse_by=1.2, confidence=0.9), same, same)
    assert (found.verdict, found.high) == ("passed", pytest.approx(1.1869, abs=1e-3))


def test_what_the_earlier_run_lacks_is_absent():
    """The policy says what that means; a broken access of the earlier run is no absence."""
    new = made(figure("exposure", 5.0, 4.0, 6.0))
    old = made(figure("auc", 0.5, 0.4, 0.6))
    assert changed(Limit(metric="exposure", no_worse_by=9.0), old, new).verdict == "inconclusive"
    found = changed(Limit(metric="exposure", no_worse_by=9.0, when_absent="pass"), old, new)
    assert (found.verdict, "when_absent" in found.reason) == ("passed", True)
    broken = made(figure("exposure", 5.0, 4.0, 6.0), handshake=(BROKEN,))
    found = changed(Limit(metric="exposure", no_worse_by=9.0, when_absent="pass"), broken, new)
    assert (found.verdict, "handshake failed in the first run" in found.reason) == ("inconclusive", True)


def test_few_secrets_in_the_earlier_run_are_too_few():
    """The comparison has as many as the smaller."""
    old, new = made(figure("exposure", 5.0, 4.0, 6.0, n=5)), made(figure("exposure", 5.0, 4.0, 6.0))
    found = changed(Limit(metric="exposure", no_worse_by=9.0), old, new)
    assert (found.verdict, found.reason) == ("inconclusive", "n = 5 in the comparison, but the limit wants at least 10")


def test_membership_that_is_no_better_than_blind_did_not_get_worse():
    """Not by the model."""
    blind = figure("auc", 0.65, 0.5, 0.79, 80, "baseline")
    old, new = (of_users(measurements=(figure("auc", v, v - 0.05, v + 0.05, 80), blind)) for v in (0.5, 0.8))
    assert changed(Limit(metric="auc", no_worse_by=0.1), old, new).verdict == "inconclusive"


def test_a_judgement_says_what_it_is_about():
    """Result, figure, and what was required."""
    found = held(Limit(metric="exposure", below=10.0), EXPOSURE)
    assert (found.metric, found.arm, found.about) == ("exposure", "attack", "soft-token on tagger")
    assert found.required == "exposure: below 10, high end at 95 %"
    nothing = absent(Limit(metric="auc", below=0.6), "no such figure")
    assert (nothing.verdict, nothing.reason, nothing.value, nothing.about) == (
        "inconclusive",
        "no such figure",
        None,
        "",
    )


# -- whatever the figures ---------------------------------------------------------------------------------

shares = st.floats(0.01, 1.0)
triples = st.tuples(shares, shares, shares).map(sorted)


@given(triples, triples, triples, shares, shares, st.integers(1, 30), st.sampled_from(["high", "value", "low", None]))
def test_tightening_a_limit_never_turns_exceeded_into_passed(attack, baseline, control, one, other, n, end):
    """Nor what stays open into what holds."""
    figures = [
        figure("accuracy", attack[1], attack[0], attack[2], n),
        figure("accuracy", baseline[1], baseline[0], baseline[2], n, "baseline"),
        figure("accuracy", control[1], control[0], control[2], n, "control"),
    ]
    tight, loose = sorted((one, other))
    for result in (made(*figures), of_users(measurements=tuple(figures))):
        strict, mild = (
            judged_figure(Limit(metric="accuracy", below=at, end=end), result, figures[0], {}).verdict
            for at in (tight, loose)
        )
        assert mild == "passed" or strict != "passed"


@given(triples, triples, shares, shares)
def test_nor_does_allowing_less_worsening(before, after, one, other):
    """The same, against an earlier run."""
    old, new = (made(figure("accuracy", two[1], two[0], two[2])) for two in (before, after))
    tight, loose = sorted((one, other))
    strict, mild = (changed(Limit(metric="accuracy", no_worse_by=at), old, new).verdict for at in (tight, loose))
    assert mild == "passed" or strict == "exceeded"


def test_samples_are_judged_as_one_would_expect():
    """The leaking model exceeds, the silent one passes."""
    limit = Limit(metric="exposure", below=10.0)
    (one,) = [one for one in leaking().measurements if one.metric == "exposure" and one.arm == "attack"]
    assert judged_figure(limit, leaking(), one, {}).verdict == "exceeded"
    (one,) = [one for one in silent().measurements if one.metric == "hdt" and one.arm == "attack"]
    assert judged_figure(Limit(metric="hdt", above=0.8), silent(), one, {}).verdict == "passed"
