"""A run as SARIF 2.1.0, for code scanning: a result for each leak or, with a policy, for each limit that does not hold.

What stays open is a result of kind "open", which must have no level. What holds is none, although SARIF could tell it:
code scanning takes every result for a problem. A spec that failed is a notification of the tool: the run was not whole.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any
from urllib.parse import quote

from divulge import __version__
from divulge.canonical import digest
from divulge.gate.judgements import Judged, Judgement
from divulge.metrics import METRICS
from divulge.records import Revealed, RunResults
from divulge.report.advice import advice
from divulge.report.findings import metric_called
from divulge.report.grouping import audits
from divulge.report.revealing import NOTHING
from divulge.report.sections import Audit, Entry
from divulge.report.tables import figure_text
from divulge.report.wording import metric_words

__all__ = ["render"]

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
KINDS = {"leak": "fail", "exceeded": "fail", "inconclusive": "open"}
QUESTIONS = {
    "canaries": "Secrets in training texts can be read out",
    "users": "One can tell whose texts a model was trained on",
    "records": "One can tell which texts a model was trained on",
    "rows": "Sentences behind stored vectors can be recovered",
}
OTHER_LIMITS = {
    "leak": "The policy wants that no attack finds a leak",
    "evidence": "The policy wants evidence: a run that is whole and measures what the limits are about",
}
SEVERITY = "7.0"  # as code scanning counts: high, not critical


def render(
    results: RunResults,
    revealed: Mapping[str, Sequence[Revealed]] = NOTHING,
    judged: Judged | None = None,
    source: str = "results.json",
) -> str:
    """Writes a log of one run of the tool; every result points at `source`, and no secret is ever among them."""
    del revealed
    found = _of_findings(results, source) if judged is None else _of_judgements(judged, source)
    ids = list(dict.fromkeys(one["ruleId"] for one in found))
    problems = [{**one, "ruleIndex": ids.index(one["ruleId"])} for one in found if one["kind"] in KINDS.values()]
    failed = [
        {"level": "error", "message": {"text": f"The spec {one.spec_hash} failed: {one.reason}"}}
        for one in results.failures
    ]
    driver = {"name": "divulge", "version": __version__, "rules": [_rule(one) for one in ids]}
    run = {
        "tool": {"driver": driver},
        "invocations": [{"executionSuccessful": not failed, "toolExecutionNotifications": failed}],
        "artifacts": [{"location": {"uri": _uri(source)}}],
        "results": problems,
        "columnKind": "unicodeCodePoints",
    }
    return json.dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}, indent=1, allow_nan=False) + "\n"


def _of_findings(results: RunResults, source: str) -> list[dict[str, Any]]:
    return [
        _of_entry(audit, setting.label, entry, source)
        for audit in audits(results)
        for setting in audit.settings
        for entry in setting.entries
    ]


def _of_entry(audit: Audit, label: str, entry: Entry, source: str) -> dict[str, Any]:
    attack = entry.attack or "no attack"
    to_do = " ".join(f"{one.do} {one.why}" for one in advice(audit))
    said = f"{audit.title} {entry.found.sentence} ({attack}, {label})"
    text = f"{said} What to do: {to_do}" if entry.found.kind == "leak" else said
    identity = [audit.target, audit.secrets_kind, attack, label, list(audit.levels)]
    found = _result(f"leak/{audit.secrets_kind}", entry.found.kind, text, identity, source)
    return {**found, "properties": {"finding": entry.found.kind, "specHash": entry.result.spec_hash}}


def _of_judgements(judged: Judged, source: str) -> list[dict[str, Any]]:
    # What failed is told once, as a notification.
    return [_of_judgement(one, source) for one in judged.judgements if one.kind != "failed spec"]


def _of_judgement(one: Judgement, source: str) -> dict[str, Any]:
    measured = "" if one.judged is None else f" Measured: {figure_text(one.value, one.low, one.high, one.n)}."
    where = f" ({one.about})" if one.about else ""
    text = f"Required: {one.required}{where}. {one.verdict.capitalize()}: {one.reason.rstrip('.')}.{measured}"
    identity = [one.required, one.about, one.metric, one.arm, one.group]
    found = _result(f"limit/{one.metric or one.kind}", one.verdict, text, identity, source)
    if one.verdict == "exceeded" and not one.clear:
        found["level"] = "warning"  # the interval reaches into what is allowed
    return {**found, "properties": {"verdict": one.verdict, "specHash": one.spec_hash}}


def _result(rule: str, said: str, text: str, identity: Sequence[object], source: str) -> dict[str, Any]:
    kind = KINDS.get(said, "pass")
    place = {"artifactLocation": {"uri": _uri(source), "index": 0}, "region": {"startLine": 1}}
    return {
        "ruleId": rule,
        "kind": kind,
        "level": "error" if kind == "fail" else "none",
        "message": {"text": text},
        "locations": [{"physicalLocation": place}],
        "partialFingerprints": {"question/v1": digest([rule, *identity], 32)},  # the same in the next run
    }


def _uri(source: str) -> str:
    """A path as an address: relative to the repository, as code scanning wants it, unless it is absolute."""
    return ("file://" if PurePath(source).is_absolute() else "") + quote(PurePath(source).as_posix())


def _rule(name: str) -> dict[str, Any]:
    group, _, about = name.partition("/")
    if group == "leak":
        short, full = QUESTIONS.get(about, "A model gives something away"), "Found by an attack, beside its baseline."
    elif about in OTHER_LIMITS:
        short, full = OTHER_LIMITS[about], OTHER_LIMITS[about]
    else:
        short = f"A limit on {about}: {metric_words(about, inside=True)}"
        full = metric_called(about).summary if about in METRICS else short
    return {
        "id": name,
        "name": "".join(word.capitalize() for word in name.replace("/", " ").replace("_", " ").split()),
        "shortDescription": {"text": f"{short}."},
        "fullDescription": {"text": full},
        "help": {"text": f"{full.rstrip('.')}. The report of the run says what it rests on and what to do about it."},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["privacy", "security"], "security-severity": SEVERITY},
    }
