"""Tests of the JUnit report: sound XML, one case for each finding or limit, nothing in it that may not be shown."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest
from tests.report.sample import SECRET, figure, run
from tests.report.whole_run import NASTY, leaking, made, revealed_of, silent, whole_run

from divulge.gate.judgements import Judged
from divulge.gate.judging import judge
from divulge.gate.policy import GateOptions, Limit, Policy
from divulge.records import Failure, RunResults
from divulge.report.findings import finding
from divulge.report.junit import render

POLICY = Policy(
    gate=GateOptions(fail_on_leak=True),
    limits=(
        Limit(metric="exposure", below=10.0),
        Limit(metric="test_accuracy", above=0.5),
        Limit(metric="bleu", below=1),
    ),
)


def suites_of(results: RunResults, judged: Judged | None = None) -> ET.Element:
    """The report, parsed; its shape is checked on the way."""
    text = render(results, judged=judged)
    assert text.startswith('<?xml version="1.0" encoding="UTF-8"?>\n')
    assert text.endswith("</testsuites>\n") or results == run()
    root = ET.fromstring(text.encode())
    check_shape(root)
    return root


def check_shape(root: ET.Element) -> None:
    """What readers of JUnit rely on: names, counts that add up, at most one outcome for each case."""
    assert root.tag == "testsuites"
    for element in (root, *root):
        cases = list(element.iter("testcase"))
        assert int(element.attrib["tests"]) == len(cases)
        for tag, count in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(element.attrib[count]) == sum(case.find(tag) is not None for case in cases)
    for case in root.iter("testcase"):
        assert case.attrib["name"]
        assert case.attrib["classname"]
        assert float(case.attrib["time"]) >= 0
        assert [child.tag for child in case] in (["failure"], ["error"], ["skipped"], ["system-out"])
        assert all(child.attrib.get("message") for child in case if child.tag != "system-out")


def outcomes(root: ET.Element) -> list[str]:
    """What came of each case."""
    return [case[0].tag for case in root.iter("testcase")]


def test_each_finding_is_a_case():
    """A leak fails, what is open is skipped, none found passes, a failed spec is an error."""
    whole = whole_run()
    tags = {"leak": "failure", "none found": "system-out", "inconclusive": "skipped", "not attacked": "skipped"}
    expected = sorted([*(tags[finding(one).kind] for one in whole.results), "error"])
    assert sorted(outcomes(suites_of(whole))) == expected
    assert {"failure", "system-out", "skipped", "error"} == set(expected)


def test_a_leak_says_what_to_do():
    """In the text of the failure; the sentence of the report is its message."""
    (failure,) = suites_of(run(leaking())).iter("failure")
    assert failure.attrib["message"] == finding(leaking()).sentence
    assert failure.attrib["type"] == "leak"
    assert "Take secrets out before training." in failure.text


def test_with_a_policy_each_judgement_is_a_case():
    """Failure, skipped and error, with what was measured."""
    results = run(leaking("a"), silent("b"), failures=(Failure(spec_hash="0123", reason="worker died"),))
    root = suites_of(results, judge(results, POLICY))
    # the failed spec; a leak, none; exposure of the one (the other has none); utility of both; no bleu
    expected = ["error", "failure", "system-out", "failure", "system-out", "system-out", "skipped"]
    assert outcomes(root) == expected
    assert root.find(".//error").attrib["message"] == "a spec failed: worker died"
    assert "13.2 [12.6, 13.3] n=40" in [one.text for one in root.iter("failure")][1]
    names = [case.attrib["name"] for case in root.iter("testcase")]
    assert len(set(names)) == len(names)
    assert "exposure: below 10, high end at 95 %, a on tagger" in names


@pytest.mark.parametrize("words", [NASTY, "a & b <c> ]]> \" '", "\x00\x1b\ud800\ufffe", "é漢字\U0001f512"])
def test_no_text_breaks_the_document(words):
    """Markup is escaped, what XML cannot hold is replaced, the rest arrives as it is."""
    results = run(
        leaking(target="x").model_copy(update={"notes": ()}), failures=(Failure(spec_hash="0", reason=words),)
    )
    (error,) = suites_of(results).iter("error")
    kept = re.sub("[\x00\x1b\ud800\ufffe]", "\ufffd", words)
    assert error.attrib["message"] == kept
    assert "<script>" not in render(results)


def test_no_secret_is_shown():
    """Not even on request."""
    result = leaking()
    assert SECRET not in render(whole_run())
    assert SECRET not in render(run(result), revealed_of(result))
    assert "a-2" not in render(run(result), revealed_of(result))


def test_groups_are_told_apart_in_the_names():
    """Two figures of one metric are two cases with two names."""
    results = run(made(figure("success", 0.1, 0, 0.2, k=1), figure("success", 0.2, 0.1, 0.3, k=10)))
    judged = judge(results, Policy(limits=(Limit(metric="success", below=0.5),)))
    names = [case.attrib["name"] for case in suites_of(results, judged).iter("testcase")]
    assert [name.rpartition(", ")[2] for name in names] == ["with the first guess", "within the first 10 guesses"]


def test_a_run_without_results_has_no_case():
    """It is still a document."""
    root = suites_of(run())
    assert (root.attrib["tests"], list(root)) == ("0", [])


def test_suites_name_the_file_they_came_from():
    """So that a reader can find it."""
    (suite,) = ET.fromstring(render(run(leaking()), source="runs/mine/results.json").encode())
    assert suite.attrib["file"] == "runs/mine/results.json"
