"""The sections of a report: an audit, its settings and its results, and which of its figures come first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from divulge.canonical import canonical_json
from divulge.records import Check, Measurement, SpecResult
from divulge.report.findings import Comparison, Finding, FindingKind, beyond
from divulge.report.wording import question, way

__all__ = ["SERIOUS", "Audit", "Entry", "Figure", "Handshake", "Setting", "deciding", "figure_of", "gravest"]

Figure = tuple[str, str]  # a metric, and its group in canonical spelling
PREFERRED = {
    "canaries": ("accuracy", "success", "exposure", "hdt", "rank"),
    "users": ("auc", "accuracy", "tpr_at_fpr_0.01", "precision", "recall"),
    "rows": ("token_accuracy", "token_f1", "exact", "count", "rouge", "bleu"),
}
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
        """What the model is worth to its users; the same for every attack."""
        found: dict[Figure, Measurement] = {}
        for entry in self.entries:
            for one in entry.result.measurements:
                if one.arm in ("utility", "probe"):
                    found.setdefault(figure_of(one), one)
        return found


@dataclass(frozen=True)
class Handshake:
    """The checks that failed, each with its setting, and how many held or could not be tried."""

    failed: tuple[tuple[str, Check], ...]
    held: int
    untried: int


@dataclass(frozen=True)
class Audit:
    """One question put to one model."""

    number: int
    settings: tuple[Setting, ...]
    distinction: str = ""

    @property
    def entries(self) -> tuple[Entry, ...]:
        """All results, in the order of their settings."""
        return tuple(entry for setting in self.settings for entry in setting.entries)

    @property
    def spec(self) -> Any:
        """What all results share."""
        return self.entries[0].result.spec

    @property
    def secrets_kind(self) -> str:
        """What was looked for."""
        return str(self.spec["secrets"]["kind"])

    @property
    def target(self) -> str:
        """The kind of model."""
        return str(self.spec["target"]["kind"])

    @property
    def title(self) -> str:
        """The question."""
        return question(self.secrets_kind, self.target, self.levels)

    @property
    def stand_in(self) -> bool:
        """Whether the model is one that leaks, or does not, by construction."""
        return self.target.startswith("fake-")

    @property
    def attacks(self) -> list[str]:
        """The names of the attacks."""
        return list(dict.fromkeys(entry.attack for entry in self.entries if entry.attack))

    @property
    def deciding(self) -> list[Entry]:
        """The results that say something about the model: those that asked it, where any did."""
        return deciding(self.entries)

    @cached_property
    def kind(self) -> FindingKind:
        """The gravest finding."""
        return gravest(self.entries)

    @property
    def notes(self) -> list[str]:
        """The notes of all results, each once."""
        return list(dict.fromkeys(note for entry in self.entries for note in entry.result.notes))

    @property
    def handshake(self) -> Handshake:
        """The owner's trial of the access, over all settings; each check once."""
        checks = [
            (one.label, check) for one in self.settings for entry in one.entries for check in entry.result.handshake
        ]
        said: dict[tuple[str, str], set[bool | None]] = {}
        for _, check in checks:
            said.setdefault((check.access, check.name), set()).add(check.passed)
        failed = tuple(dict.fromkeys(pair for pair in checks if pair[1].passed is False))
        held = sum(True in passed and False not in passed for passed in said.values())
        return Handshake(failed, held, sum(passed == {None} for passed in said.values()))

    @property
    def others(self) -> list[Figure]:
        """The figures that come after the leads."""
        return [figure for figure in self.figures() if figure not in self.leads]

    @property
    def levels(self) -> tuple[str, ...]:
        """The access that was granted or, where all was, what was really asked."""
        granted = tuple(self.spec["adversary"]["access"])
        asked = sorted({level for entry in self.entries for level in entry.result.queries})
        return granted or tuple(asked)

    @cached_property
    def leads(self) -> tuple[Figure, ...]:
        """The figures that come first: enough of them that each result shows one that decided its finding."""
        ranked = self.figures()
        chosen: list[Figure] = []
        for kind in SERIOUS[:2]:
            alike = [one for one in self.entries if one.found.kind == kind]
            decided = [[place for place in ranked if _decides(one.compared(place), kind)] for one in alike]
            # The plainest figure that decides anything comes first, whichever result it belongs to.
            for figures in sorted(filter(None, decided), key=lambda found: ranked.index(found[0])):
                if not set(figures) & set(chosen):
                    chosen.append(figures[0])
        return tuple(sorted(chosen, key=ranked.index)) or tuple(ranked[:1])

    def figures(self) -> list[Figure]:
        """All figures of the attacks: those that decide about the undefended model first, then the plainest."""
        every = list(dict.fromkeys(figure_of(one.attack) for entry in self.entries for one in entry.found.comparisons))
        preferred = PREFERRED.get(self.secrets_kind, ())

        def place(figure: Figure) -> tuple[int, int, int]:
            shown = [one for entry in self.entries if (one := entry.compared(figure)) is not None]
            wanted = preferred.index(figure[0]) if figure[0] in preferred else len(preferred)
            measured = any(one.attack.value is not None for one in shown)
            plain = (entry.compared(figure) for entry in self.deciding if not entry.result.spec["defences"])
            weight = 0 if any(one.leaks for one in plain if one) else 1 if any(one.leaks for one in shown) else 2
            return weight, wanted if measured else len(preferred) + 1, every.index(figure)

        return sorted(every, key=place)

    def strongest(self, entries: Iterable[Entry], figure: Figure) -> Entry | None:
        """The result that comes farthest by one figure; what never asked comes last."""
        sign = 1 if way(figure[0]) == "high" else -1
        reached = {
            (entry.asked, sign * one.attack.value, -place): entry
            for place, entry in enumerate(entries)
            if (one := entry.compared(figure)) is not None and one.attack.value is not None
        }
        return reached[max(reached)] if reached else None

    def under(self, setting: Setting) -> Measurement | None:
        """The figure of the verdict, as the strongest attack reaches it under these defences."""
        shown = self.headline()
        figure = figure_of(shown[1].attack) if shown else None
        entry = self.strongest(setting.entries, figure) if figure else None
        compared = entry.compared(figure) if entry and figure else None
        return compared.attack if compared else None

    def headline(self) -> tuple[Entry, Comparison] | None:
        """The result and the figure that the verdict rests on: of the undefended model where that decides it."""
        for figure in self.leads:
            fitting = [entry for entry in self.deciding if entry.found.kind == self.kind and entry.compared(figure)]
            plain = [entry for entry in fitting if not entry.result.spec["defences"]]
            entry = self.strongest(plain or fitting, figure)
            compared = entry.compared(figure) if entry else None
            if entry is not None and compared is not None:
                return entry, compared
        return None


def deciding(entries: Iterable[Entry]) -> list[Entry]:
    """The results that say something about the model: those that asked it, where any did."""
    attacked = [entry for entry in entries if entry.attack]
    return [entry for entry in attacked if entry.asked] or attacked


def gravest(entries: Iterable[Entry]) -> FindingKind:
    """The gravest finding; an open question is graver than an answer."""
    kinds = {entry.found.kind for entry in deciding(entries)}
    return next((kind for kind in SERIOUS if kind in kinds), "not attacked")


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


def _decides(one: Comparison | None, kind: FindingKind) -> bool:
    if one is None:
        return False
    return one.leaks if kind == "leak" else (one.apart or one.suspicious) and not one.owners_view
