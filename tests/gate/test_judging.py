"""Tests of a whole policy beside a whole run."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.report.sample import SECRET, arms, figure, run
from tests.report.whole_run import BROKEN, deduplicated, leaking, made, of_rows, of_users, silent, whole_run

from divulge.gate.judgements import Judged
from divulge.gate.judging import judge
from divulge.gate.policy import GateOptions, Limit, Policy
from divulge.gate.sides import known_figures, tells_of_leak, worse_side
from divulge.records import Failure

FAILED = Failure(spec_hash="0123456789abcdef", reason="worker died")
NO_LEAK = Policy(gate=GateOptions(fail_on_leak=True))


def policy(**limit: object) -> Policy:
    """A policy of one limit."""
    return Policy(limits=(Limit(**limit),))  # type: ignore[arg-type]


def told(judged: Judged) -> list[tuple[str, str]]:
    """What each judgement is about, and its verdict."""
    return [(one.about, one.verdict) for one in judged.judgements]


def test_a_limit_is_held_against_every_figure_it_is_about():
    """Of all attacks and settings; the gravest decides."""
    judged = judge(run(leaking("a"), silent("b")), policy(metric="accuracy", below=0.5))
    assert told(judged) == [("a on tagger", "exceeded"), ("b on tagger", "passed")]
    assert judged.exit_code == 100


@pytest.mark.parametrize(
    ("narrowed", "about"),
    [
        ({"attack": "b"}, ["b on tagger"]),
        ({"target": "classifier"}, ["c on classifier"]),
        ({"defences": ("deduplication",)}, ["a on tagger, deduplication"]),
        ({"defences": ()}, ["a on tagger", "b on tagger", "c on classifier"]),
    ],
)
def test_a_limit_can_be_narrowed(narrowed, about):
    """To an attack, a kind of model, a set of defences."""
    results = run(leaking("a"), leaking("b"), leaking("a", defences=deduplicated()), leaking("c", target="classifier"))
    judged = judge(results, policy(metric="accuracy", below=0.5, **narrowed))
    assert [one.about for one in judged.judgements] == about


def test_a_group_is_matched_in_part():
    """Figures with more in their group are meant, too; those without are not."""
    figures = [
        figure("success", 0.1, 0.0, 0.2, k=1),
        figure("success", 0.3, 0.2, 0.4, k=1, choice="own"),
        figure("success", 0.9, 0.8, 1.0, k=10),
        figure("success", 0.8, 0.7, 0.9),
    ]
    judged = judge(run(made(*figures)), policy(metric="success", group={"k": 1}, below=0.5))
    assert [one.value for one in judged.judgements] == [0.1, 0.3]


def test_what_no_attacker_could_choose_is_left_out():
    """Unless the limit is about it."""
    assert [one.value for one in judge(run(of_rows()), policy(metric="token_f1", below=0.35)).judgements] == [0.2]
    judged = judge(run(of_rows()), policy(metric="token_f1", below=0.35, group={"choice": "oracle"}))
    assert [(one.value, one.verdict) for one in judged.judgements] == [(0.3, "exceeded")]


def test_an_arm_can_be_named():
    """Controls that give too much away are a fault of the audit."""
    judged = judge(run(leaking()), policy(metric="exposure", arm="control", below=2.0))
    assert [(one.arm, one.verdict) for one in judged.judgements] == [("control", "exceeded")]


def test_an_attack_that_never_asked_says_nothing_beside_one_that_did():
    """Alone, it leaves the question open, even where it is the one that was named."""
    results = run(of_users(), of_users(attack="blind", queries={}))
    assert told(judge(results, policy(metric="auc", below=0.999))) == [("rank-histogram on next-word", "passed")]
    judged = judge(results, policy(metric="auc", below=0.999, attack="blind"))
    assert told(judged) == [("blind on next-word", "inconclusive")]
    assert judge(run(results.results[1]), policy(metric="auc", below=0.6)).exit_code == 3


def test_what_is_not_there_is_inconclusive_and_says_what_is():
    """Another metric, or another group of the same."""
    judged = judge(run(silent()), policy(metric="auc", below=0.6))
    assert judged.exit_code == 3
    assert "It measured accuracy, hdt, test_accuracy, train_accuracy" in judged.judgements[0].reason
    judged = judge(run(silent()), policy(metric="accuracy", group={"k": 3}, below=0.6))
    assert "Of accuracy it has: attack of discrete-search on tagger" in judged.judgements[0].reason


def test_absence_may_pass_beside_evidence_but_never_alone():
    """A run in which nothing was judged is no run that passed."""
    limits = (Limit(metric="auc", below=0.6, when_absent="pass"), Limit(metric="accuracy", below=0.5))
    assert judge(run(silent()), Policy(limits=limits)).exit_code == 0
    judged = judge(run(silent()), Policy(limits=limits[:1]))
    assert (judged.exit_code, judged.judgements[-1].kind) == (3, "evidence")
    assert judge(run(), Policy(limits=limits[:1])).exit_code == 3


@pytest.mark.parametrize(
    ("results", "code"),
    [
        (run(silent(), failures=(FAILED,)), 3),
        (run(leaking(), failures=(FAILED,)), 100),
        (run(failures=(FAILED,)), 3),
        (run(), 3),
    ],
)
def test_a_failed_spec_leaves_the_whole_gate_open_at_best(results, code):
    """Whatever the others say; an exceeded limit stays one."""
    judged = judge(results, policy(metric="accuracy", below=0.5))
    assert judged.exit_code == code
    assert [one.spec_hash for one in judged.judgements if one.kind == "failed spec"] == [
        one.spec_hash for one in results.failures
    ]


@pytest.mark.parametrize(
    ("results", "verdicts"),
    [
        (run(leaking("a"), silent("b")), ["exceeded", "passed"]),
        (run(of_rows()), ["inconclusive"]),
        (run(leaking(handshake=(BROKEN,))), ["inconclusive"]),
        (run(of_users(), of_users(attack="blind", queries={})), ["exceeded"]),
        (run(of_users(attack="blind", queries={})), ["inconclusive"]),
        (run(made(attack=None)), ["inconclusive"]),
    ],
)
def test_a_leak_that_the_report_claims_exceeds(results, verdicts):
    """What it leaves open stays open; what never asked, or never attacked, is no evidence."""
    judged = judge(results, NO_LEAK)
    assert [one.verdict for one in judged.judgements] == verdicts
    assert {one.kind for one in judged.judgements} == {"leak"}


@pytest.mark.parametrize(
    ("result", "verdict"),
    [
        (of_rows(), "passed"),  # overlap alone
        (leaking(), "exceeded"),
        (of_rows(handshake=(BROKEN,)), "inconclusive"),
        (made(*arms("accuracy", (0.9, 0.8, 0.95), 0.1)), "inconclusive"),  # beyond chance, but no control
        (made(*arms("accuracy", (0.5, 0.2, 0.8), 0.1, (0.1, 0.0, 0.3), n=5)), "inconclusive"),  # few secrets
        (made(*arms("accuracy", (None, None, None), 0.1)), "inconclusive"),
    ],
)
def test_overlapping_intervals_may_pass_and_nothing_else(result, verdict):
    """Only where the policy says so."""
    lenient = Policy(gate=GateOptions(fail_on_leak=True, when_overlapping="pass"))
    assert [one.verdict for one in judge(run(result), lenient).judgements] == [verdict]
    strict = "inconclusive" if verdict == "passed" else verdict
    assert [one.verdict for one in judge(run(result), NO_LEAK).judgements] == [strict]


def test_a_broken_access_is_never_passed_over():
    """It was not asked anything, and beside a sound one it would vanish: then nobody would know what it gives away."""
    broken = leaking("b", handshake=(BROKEN,), queries={})
    for rules in (NO_LEAK, policy(metric="accuracy", below=0.9)):
        judged = judge(run(silent("a"), broken), rules)
        assert judged.exit_code == 3
        assert [one.spec_hash for one in judged.judgements if one.kind == "broken access"] == [broken.spec_hash]


def test_a_limit_against_an_earlier_run_needs_one():
    """Without it the figure is absent; with it, it is compared."""
    limit = policy(metric="accuracy", no_worse_by=0.1, end="value")
    assert judge(run(silent()), limit).exit_code == 3
    assert judge(run(silent()), limit, run(silent())).exit_code == 0
    assert judge(run(leaking()), limit, run(silent())).exit_code == 100
    assert judge(run(silent()), limit, run(leaking())).exit_code == 0


def test_no_secret_is_in_a_judgement():
    """Patterns, candidates and labels stay in the spec."""
    limits = tuple(
        Limit(metric=name, **{"below" if worse_side(name) == "high" else "above": 0.5}) for name in known_figures()
    )
    judged = judge(whole_run(), Policy(limits=limits, gate=GateOptions(fail_on_leak=True)))
    assert len(judged.judgements) > len(limits)
    assert SECRET not in judged.model_dump_json()


limits = st.builds(
    lambda metric, bound, end, confidence, n, gone: Limit(
        metric=metric,
        end=end,
        confidence=confidence,
        at_least_n=n,
        when_absent=gone,
        **{"below" if worse_side(metric) == "high" else "above": bound},
    ),
    st.sampled_from([name for name in known_figures() if tells_of_leak(name)]),
    st.floats(0, 20),
    st.sampled_from(["high", "value", "low", None]),
    st.floats(0.5, 0.999),
    st.integers(1, 100),
    st.sampled_from(["inconclusive", "pass"]),
)


@given(st.lists(limits, max_size=4), st.booleans(), st.sets(st.integers(0, 9)), st.booleans())
@settings(deadline=None)
def test_code_and_verdict_agree_whatever_the_policy(chosen, leaks, places, failed):
    """And every limit is judged at least once; a failed spec never passes."""
    whole = whole_run()
    results = run(*(whole.results[place] for place in sorted(places)), failures=(FAILED,) * failed)
    judged = judge(results, Policy.model_construct(limits=tuple(chosen), gate=GateOptions(fail_on_leak=leaks)))
    verdicts = {one.verdict for one in judged.judgements}
    expected = "exceeded" if "exceeded" in verdicts else "inconclusive" if "inconclusive" in verdicts else "passed"
    assert (judged.verdict, judged.exit_code) == (expected, {"exceeded": 100, "inconclusive": 3, "passed": 0}[expected])
    assert {limit.required for limit in chosen} <= {one.required for one in judged.judgements}
    assert not (failed and judged.exit_code == 0)
    assert judged.judgements
