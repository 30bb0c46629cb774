"""A run as one page for a browser: no script, no network, everything inline. It holds no secret text unless asked to.

The verdict comes first, then each audit: what was asked, what was found, what it costs, what to do. The template and
the style sheet lie in `page/`; every value is escaped there.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2

from divulge.records import Measurement, Revealed, RunResults
from divulge.report import wording
from divulge.report.advice import advice
from divulge.report.asking import asked, stand_in_words
from divulge.report.charts import Axis, Strip, axis_of, strip, trade_off
from divulge.report.claims import Claim, claims
from divulge.report.curves import Roc, roc
from divulge.report.entries import strongest
from divulge.report.exposed import Exposed, exposed
from divulge.report.findings import FEWEST_SECRETS, Comparison, Finding
from divulge.report.grouping import audits, verdict
from divulge.report.ladder import ladders
from divulge.report.page_templates import page_templates
from divulge.report.ranking import lines
from divulge.report.reading import readings
from divulge.report.reproduction import audit_file
from divulge.report.revealing import NOTHING, shown
from divulge.report.risks import Risks, risks
from divulge.report.sections import Audit, Entry, Figure
from divulge.report.tables import number_text

__all__ = ["render"]

ARMS = {"baseline": "without the model", "control": "on controls"}


def render(results: RunResults, revealed: Mapping[str, Sequence[Revealed]] = NOTHING) -> str:
    """Writes the page; `revealed` holds secrets to show, by the hash of the spec they belong to."""
    found = audits(results)
    page = (
        _templates()
        .get_template("page.html")
        .render(
            audits=found,
            ladders=ladders(found),
            lines=lines(found),
            verdict=verdict(results),
            failures=results.failures,
            fewest=FEWEST_SECRETS,
            revealed={key: shown(ones) for key, ones in revealed.items() if ones},
            versions=_versions(results),
        )
    )
    return page.rstrip() + "\n"


@dataclass(frozen=True)
class Plot:
    """One figure of an audit: its axis and, for each setting and attack, its arms."""

    title: str
    name: str
    way: str
    axis: Axis
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Block:
    """One attack under one setting."""

    setting: str
    attack: str
    says: str
    leaks: bool
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Line:
    """One arm: its name, its figure in words, and its strip."""

    arm: str
    name: str
    figure: wording.Spoken
    strip: Strip | None


def _plots(audit: Audit, figures: Sequence[Figure]) -> list[Plot]:
    return [_plot(audit, figure) for figure in figures]


def _plot(audit: Audit, figure: Figure) -> Plot:
    metric, group = figure
    rows = [(one.label, entry, entry.compared(figure)) for one in audit.settings for entry in one.entries]
    present = [(label, entry, compared) for label, entry, compared in rows if compared is not None]
    every = [arm for _, _, one in present for arm in (one.attack, one.baseline, one.control)]
    axis = axis_of(metric, every)
    blocks = tuple(_block(label, entry, compared, axis) for label, entry, compared in present)
    title = ", ".join(
        filter(None, [wording.metric_words(metric, audit.secrets_kind), wording.group_words(json.loads(group))])
    )
    return Plot(title, metric, wording.way(metric), axis, blocks)


def _block(setting: str, entry: Entry, compared: Comparison, axis: Axis) -> Block:
    says = entry.shows(compared)
    arms: list[tuple[str, Measurement | None]] = [(entry.attack or "", compared.attack)]
    arms += [(ARMS["baseline"], compared.baseline), (ARMS["control"], compared.control)]
    lines = tuple(
        Line(one.arm, name, wording.spoken(one), strip(one, axis, compared) if one.value is not None else None)
        for name, one in arms
        if one is not None
    )
    return Block(setting, entry.attack or "", says, says == "leak", lines)


def _overview(compared: Comparison) -> tuple[Axis, list[Strip], str]:
    """All arms of one figure, one below the other."""
    arms = [one for one in (compared.attack, compared.baseline, compared.control) if one and one.value is not None]
    axis = axis_of(compared.metric, arms)
    return axis, [strip(one, axis) for one in arms], wording.way(compared.metric)


def _said(found: Finding, secrets_kind: str) -> str:
    """The sentence of a finding, to stand behind its badge: the word is not said twice."""
    rest = found.sentence.removeprefix("Inconclusive: ")
    return rest[:1].upper() + (wording.with_metric_words(rest[1:], secrets_kind) if found.kind == "leak" else rest[1:])


def _oracle(audit: Audit) -> list[tuple[str, str, str]]:
    """Figures that no attacker could reach, for they choose by the truth."""
    return [
        (entry.attack or "", wording.metric_words(one.metric, audit.secrets_kind), wording.spoken(one).whole)
        for entry in audit.entries
        for one in entry.result.measurements
        if one.arm == "attack" and one.group.get("choice") == "oracle"
    ]


def _utility(audit: Audit) -> list[tuple[str, str, list[wording.Spoken]]]:
    """Figures of utility, one column for each setting."""
    columns = [setting.utility() for setting in audit.settings]
    figures = dict.fromkeys(figure for column in columns for figure in column)
    rows = []
    for metric, group in figures:
        better = "lower is better" if metric.endswith(wording.LOWER_IS_BETTER) else "higher is better"
        title = ", ".join(filter(None, [wording.metric_words(metric), wording.group_words(json.loads(group))]))
        rows.append((title, better, [wording.spoken(column.get((metric, group))) for column in columns]))
    return rows


def _costs(audit: Audit) -> Iterator[tuple[str, str, str, str]]:
    for setting in audit.settings:
        for entry in setting.entries:
            counts = sorted(entry.result.queries.items())
            numbers = [(level, wording.thousands(int(str(count)))) for level, count in counts]
            said = numbers[0][1] if len(numbers) == 1 else "; ".join(f"{one} ({level})" for level, one in numbers)
            seconds = number_text(entry.result.seconds)
            yield setting.label, entry.attack or "no attack", said or "nothing", seconds


def _readings(audit: Audit) -> list[tuple[str, str]]:
    """How to read each metric: its title, what it is, and which way it leaks."""
    kind = audit.secrets_kind
    named = readings((figure[0] for figure in audit.figures()), kind)
    return [(wording.metric_words(name, kind), words) for name, words in named]


def _claims(audit: Audit) -> list[tuple[str, Entry, Claim]]:
    """What is proven about epsilon, by setting and attack."""
    return [
        (setting.label, entry, claim)
        for setting in audit.settings
        for entry in setting.entries
        for claim in claims(entry.result)
    ]


def _curves(audit: Audit) -> list[tuple[str, Roc, Risks | None]]:
    """The curve of each attack and the records it singles out; that of the strongest on the undefended model first."""
    labelled = [(setting.label, entry) for setting in audit.settings for entry in setting.entries]
    plain = [entry for _, entry in labelled if not entry.defended] or [entry for _, entry in labelled]
    first = strongest(plain, audit.leads[0]) if audit.leads else None
    labelled.sort(key=lambda pair: pair[1] is not first)
    return [(label, drawn, risks(entry)) for label, entry in labelled if (drawn := roc(entry)) is not None]


def _exposures(audit: Audit) -> list[tuple[str, Exposed]]:
    """The most exposed secrets under each attack."""
    found = ((setting.label, exposed(entry)) for setting in audit.settings for entry in setting.entries)
    return [(label, one) for label, one in found if one is not None]


def _versions(results: RunResults) -> str:
    return "; ".join(dict.fromkeys(wording.pairs(one.versions) for one in results.results))


@cache
def _templates() -> jinja2.Environment:
    made = page_templates("page.css")
    tools: dict[str, Any] = {
        "advice": advice,
        "answers": wording.ANSWERS,
        "asked": asked,
        "audit_file": audit_file,
        "claims": _claims,
        "costs": _costs,
        "counted": wording.counted,
        "exposures": _exposures,
        "curves": _curves,
        "figure_words": wording.figure_words,
        "oracle": _oracle,
        "overview": _overview,
        "plots": _plots,
        "readings": _readings,
        "said": _said,
        "spoken": wording.spoken,
        "stand_in_words": stand_in_words,
        "trade_off": trade_off,
        "utility": _utility,
        "pairs": wording.pairs,
    }
    made.globals.update(tools)
    return made
