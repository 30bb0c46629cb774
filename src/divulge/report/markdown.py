"""A run as a Markdown document: what may be said first, then what it rests on. It holds no secret text unless asked to.

Only names, settings and figures of a result are shown; patterns, candidates, secrets, guesses and outcomes are not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple
from typing import Any

from divulge.records import Check, Revealed, RunResults, SpecResult
from divulge.report.advice import advice
from divulge.report.asking import asked, stand_in_words
from divulge.report.claims import is_claim
from divulge.report.findings import FEWEST_SECRETS, finding
from divulge.report.grouping import audits, verdict
from divulge.report.ladder import Ladder, ladders
from divulge.report.markdown_parts import claims_part, curve_part, exposed_part, ladder_part, risks_part
from divulge.report.ranking import Line, lines
from divulge.report.reading import readings
from divulge.report.revealing import NOTHING, shown
from divulge.report.sections import Audit, Entry
from divulge.report.tables import (
    MISSING,
    Layout,
    as_markdown,
    escaped,
    measured_text,
    number_text,
    results_layout,
    study_layout,
)
from divulge.report.wording import pairs
from divulge.studies.rows import StudyTable

__all__ = ["render", "render_study"]

SECRET_COLUMNS = ("secret", "arm", "asked", "truth", "guess", "right?")


def render(results: RunResults, revealed: Mapping[str, Sequence[Revealed]] = NOTHING) -> str:
    """Writes the report of a run; `revealed` holds secrets to show, by the hash of the spec they belong to."""
    warning = ["**This report shows secrets in plain words: keep it as you keep the training texts.**"]
    parts = [f"# {escaped(verdict(results))}", *(warning if any(revealed.values()) else []), *_summary(results)]
    found = audits(results)
    steps = ladders(found)
    for audit in found:
        parts += _section(audit, steps.get(audit.number), revealed)
    parts += [*_reading(results), *_failures(results)]
    return "\n\n".join(parts) + "\n"


def render_study(table: StudyTable) -> str:
    """Writes the table of a study, and what is missing of it."""
    layout = study_layout(table)
    parts = [f"## {escaped(layout.title)}", as_markdown(layout) if layout.rows else "Nothing was computed."]
    if table.failures:
        parts += ["Missing:", "\n".join(f"- {escaped(str(one))}" for one in table.failures)]
    return "\n\n".join(parts) + "\n"


def _summary(results: RunResults) -> Iterator[str]:
    counts = [finding(result).kind for result in results.results]
    said = [f"{counts.count(kind)} {kind}" for kind in dict.fromkeys(counts)]
    if results.failures:
        said.append(f"{len(results.failures)} failed")
    yield f"Findings: {', '.join(said) or 'none'}."
    if results.results:
        yield "\n".join(["Gravest first:", "", *map(_line, lines(audits(results)))])
        yield as_markdown(results_layout(results))
        yield (
            "A leak is claimed only where the attack's 95 % interval lies wholly beyond that of the baseline (what "
            "needs no model) and that of the control (the same questions where no model could know the answer), "
            f"never without a control or with fewer than {FEWEST_SECRETS} secrets. That an attack finds nothing does "
            "not show that there is nothing to find."
        )


def _line(line: Line) -> str:
    """One finding: how grave, what was found, what to do, where it is catalogued."""
    title = line.title if line.title.endswith("?") else f"{line.title}."
    about = f"- **{line.severity}** ({line.kind}): {escaped(title)} {escaped(line.said)}"
    about += f" {escaped(line.further)}" if line.further else ""
    do = f" **What to do:** {escaped(line.action)}" if line.action else ""
    named = f" Standards: {', '.join(line.standards)}; see docs/standards.md." if line.standards else ""
    return f"{about}{do}{named}"


def _section(audit: Audit, ladder: Ladder | None, revealed: Mapping[str, Sequence[Revealed]]) -> Iterator[str]:
    yield f"## {audit.number}. {escaped(audit.title)}"
    if stand_in_words(audit):
        yield escaped(stand_in_words(audit))
    labelled = [
        (entry, f"{entry.attack or 'probes only'}, {one.label}") for one in audit.settings for entry in one.entries
    ]
    yield "\n".join(f"- {escaped(label)}: **{escaped(entry.found.sentence)}**" for entry, label in labelled)
    yield "\n".join(["What was asked:", "", *(f"- {term}: {escaped(words)}" for term, words in asked(audit))])
    for entry, label in labelled:
        yield f"### {escaped(label)}"
        yield from _result(entry)
        if secrets := shown(revealed.get(entry.result.spec_hash, ())):
            yield "**Secrets in plain words**; keep this as you keep the training texts:"
            yield as_markdown(Layout(SECRET_COLUMNS, tuple(astuple(one) for one in secrets)))
    if ladder is not None:
        yield from ladder_part(ladder)
    yield "### What to do about it"
    yield "\n".join(f"- **{escaped(one.do)}** {escaped(one.why)}" for one in advice(audit))


def _result(entry: Entry) -> Iterator[str]:
    result = entry.result
    yield "\n".join(_terms(result))
    if entry.found.comparisons:
        yield "What was found (attack, with the interval at 95 %, beside baseline and control):"
        yield as_markdown(_found_layout(entry))
    yield from claims_part(entry)
    yield from curve_part(entry)
    yield from risks_part(entry)
    yield from exposed_part(entry)
    owners = [one for one in result.measurements if one.arm in ("utility", "probe") and not is_claim(one)]
    if owners:
        yield "What the model is worth to its users, through the same access:"
        rows = tuple((one.metric, pairs(one.group) or MISSING, measured_text(one)) for one in owners)
        yield as_markdown(Layout(("metric", "group", "figure"), rows))
    yield "\n".join([*_handshake(result.handshake), *(f"- Note: {escaped(note)}" for note in result.notes)])
    yield "\n".join(["To reproduce:", "", *_identity(result)])


def _terms(result: SpecResult) -> Iterator[str]:
    spec: Any = result.spec
    adversary, secrets = spec["adversary"], spec["secrets"]
    granted = ", ".join(adversary["access"]) or "all that the target grants"
    asked = ", ".join(f"{level} {count}" for level, count in sorted(result.queries.items())) or "nothing"
    each = " for each model" if spec.get("models", 1) > 1 else ""
    limit = "none" if adversary["max_queries"] is None else f"{adversary['max_queries']}{each}"
    behind = adversary["background"]
    yield f"- Access granted: {escaped(granted)}"
    yield f"- Examples asked: {escaped(asked)} (limit: {limit})"
    beside = "the same rows with each other's texts" if secrets["kind"] == "rows" else f"{secrets['controls']} secrets"
    named = f"{secrets['kind']}, {secrets['count']} of them; controls: {beside}"
    yield f"- Secrets: {'those of a secrets file, and its controls' if secrets['file'] else named}"
    public = (behind["corpus"]["name"] or behind["corpus"]["path"]) if behind["corpus"] else "none"
    models = f"{behind['shadows']} shadows, {behind['references']} references"
    yield f"- Background: public texts {escaped(public)}, {models}"
    names = ", ".join(defence["name"] for defence in spec["defences"]) or "none"
    known = "" if not spec["defences"] else ", known to" if adversary["knows_defence"] else ", unknown to"
    yield f"- Defences: {escaped(names)}{known + ' the adversary' if known else ''}"
    yield f"- Cost: {number_text(result.seconds)} s, all models and preparations included"


def _found_layout(entry: Entry) -> Layout:
    rows = [
        (
            one.metric,
            pairs(one.attack.group) or MISSING,
            measured_text(one.attack),
            measured_text(one.baseline),
            measured_text(one.control),
            entry.shows(one) or MISSING,
        )
        for one in entry.found.comparisons
    ]
    rows += [
        (one.metric, pairs(one.group), measured_text(one), MISSING, MISSING, "no attacker could choose so")
        for one in entry.result.measurements
        if one.arm == "attack" and one.group.get("choice") == "oracle"
    ]
    return Layout(("metric", "group", "attack", "baseline", "control", "shows"), tuple(rows))


def _handshake(checks: Iterable[Check]) -> Iterator[str]:
    words = {True: "held", False: "FAILED", None: "could not be tried"}
    lines = [
        f"- {escaped(check.access)}: {escaped(check.name)}: {words[check.passed]}"
        + (f" ({escaped(check.detail)})" if check.detail else "")
        for check in checks
    ]
    yield "Handshake, the owner's trial of the access:"
    yield ""
    yield from lines or ["- none was made"]


def _identity(result: SpecResult) -> Iterator[str]:
    spec: Any = result.spec
    data = spec["data"]["name"] or spec["data"]["path"]
    yield f"- Spec {result.spec_hash}, seed {spec['seed']}"
    yield f"- Data {escaped(str(data))}, fingerprint {result.data_fingerprint or MISSING}"
    yield f"- Versions: {escaped(pairs(result.versions))}"


def _reading(results: RunResults) -> Iterator[str]:
    kinds: dict[str, str] = {}
    for result in results.results:
        spec: Any = result.spec
        kinds |= {one.metric: str(spec["secrets"]["kind"]) for one in result.measurements}
    said = [(name, words) for name in sorted(kinds) for _, words in readings([name], kinds[name])]
    if said:
        yield "## How to read the figures"
        yield "\n".join(f"- **{name}**: {escaped(words)}" for name, words in said)


def _failures(results: RunResults) -> Iterator[str]:
    if results.failures:
        yield "## What failed"
        yield "\n".join(f"- Spec {one.spec_hash}: {escaped(one.reason)}" for one in results.failures)
