"""Tests of the SARIF report: the shape that the standard and code scanning ask for, and no secret in it."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest
from tests.report.sample import SECRET, run
from tests.report.whole_run import BROKEN, NASTY, leaking, of_rows, revealed_of, silent, whole_run

from divulge import __version__
from divulge.gate.judgements import Judged
from divulge.gate.judging import judge
from divulge.gate.policy import GateOptions, Limit, Policy
from divulge.records import Failure, RunResults
from divulge.report.findings import finding
from divulge.report.sarif import render

TEXT = {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}}
PLACE = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation", "region"],
            "properties": {
                "artifactLocation": {
                    "type": "object",
                    "required": ["uri"],
                    "properties": {
                        "uri": {"type": "string", "pattern": r"^[A-Za-z0-9._~:/%-]+$"},
                        "index": {"const": 0},
                    },
                },
                "region": {"type": "object", "required": ["startLine"], "properties": {"startLine": {"minimum": 1}}},
            },
        }
    },
}
RESULT = {
    "type": "object",
    "required": ["ruleId", "ruleIndex", "kind", "level", "message", "locations", "partialFingerprints"],
    "properties": {
        "kind": {"enum": ["fail", "open"]},
        "level": {"enum": ["error", "warning", "note", "none"]},
        "message": TEXT,
        "locations": {"type": "array", "minItems": 1, "items": PLACE},
        "partialFingerprints": {"type": "object", "minProperties": 1, "additionalProperties": {"type": "string"}},
    },
    # Only what failed has a level.
    "if": {"properties": {"kind": {"const": "fail"}}},
    "then": {"properties": {"level": {"not": {"const": "none"}}}},
    "else": {"properties": {"level": {"const": "none"}}},
}
RULE = {
    "type": "object",
    "required": ["id", "shortDescription", "fullDescription", "help", "defaultConfiguration"],
    "properties": {"id": {"type": "string"}, "shortDescription": TEXT, "fullDescription": TEXT, "help": TEXT},
}
DRIVER = {
    "type": "object",
    "required": ["name", "version", "rules"],
    "properties": {"name": {"const": "divulge"}, "version": {"type": "string"}, "rules": {"items": RULE}},
}
INVOCATION = {
    "type": "object",
    "required": ["executionSuccessful"],
    "properties": {
        "executionSuccessful": {"type": "boolean"},
        "toolExecutionNotifications": {"items": {"required": ["message"], "properties": {"message": TEXT}}},
    },
}
LOG = {
    "type": "object",
    "required": ["version", "runs", "$schema"],
    "properties": {
        "version": {"const": "2.1.0"},
        "runs": {
            "type": "array",
            "minItems": 1,
            "maxItems": 1,
            "items": {
                "type": "object",
                "required": ["tool", "results", "invocations"],
                "properties": {
                    "tool": {"type": "object", "required": ["driver"], "properties": {"driver": DRIVER}},
                    "results": {"type": "array", "items": RESULT},
                    "invocations": {"type": "array", "minItems": 1, "items": INVOCATION},
                },
            },
        },
    },
}


def logged(results: RunResults, judged: Judged | None = None, source: str = "results.json") -> dict[str, Any]:
    """The one run of the log; its shape is checked on the way."""
    log = json.loads(render(results, judged=judged, source=source), parse_constant=pytest.fail)
    jsonschema.validate(log, LOG)
    (found,) = log["runs"]
    rules = [rule["id"] for rule in found["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    assert all(rules[one["ruleIndex"]] == one["ruleId"] for one in found["results"])
    return dict(found)


def test_leaks_fail_and_what_is_open_is_open():
    """One result for each finding that is no reassurance; code scanning would take a pass for a problem."""
    whole = whole_run()
    found = logged(whole)
    kinds = [finding(one).kind for one in whole.results]
    told = [(one["kind"], one["level"]) for one in found["results"]]
    assert told.count(("fail", "error")) == kinds.count("leak") > 0
    assert told.count(("open", "none")) == kinds.count("inconclusive") > 0
    assert len(told) == kinds.count("leak") + kinds.count("inconclusive") < len(kinds)
    assert found["tool"]["driver"]["version"] == __version__


def test_a_failed_spec_makes_the_execution_unsuccessful():
    """It is a notification, and no result."""
    found = logged(run(silent(), failures=(Failure(spec_hash="0123", reason=NASTY),)))
    assert found["results"] == []
    (invocation,) = found["invocations"]
    assert invocation["executionSuccessful"] is False
    assert [one["level"] for one in invocation["toolExecutionNotifications"]] == ["error"]
    assert logged(run(silent()))["invocations"] == [{"executionSuccessful": True, "toolExecutionNotifications": []}]


def test_a_leak_says_what_was_found_and_what_to_do():
    """In one message."""
    (one,) = logged(run(leaking()))["results"]
    assert finding(leaking()).sentence in one["message"]["text"]
    assert "What to do: Take secrets out before training." in one["message"]["text"]
    assert one["ruleId"] == "leak/canaries"


def test_with_a_policy_limits_are_the_rules():
    """Clearly beyond is an error, beyond only at the end of the interval a warning; what holds is no result."""
    limits = (
        Limit(metric="exposure", below=10.0),
        Limit(metric="accuracy", below=0.95, end="high"),
        Limit(metric="auc", below=0.7),
        Limit(metric="test_accuracy", above=0.5),
    )
    results = run(leaking())
    found = logged(results, judge(results, Policy(limits=limits, gate=GateOptions(fail_on_leak=True))))
    assert [(one["ruleId"], one["kind"], one["level"]) for one in found["results"]] == [
        ("limit/leak", "fail", "error"),
        ("limit/exposure", "fail", "error"),
        ("limit/accuracy", "fail", "warning"),
        ("limit/auc", "open", "none"),
    ]
    assert [rule["id"] for rule in found["tool"]["driver"]["rules"]][-1] == "limit/test_accuracy"
    assert "Measured: 13.2 [12.6, 13.3] n=40." in found["results"][1]["message"]["text"]


def test_what_failed_is_told_once():
    """As a notification, not among the limits as well."""
    results = run(silent(), failures=(Failure(spec_hash="0123", reason="worker died"),))
    found = logged(results, judge(results, Policy(limits=(Limit(metric="accuracy", below=0.5),))))
    assert found["results"] == []
    assert found["invocations"][0]["executionSuccessful"] is False


def test_a_run_without_evidence_is_open():
    """A policy that met nothing."""
    found = logged(run(), judge(run(), Policy(limits=(Limit(metric="auc", below=0.5, when_absent="pass"),))))
    assert [(one["ruleId"], one["kind"]) for one in found["results"]] == [("limit/evidence", "open")]


def test_the_same_question_has_the_same_fingerprint_in_every_run():
    """Whatever comes out; another attack is another question."""

    def prints(*results: Any) -> list[str]:
        return [one["partialFingerprints"]["question/v1"] for one in logged(run(*results))["results"]]

    (first,), (void,) = prints(leaking()), prints(leaking(handshake=(BROKEN,), seconds=9.0))
    assert first == void
    assert len(set(prints(leaking("a"), leaking("b"), of_rows()))) == 3


@pytest.mark.parametrize(
    ("source", "uri"),
    [
        ("audit.toml", "audit.toml"),
        ("runs/my run/results.json", "runs/my%20run/results.json"),
        ("/abs/é.json", "file:///abs/%C3%A9.json"),
    ],
)
def test_results_point_at_a_file(source, uri):
    """As an address: relative ones are of the repository."""
    found = logged(run(leaking()), source=source)
    (place,) = found["results"][0]["locations"]
    assert place["physicalLocation"]["artifactLocation"]["uri"] == uri == found["artifacts"][0]["location"]["uri"]


def test_no_secret_is_shown():
    """Not even on request."""
    result = leaking()
    assert SECRET not in render(whole_run())
    assert SECRET not in render(run(result), revealed_of(result))
    assert "a-2" not in render(run(result), revealed_of(result))
