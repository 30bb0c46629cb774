"""The findings of a run, one line each, gravest first: how grave, what was found with its figure, what to do."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from divulge.report.advice import Advice, advice, of_refuted_claims
from divulge.report.entries import Entry, figure_of, strongest
from divulge.report.findings import Comparison, FindingKind, TraceComparison, beyond
from divulge.report.sections import Audit
from divulge.report.severity import SEVERITIES, Severity
from divulge.report.standards import REFUTED, standards
from divulge.report.wording import figure_words, listed, spoken

__all__ = ["Line", "lines"]


@dataclass(frozen=True)
class Line:
    """One finding of a run. `shown` is the result and the figure it rests on, where there is one.

    It is the gravest, not the farthest: `further` tells of an attack that takes more access and reaches more.
    """

    severity: Severity
    kind: FindingKind
    audit: Audit
    said: str
    do: Advice | None
    standards: tuple[str, ...] = ()
    shown: tuple[Entry, Comparison] | None = None
    claim: bool = False
    further: str = ""

    @property
    def action(self) -> str:
        """What to do, in a sentence."""
        if self.do is None:
            return ""
        return self.do.do if self.do.do.endswith(".") else f"{self.do.do} {self.do.why}"

    @property
    def anchor(self) -> str:
        """Where in the page the line is explained."""
        return f"audit-{self.audit.number}{'-epsilon' if self.claim else ''}"

    @property
    def title(self) -> str:
        """What the line is about."""
        return f"{self.audit.target}: its privacy claim is refuted" if self.claim else self.audit.title


def lines(audits: Iterable[Audit]) -> list[Line]:
    """Every finding: one for each audit, and one for each audit whose privacy claim is refuted; gravest first."""
    found = [line for audit in audits for line in _of(audit)]
    return sorted(found, key=lambda line: (SEVERITIES.index(line.severity), not line.claim))


def _of(audit: Audit) -> Iterator[Line]:
    if audit.refuted:
        entry, claim = audit.refuted[0]
        said = f"{entry.attack}: {claim.proof}; claimed was {claim.claim}."
        yield Line("critical", "leak", audit, said, next(of_refuted_claims(audit), None), REFUTED, claim=True)
        if audit.by_figures in ("none found", "not attacked"):
            return
    shown = audit.headline()
    severity = _by_figures(audit, shown)
    levels = tuple(shown[0].result.queries) if shown else audit.levels
    concerns = standards(audit.secrets_kind, levels) if audit.by_figures == "leak" else ()
    told = [one for one in advice(audit) if one not in tuple(of_refuted_claims(audit))]
    yield Line(
        severity,
        audit.by_figures,
        audit,
        _said(audit, shown),
        told[0] if told else None,
        concerns,
        shown,
        further=_further(audit, shown),
    )


def _by_figures(audit: Audit, shown: tuple[Entry, Comparison] | None) -> Severity:
    """How grave the figures are by themselves: a refuted claim has a line of its own."""
    if audit.by_figures != "leak":
        return "none" if audit.by_figures == "none found" else "unclear"
    return shown[0].severity_of_figures if shown else audit.severity


def _said(audit: Audit, shown: tuple[Entry, Comparison] | None) -> str:
    if shown is None:
        if audit.by_figures == "not attacked":
            return "Only measured as its owner sees it; nothing can be said about leaks."
        return _behind_badge((audit.deciding or audit.entries)[0].found.sentence)
    entry, one = shown
    if entry.void or isinstance(one, TraceComparison):  # a trace is told with its p-value
        return _behind_badge(entry.found.sentence)
    beside = [f"{spoken(one.baseline).short} without the model"] if one.baseline else []
    beside += [f"{spoken(one.control).short} on controls"] if one.control else []
    against = f", against {listed(beside)}" if beside else ""
    figure = f"{entry.attack}: {figure_words(one.attack, audit.secrets_kind)}: {spoken(one.attack).short}{against}."
    why = entry.shows(one) if audit.by_figures == "inconclusive" else ""
    return f"{figure} {why[:1].upper()}{why[1:]}." if why else figure


def _further(audit: Audit, shown: tuple[Entry, Comparison] | None) -> str:
    if shown is None or shown[0].void:
        return ""
    entry, one = shown
    alike = [other for other in audit.deciding if other.defended == entry.defended and not other.void]
    best = strongest(alike, figure_of(one.attack))
    reached = best.compared(figure_of(one.attack)) if best else None
    if best is None or reached is None or not beyond(reached.attack, one.attack):
        return ""
    return f"With {' and '.join(sorted(best.result.queries))}, {best.attack} reaches {spoken(reached.attack).short}."


def _behind_badge(sentence: str) -> str:
    """The sentence of a finding without the word that its badge says already."""
    rest = sentence.removeprefix("Inconclusive: ")
    return rest[:1].upper() + rest[1:]
