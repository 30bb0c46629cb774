"""A run as JUnit XML, for systems that show tests: one case for each finding or, with a policy, for each limit.

A leak or an exceeded limit is a failure, what stays open is skipped, a spec that failed is an error.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal
from xml.etree import ElementTree as ET

from divulge.gate.judgements import Judged, Judgement
from divulge.records import Revealed, RunResults
from divulge.report.advice import advice
from divulge.report.grouping import audits
from divulge.report.revealing import NOTHING
from divulge.report.sections import Audit
from divulge.report.tables import figure_text
from divulge.report.wording import group_words

__all__ = ["render"]

Outcome = Literal["passed", "failure", "skipped", "error"]
OUTCOMES: dict[str, Outcome] = {
    "leak": "failure",
    "none found": "passed",
    "inconclusive": "skipped",
    "not attacked": "skipped",
    "exceeded": "failure",
    "passed": "passed",
}
# What XML 1.0 cannot hold, however it is spelt.
FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Case:
    """One line of a test report."""

    suite: str
    name: str
    outcome: Outcome
    kind: str
    message: str
    detail: str = ""
    seconds: float = 0.0


def render(
    results: RunResults,
    revealed: Mapping[str, Sequence[Revealed]] = NOTHING,
    judged: Judged | None = None,
    source: str = "results.json",
) -> str:
    """Writes the cases of a run, by suite; no secret is ever among them."""
    del revealed
    cases = _of_findings(results) if judged is None else [_of_judgement(one) for one in judged.judgements]
    cases += [] if judged is not None else _of_failures(results)
    root = ET.Element("testsuites", {"name": "divulge", **_counts(cases)})
    for name in dict.fromkeys(case.suite for case in cases):
        own = [case for case in cases if case.suite == name]
        suite = ET.SubElement(root, "testsuite", {"name": _clean(name), "file": _clean(source), **_counts(own)})
        for case in own:
            _add(suite, case)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, encoding="unicode")}\n'


def _of_findings(results: RunResults) -> list[Case]:
    return [
        Case(
            suite=f"{audit.number}. {audit.title}",
            name=f"{entry.attack or 'no attack'}, {setting.label}",
            outcome=OUTCOMES[entry.found.kind],
            kind=entry.found.kind,
            message=entry.found.sentence,
            detail=_to_do(audit),
            seconds=entry.result.seconds,
        )
        for audit in audits(results)
        for setting in audit.settings
        for entry in setting.entries
    ]


def _of_failures(results: RunResults) -> list[Case]:
    return [
        Case("specs that failed", f"spec {one.spec_hash}", "error", "failed spec", one.reason)
        for one in results.failures
    ]


def _of_judgement(one: Judgement) -> Case:
    failed_spec = one.kind == "failed spec"
    group = group_words(one.group) if one.about else ""
    measured = "" if one.judged is None else f"measured: {figure_text(one.value, one.low, one.high, one.n)}"
    return Case(
        suite="policy",
        name=", ".join(filter(None, [one.required, one.about, group, f"spec {one.spec_hash}" * failed_spec])),
        outcome="error" if failed_spec else OUTCOMES[one.verdict],
        kind=one.verdict,
        message=one.reason,
        detail=measured,
    )


def _to_do(audit: Audit) -> str:
    return "\n".join(["What to do:", *(f"- {one.do} {one.why}" for one in advice(audit))])


def _add(suite: ET.Element, case: Case) -> None:
    attributes = {"classname": "divulge", "name": _clean(case.name), "time": f"{case.seconds:.3f}"}
    element = ET.SubElement(suite, "testcase", attributes)
    if case.outcome == "passed":
        ET.SubElement(element, "system-out").text = _clean(f"{case.message}\n{case.detail}".strip())
        return
    told = {"message": _clean(case.message)}
    if case.outcome != "skipped":  # readers that check the shape know no type of what was skipped
        told["type"] = case.kind
    ET.SubElement(element, case.outcome, told).text = _clean(case.detail)


def _counts(cases: Sequence[Case]) -> dict[str, str]:
    numbers = {"failure": "failures", "error": "errors", "skipped": "skipped"}
    counts = {word: str(sum(case.outcome == outcome for case in cases)) for outcome, word in numbers.items()}
    return {"tests": str(len(cases)), **counts, "time": f"{sum(case.seconds for case in cases):.3f}"}


def _clean(text: str) -> str:
    return FORBIDDEN.sub("\N{REPLACEMENT CHARACTER}", text)
