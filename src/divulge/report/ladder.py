"""The access ladder: the strongest attack of a run at each level of access, and what each step up buys the adversary.

Results that differ only in what the adversary may ask belong to one ladder, although they are audits of their own. The
level of a result is the strongest that it really asked.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from divulge.report.entries import Entry, Figure, figure_of, strongest
from divulge.report.findings import Comparison, beyond
from divulge.report.grouping import identity
from divulge.report.sections import Audit
from divulge.report.wording import figure_words, group_words, metric_words, spoken

__all__ = ["FAMILIES", "Ladder", "Step", "ladders"]

FAMILIES: tuple[tuple[tuple[str, str], ...], ...] = (
    (
        ("LabelAccess", "the label only"),
        ("TopLabelAccess", "the label and its probability"),
        ("LabelLikelihoodAccess", "the probabilities of labels"),
        ("GradientAccess", "gradients and weights"),
    ),
    (("RankedTokensAccess", "the best words"), ("TokenLikelihoodAccess", "the likelihoods of words")),
    (("EmbeddedRowsAccess", "rows of vectors alone"), ("EmbeddingOracleAccess", "rows, and the same encoder")),
)
WHERE_TRIED = ("TopLabelAccess",)  # few interfaces are like that: a rung that is only missed where it is there


@dataclass(frozen=True)
class Step:
    """One rung: what is seen there, and the strongest attack that asked at it; None where none did.

    It may have been `granted` all the same, to an attack that had enough with less.
    """

    words: str
    level: str
    entry: Entry | None
    compared: Comparison | None
    granted: bool = False

    @property
    def said(self) -> str:
        """The figure with its interval, or that there is none."""
        if self.entry is None:
            return "granted, and not asked for" if self.granted else "not tried"
        return spoken(self.compared.attack).whole if self.compared else "tried, but not measured by this figure"


@dataclass(frozen=True)
class Ladder:
    """All rungs of one family, from the weakest, by one figure; and the audits that it spans."""

    numbers: tuple[int, ...]
    figure: str
    steps: tuple[Step, ...]
    sentence: str


def ladders(audits: Iterable[Audit]) -> dict[int, Ladder]:
    """The ladder of each question, by the number of the first audit that belongs to it."""
    together: dict[str, list[Audit]] = {}
    for audit in audits:
        together.setdefault(identity(audit.entries[0].result, access=False), []).append(audit)
    found = {ones[0].number: _ladder(ones) for ones in together.values()}
    return {number: one for number, one in found.items() if one is not None}


def _ladder(audits: Sequence[Audit]) -> Ladder | None:
    every = [entry for audit in audits for entry in audit.entries if entry.attack and entry.asked and not entry.void]
    entries = [entry for entry in every if not entry.defended] or every
    family = next((one for one in FAMILIES if any(_level(entry, one) for entry in entries)), None)
    if family is None:
        return None
    rungs = {level: [entry for entry in entries if _level(entry, family) == level] for level, _ in family}
    figure = _shared_figure(audits, [ones for ones in rungs.values() if ones])
    if figure is None:
        return None
    kind = audits[0].secrets_kind
    shown = [(level, words) for level, words in family if rungs[level] or level not in WHERE_TRIED]
    steps = tuple(_step(words, level, rungs[level], figure) for level, words in shown)
    # Less than what was asked at was not tried by itself; more may have been there, and not needed.
    highest = max(place for place, one in enumerate(steps) if one.entry is not None)
    beyond_it = (
        replace(one, granted=any(_names(entry, one.level) for entry in entries)) for one in steps[highest + 1 :]
    )
    steps = (*steps[: highest + 1], *beyond_it)
    title = ", ".join(filter(None, [metric_words(figure[0], kind), group_words(json.loads(figure[1]))]))
    return Ladder(tuple(one.number for one in audits), title, steps, _sentence(steps, kind))


def _level(entry: Entry, family: Sequence[tuple[str, str]]) -> str | None:
    """The strongest level of a family that a result asked at."""
    return next((level for level, _ in reversed(family) if level in entry.result.queries), None)


def _names(entry: Entry, level: str) -> bool:
    """Whether the audit of a result names this level, so that all of it was there to be asked."""
    spec: Any = entry.result.spec
    return level in spec["adversary"]["access"]


def _shared_figure(audits: Sequence[Audit], tried: Sequence[Sequence[Entry]]) -> Figure | None:
    """The figure that most rungs have, and of those the one that comes first in the audit."""
    ordered = list(dict.fromkeys(figure for audit in audits for figure in audit.figures()))

    def rungs(figure: Figure) -> int:
        return sum(strongest(entries, figure) is not None for entries in tried)

    return max(ordered, key=lambda figure: (rungs(figure), -ordered.index(figure)), default=None)


def _step(words: str, level: str, entries: Sequence[Entry], figure: Figure) -> Step:
    best = strongest(entries, figure)
    if best is not None:
        return Step(words, level, best, best.compared(figure))
    return Step(words, level, entries[0] if entries else None, None)


def _sentence(steps: Sequence[Step], secrets_kind: str) -> str:
    """What each step buys, told from the weakest rung that was tried."""
    measured = [(one, one.compared.attack) for one in steps if one.compared is not None]
    if not measured:
        return "No attack was measured at any rung."
    first, before = measured[0]
    by = figure_words(before, secrets_kind)
    said = [f"Whoever sees {first.words} reaches {spoken(before).short} by the figure “{by}”"]
    for step, attack in measured[1:]:
        assert figure_of(attack) == figure_of(before)
        if beyond(attack, before):
            said.append(f"{step.words} take it to {spoken(attack).short}")
        elif beyond(before, attack):
            said.append(
                f"the attack on {step.words} does worse, which is the attack's fault: the weaker one is open too"
            )
        else:
            said.append(f"{step.words} add nothing that the intervals can tell")
        before = attack if beyond(attack, before) else before
    untried = [one.words for one in steps if one.entry is None and not one.granted]
    if untried:
        said.append(f"not tried: {' and '.join(untried)}")
    return f"{'; '.join(said)}."
