"""The sections of a report: an audit, its settings and its results, and which of its figures come first."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from divulge.records import Check, Measurement
from divulge.report.claims import Claim
from divulge.report.entries import (
    SERIOUS,
    Entry,
    Figure,
    Setting,
    deciding,
    figure_of,
    gravest,
    strongest,
)
from divulge.report.findings import Comparison, FindingKind
from divulge.report.severity import SEVERITIES, Severity
from divulge.report.wording import question

__all__ = ["SERIOUS", "Audit", "Entry", "Figure", "Handshake", "Setting", "deciding", "figure_of", "gravest"]

PREFERRED = {
    "canaries": ("trace", "accuracy", "success", "exposure", "hdt", "rank"),
    "users": ("auc", "accuracy", "tpr_at_fpr_0.01", "precision", "recall"),
    "records": ("auc", "tpr_at_fpr_0.01", "tpr_at_fpr_0.001", "accuracy", "precision", "recall"),
    "rows": ("token_accuracy", "token_f1", "exact", "count", "rouge", "bleu"),
}


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
    def deleted(self) -> bool:
        """Whether the secrets were to be deleted, and the question is what is left of them."""
        return bool(self.spec["secrets"].get("deleted"))

    @property
    def of_person(self) -> bool:
        """Whether one person is the question: then there is a p-value, and no rate."""
        return self.spec["secrets"].get("person") is not None

    @property
    def has_planted_file(self) -> bool:
        """Whether the secrets file holds canaries of coins, and no secrets of real people: only those bound epsilon."""
        bounds = (one.metric for entry in self.entries for one in entry.result.measurements)
        return bool(self.spec["secrets"]["file"]) and "epsilon_lower_bound" in bounds

    @property
    def target(self) -> str:
        """The kind of model."""
        return str(self.spec["target"]["kind"])

    @property
    def title(self) -> str:
        """The question."""
        kind = "deletion" if self.deleted else "person" if self.of_person else self.secrets_kind
        return question(kind, self.target, self.levels)

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

    @cached_property
    def by_figures(self) -> FindingKind:
        """The gravest finding by figures alone, whatever became of privacy claims."""
        return gravest(self.entries, claims=False)

    @property
    def refuted(self) -> list[tuple[Entry, Claim]]:
        """Privacy claims that are refuted, each with the result that does it; the farthest first."""
        found = [(entry, claim) for entry in self.entries for claim in entry.found.refuted]
        return sorted(found, key=lambda pair: -pair[1].proven)

    @property
    def severity(self) -> Severity:
        """How grave the gravest finding is."""
        return min((entry.severity for entry in self.deciding), key=SEVERITIES.index, default="unclear")

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
            alike = [one for one in self.entries if one.found.without_claims == kind]
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
        return strongest(entries, figure)

    def under(self, setting: Setting) -> Measurement | None:
        """The figure of the verdict, as the strongest attack reaches it under these defences."""
        shown = self.headline()
        figure = figure_of(shown[1].attack) if shown else None
        entry = self.strongest(setting.entries, figure) if figure else None
        compared = entry.compared(figure) if entry and figure else None
        return compared.attack if compared else None

    def headline(self) -> tuple[Entry, Comparison] | None:
        """The result and the figure that the verdict rests on: of the undefended model where that decides it.

        Of several leaks, the gravest: what takes less access comes before what reaches further with more.
        """
        every = [entry for entry in self.deciding if entry.found.without_claims == self.by_figures]
        grave = min((entry.severity_of_figures for entry in every), key=SEVERITIES.index, default="none")
        for entries in ([one for one in every if one.severity_of_figures == grave], every):
            for figure in self.leads:
                fitting = [entry for entry in entries if entry.compared(figure)]
                entry = strongest([one for one in fitting if not one.defended] or fitting, figure)
                compared = entry.compared(figure) if entry else None
                if entry is not None and compared is not None:
                    return entry, compared
        return None


def _decides(one: Comparison | None, kind: FindingKind) -> bool:
    if one is None:
        return False
    return one.leaks if kind == "leak" else (one.apart or one.suspicious or one.explained) and not one.owners_view
