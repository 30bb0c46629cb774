"""The results of an audit, each with what may be said about it, and which of them comes farthest or is gravest."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

from divulge.canonical import canonical_json
from divulge.records import Measurement, SpecResult
from divulge.report.claims import is_claim
from divulge.report.findings import Comparison, Finding, FindingKind, beyond
from divulge.report.severity import Severity, severity
from divulge.report.wording import way

__all__ = ["SERIOUS", "Entry", "Figure", "Setting", "deciding", "figure_of", "gravest", "strongest"]

Figure = tuple[str, str]  # a metric, and its group in canonical spelling
SERIOUS: tuple[FindingKind, ...] = ("leak", "inconclusive", "none found", "not attacked")


@dataclass(frozen=True)
class Entry:
    """One result, with what may be said about it."""

    result: SpecResult
    found: Finding

    @property
    def attack(self) -> str | None:
        """The attack's name; None where only probes were run."""
        spec: Any = self.result.spec
        return spec["attack"]["name"] if spec["attack"] else None

    @property
    def asked(self) -> bool:
        """Whether the model was asked anything: what never asks can find nothing of it."""
        return bool(self.result.queries)

    @property
    def defended(self) -> bool:
        """Whether a defence was on."""
        return bool(self.result.spec["defences"])

    @property
    def severity(self) -> Severity:
        """How grave the finding is, at the access that was asked."""
        spec: Any = self.result.spec
        return severity(self.found, str(spec["secrets"]["kind"]), tuple(self.result.queries))

    @property
    def severity_of_figures(self) -> Severity:
        """The same, whatever became of privacy claims."""
        return replace(self, found=replace(self.found, kind=self.found.without_claims, refuted=())).severity

    @property
    def void(self) -> bool:
        """Whether the handshake failed, so that no figure means anything."""
        return any(check.passed is False for check in self.result.handshake)

    def shows(self, one: Comparison) -> str:
        """What one figure shows; empty if nothing."""
        if self.void:
            return "void: the handshake failed"
        if one.leaks:
            return "leak" if self.asked else "reached without asking the model"
        return one.doubt or (_suspicion(one) if one.suspicious else "")

    def compared(self, figure: Figure) -> Comparison | None:
        """The arms of one figure, where there are any."""
        return next((one for one in self.found.comparisons if figure_of(one.attack) == figure), None)


@dataclass(frozen=True)
class Setting:
    """The results under one set of defences: the same model, shown in the same way."""

    label: str
    defended: bool
    entries: tuple[Entry, ...]

    @property
    def kind(self) -> FindingKind:
        """The gravest finding under these defences."""
        return gravest(self.entries)

    def utility(self) -> dict[Figure, Measurement]:
        """What the model is worth to its users; the same for every attack. A privacy claim is no figure of utility."""
        found: dict[Figure, Measurement] = {}
        for entry in self.entries:
            for one in entry.result.measurements:
                if one.arm in ("utility", "probe") and not is_claim(one):
                    found.setdefault(figure_of(one), one)
        return found


def deciding(entries: Iterable[Entry]) -> list[Entry]:
    """The results that say something about the model: those that asked it, where any did."""
    attacked = [entry for entry in entries if entry.attack]
    return [entry for entry in attacked if entry.asked] or attacked


def gravest(entries: Iterable[Entry], *, claims: bool = True) -> FindingKind:
    """The gravest finding, by figures alone if `claims` do not count; an open question is graver than an answer."""
    kinds = {entry.found.kind if claims else entry.found.without_claims for entry in deciding(entries)}
    return next((kind for kind in SERIOUS if kind in kinds), "not attacked")


def strongest(entries: Iterable[Entry], figure: Figure) -> Entry | None:
    """The result that comes farthest by one figure; what never asked comes last."""
    sign = 1 if way(figure[0]) == "high" else -1
    reached = {
        (entry.asked, sign * one.attack.value, -place): entry
        for place, entry in enumerate(entries)
        if (one := entry.compared(figure)) is not None and one.attack.value is not None
    }
    return reached[max(reached)] if reached else None


def figure_of(one: Measurement) -> Figure:
    """What a measurement is a figure of."""
    return one.metric, canonical_json(one.group)


def _suspicion(one: Comparison) -> str:
    """Why a figure above chance is no leak yet."""
    if one.control is None:
        return "better than without the model, but there is no control to compare with"
    if one.baseline is not None and not beyond(one.attack, one.baseline):
        return "better than without the model, but the intervals overlap"
    return "better than without the model, but not clearly better than on controls"
