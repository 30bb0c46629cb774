"""A study in a few lines: our attack beside each other one over the cells that have both, and beside the print."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from divulge.canonical import canonical_json
from divulge.report.study_series import GUESSING, attacks_of, ours_of
from divulge.report.tables import number_text, value_text
from divulge.spec import Study
from divulge.studies.rows import StudyRow, StudyTable
from divulge.studies.verdicts import better_when

__all__ = ["by_cell", "shown_metrics", "summary"]

MEMBERSHIP = ("auc", "false_positive_rate")  # of people told from others: at no line, and at the line drawn
SHOWN = (
    "accuracy",
    "hdt",
    "count",
    "unique",
    "keyword_found",
    "cosine",
    "order_printed",
    "bleu",
    "rouge",
    "exact",
    "token_accuracy",
    "token_f1",
)
# What decides how much can be had at all: a mean over several of their values would say nothing.
APART = ("vectors", "encoder", "setting", "choice", "adversary")


def summary(study: Study, table: StudyTable) -> Iterator[str]:
    """Ours beside each other attack, over all cells that have both, and beside the print."""
    every = [row for row in table.rows if row.arm == "attack"]
    kinds = list(dict.fromkeys(_kind(row) for row in every))
    differing = [place for place in range(len(APART)) if len({kind[place] for kind in kinds}) > 1]
    for kind in kinds:
        said = "".join(f", {APART[place]} {value_text(kind[place])}" for place in differing)
        yield from _compared(study, [row for row in every if _kind(row) == kind], said)


def _kind(row: StudyRow) -> tuple[Any, ...]:
    return tuple(row.cell.get(axis) for axis in APART)


def _compared(study: Study, every: Sequence[StudyRow], said: str) -> Iterator[str]:
    rows = by_cell(every)
    attacks = [attack for attack in attacks_of(study, every) if attack != GUESSING]
    ours = ours_of(study, attacks)
    for metric in shown_metrics(every):
        own = _of(rows, metric, ours)
        others = {other: _of(rows, metric, other) for other in attacks if other != ours}
        yield from _beside_others(f"{metric}{said}", own, others)
        printed = [
            (row.value, row.published) for row in own.values() if row.published is not None and row.value is not None
        ]
        if printed:
            held = sum(_at_least(metric, value, number) for value, number in printed)
            yield f"{metric}{said}: {ours} at least as good as the print in {held} of {len(printed)} cells with one."


def _of(rows: Mapping[tuple[str, str, str | None], StudyRow], metric: str, attack: str | None) -> dict[str, StudyRow]:
    """By cell, the rows of one attack and metric that have a value."""
    return {
        cell: row
        for (cell, name, who), row in rows.items()
        if (name, who) == (metric, attack) and row.value is not None
    }


def _beside_others(
    what: str, own: Mapping[str, StudyRow], others: Mapping[str, Mapping[str, StudyRow]]
) -> Iterator[str]:
    """One line for all attacks that were measured in the same of our cells."""
    shared: dict[tuple[str, ...], list[str]] = {}
    for other, rows in others.items():
        shared.setdefault(tuple(cell for cell in own if cell in rows), []).append(other)
    for cells, names in shared.items():
        if not cells:
            continue
        mine = [own[cell] for cell in cells]
        theirs = {name: [others[name][cell] for cell in cells] for name in names}
        means = ", ".join(f"{name} {number_text(_mean(rows))}" for name, rows in theirs.items())
        held = ", ".join(str(sum(map(_row_at_least, mine, rows))) for rows in theirs.values())
        compared = f"{what}: {mine[0].attack} {number_text(_mean(mine))}, {means} on average"
        yield f"{compared}; ours at least as good in {held} of {len(cells)} cells."


def _mean(rows: Sequence[StudyRow]) -> float:
    return sum(row.value for row in rows if row.value is not None) / len(rows)


def _row_at_least(row: StudyRow, other: StudyRow) -> bool:
    return row.value is not None and other.value is not None and _at_least(row.metric, row.value, other.value)


def shown_metrics(rows: Sequence[StudyRow]) -> list[str]:
    """The metrics that a page has room for: where people are told from others, AUC says it, and no threshold does."""
    there = {row.metric for row in rows}
    return [name for name in (MEMBERSHIP if MEMBERSHIP[0] in there else SHOWN) if name in there]


def by_cell(rows: Sequence[StudyRow]) -> dict[tuple[str, str, str | None], StudyRow]:
    """Rows of attacks, and of what models are worth, by cell, metric and attack."""
    shown = ("attack", "utility", "probe")
    return {(canonical_json(row.cell), row.metric, row.attack): row for row in rows if row.arm in shown}


def _at_least(metric: str, value: float, other: float) -> bool:
    return value >= other if better_when(metric) == "high" else value <= other
