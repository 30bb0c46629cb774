"""Tests of what is said about one person, in sentences, in every report and by the gate."""

from __future__ import annotations

import pytest
from tests.report.people import about_person
from tests.report.sample import result, run

from divulge.gate.judging import judge
from divulge.gate.policy import Policy
from divulge.parts import validate
from divulge.report import REPORTS, rendered
from divulge.report.findings import finding
from divulge.report.grouping import verdict
from divulge.report.one_person import is_about_person, person_decided, person_reasons, person_sentence
from divulge.report.terminal import closing_lines

OPEN = {
    "too few known out": about_person(1 / 10, known_out=9),
    "too few controls": about_person(blind=(0.5, 9)),
    "no blind judge": about_person(blind=None),
    "blind": about_person(blind=(0.02, 40)),
    "miscalibrated": about_person(accused=(0.5, 40)),
    "no answer": about_person(None),
    "broken access": about_person(broken=True),
}


def test_evidence_is_a_leak_and_no_evidence_is_none_found():
    """With the p-value, the number of people and the line; never a rate."""
    caught, spared = finding(about_person()), finding(about_person(0.3))
    assert (caught.kind, spared.kind) == ("leak", "none found")
    assert "p-value 0.01 among 99 people known to be out, where 0.05 or less counts" in caught.sentence
    assert "does not show that they were not" in spared.sentence
    assert caught.comparisons == spared.comparisons == ()


@pytest.mark.parametrize("reason", OPEN)
def test_what_cannot_be_told_says_why(reason):
    """Each reason in words of its own."""
    decided = person_decided(OPEN[reason])
    assert (decided.decision, decided.reasons) == ("inconclusive", (reason,))
    assert finding(OPEN[reason]).kind == "inconclusive"
    (said,) = person_reasons(OPEN[reason], decided)
    assert person_sentence(OPEN[reason], "RankedTokensAccess") == f"Inconclusive: {said}."


def test_the_reasons_are_all_different():
    """And name the numbers that are too small."""
    said = {reason: person_reasons(one, person_decided(one))[0] for reason, one in OPEN.items()}
    assert len(set(said.values())) == len(OPEN)
    assert "with 9 people known to be out, no p-value can be below 0.1; 19 or more" in said["too few known out"]
    assert "9 were tried, 19 or more are needed" in said["too few controls"]
    assert "50% of 40" in said["miscalibrated"]


def test_alpha_of_the_audit_is_the_line():
    """At 0.001 the same p-value shows nothing."""
    assert person_decided(about_person(0.01, known_out=1999, alpha=0.001)).decision == "not shown"


def test_other_results_are_about_nobody():
    """Canaries are no person."""
    assert is_about_person(about_person())
    assert not is_about_person(result())


@pytest.mark.parametrize("one", [about_person(), about_person(0.3), *OPEN.values()])
@pytest.mark.parametrize("form", sorted(REPORTS))
def test_every_report_can_be_written(one, form):
    """Without a rate of leaks, which one person cannot give."""
    text = rendered(run(one), form)
    assert "people whose texts were used" not in text
    assert text


def test_the_verdict_is_about_the_person():
    """One line each, and the terminal says it too."""
    said = [verdict(run(one)) for one in (about_person(), about_person(0.3), OPEN["blind"])]
    assert said[0] == "There is evidence that this person’s texts were used"
    assert "not shown" in said[1]
    assert "cannot be told" in said[2]
    assert closing_lines(run(about_person()))[0] == f"{said[0]}."


@pytest.mark.parametrize(
    ("one", "expected"),
    [(about_person(), "exceeded"), (about_person(0.3), "passed"), (OPEN["blind"], "inconclusive")],
)
def test_the_gate_goes_by_the_finding(one, expected):
    """With fail_on_leak, and with a limit on the p-value, which a blind judge may explain."""
    policy = {"gate": {"fail_on_leak": True}, "limits": [{"metric": "p_value", "above": 0.05, "end": "value"}]}
    judged = judge(run(one), validate(Policy, policy, "policy"))
    assert [row.verdict for row in judged.judgements] == [expected, expected]
