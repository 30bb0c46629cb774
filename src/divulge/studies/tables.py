"""From finished tasks to the table of a study: figures beside the print and beside the faithful copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from divulge.canonical import canonical_json, thaw
from divulge.errors import InputError
from divulge.records import Measurement
from divulge.runs import versions
from divulge.spec import Published, Study
from divulge.store import Store
from divulge.studies.axes import read_values
from divulge.studies.controls import Controls, controls_of
from divulge.studies.drafts import CellDrafts, Draft
from divulge.studies.examples import examples_of
from divulge.studies.keeping import Costs, KeptRows, cell_key, whole_cells
from divulge.studies.notes import joined
from divulge.studies.planning import PlannedCell, StudyPlan
from divulge.studies.rows import Example, KeptCell, MissingCell, StudyRow, StudyTable
from divulge.studies.verdicts import table_verdict

__all__ = ["tabulate"]

DIGITS = 6  # of a figure: more would be noise in files that are compared line by line

Key = tuple[str, str | None, str, str]


def tabulate(
    planned: StudyPlan, store: Store, reasons: Mapping[str, str] | None = None, kept: StudyTable | None = None
) -> StudyTable:
    """Makes the table of all that the store holds, and of what it lacks but a kept table has whole.

    Args:
        planned: The study at one scale.
        store: Where finished tasks are.
        reasons: Why something is missing, by task key.
        kept: The table as it was kept before.

    Raises:
        InputError: Two figures would be the same row: the study's axes do not tell them apart.
    """
    earlier, costs = whole_cells(kept, planned), Costs(planned.plan.graph, store)
    rows: list[StudyRow] = []
    failures: list[MissingCell] = []
    examples: list[Example] = []
    cells: list[KeptCell] = []
    controls = Controls(planned.study.name)
    for cell in planned.cells:
        made, missing = _made(planned, cell, store, reasons or {})
        if missing and made.cell.key in earlier:
            made, missing = earlier[made.cell.key], []
        else:
            seconds, models = costs.of(cell)
            told = {"key": None if missing else made.cell.key, "seconds": seconds, "models": models}
            made = made._replace(cell=made.cell.model_copy(update=told))
        rows += made.rows
        examples += made.examples
        failures += missing
        cells.append(made.cell)
        controls.add(made.cell.controls)
    _refuse_twins(planned.study, rows)
    return StudyTable(
        study=planned.study.name,
        paper=planned.study.paper,
        scale=planned.scale.name,
        rows=tuple(rows),
        checks=controls.checks(),
        examples=tuple(examples),
        failures=tuple(failures),
        cells=tuple(cells),
        said=planned.said,
        seconds=round(sum(cell.seconds for cell in cells), 3),
        models=sum(cell.models for cell in cells),
        versions=versions(),
    )


def _made(
    planned: StudyPlan, cell: PlannedCell, store: Store, reasons: Mapping[str, str]
) -> tuple[KeptRows, list[MissingCell]]:
    """What the store has of a cell, and what it lacks."""
    maker = CellDrafts(planned, cell, store, reasons)
    rows = tuple(_compared(planned, cell, maker.drafts()))
    said = maker.attacked.items()
    examples = tuple(one for attack, parts in said for one in examples_of(planned.study, cell.cell, attack, parts))
    kept = KeptCell(
        cell=thaw(cell.cell.values),
        key=cell_key(planned, cell),
        rows=len(rows),
        examples=len(examples),
        controls=tuple(one for attack, parts in said for one in controls_of(attack, parts)),
    )
    return KeptRows(kept, rows, examples), maker.failures


def _compared(planned: StudyPlan, cell: PlannedCell, drafts: list[Draft]) -> Iterator[StudyRow]:
    """Puts the printed number and the copy's figure beside each draft; a printed number without one gets a row too."""
    if not drafts:
        return  # nothing of this cell was computed
    study = planned.study
    figures = {_key(d.cell, d.attack, d.figure.metric, d.figure.arm): d.figure for d in drafts}
    published = {_key(p.cell, p.attack, p.metric, p.arm): p for p in _published(planned, cell)}
    absent = [_absent(one) for key, one in published.items() if key not in figures]
    for draft in (*drafts, *absent):
        metric, arm = draft.figure.metric, draft.figure.arm
        printed = published.get(_key(draft.cell, draft.attack, metric, arm))
        copied = study.copy_of.get(draft.attack or "")
        beside = figures.get(_key(draft.cell, str(copied), metric, arm)) if copied else None
        yield _row(draft, printed, beside, (planned.scale.note, study.note))


def _row(draft: Draft, printed: Published | None, copied: Measurement | None, notes: tuple[str, ...]) -> StudyRow:
    figure = draft.figure
    value, low, high = _rounded(figure.value), _rounded(figure.low), _rounded(figure.high)
    published = printed.value if printed else None
    return StudyRow(
        cell=draft.cell,
        attack=draft.attack,
        arm=figure.arm,
        metric=figure.metric,
        published=published,
        copy=_rounded(copied.value) if copied else None,
        value=value,
        low=low,
        high=high,
        n=figure.n,
        # From the rounded figures: the row must bear out its own verdict.
        verdict=table_verdict(figure.metric, published, value, low, high),
        note=joined((draft.note, printed.note if printed else "", *notes)),
    )


def _refuse_twins(study: Study, rows: list[StudyRow]) -> None:
    counts = Counter(_key(row.cell, row.attack, row.metric, row.arm) for row in rows)
    twins = sorted(
        {(attack or "probes", metric, arm) for (_, attack, metric, arm), count in counts.items() if count > 1}
    )
    if twins:
        raise InputError(
            [
                f"study {study.name!r}: {attack}, {metric}, arm {arm}: several figures for one row. "
                "An axis must tell them apart, and no axis may have the name of a part of another one's figures"
                for attack, metric, arm in twins
            ]
        )


def _published(planned: StudyPlan, cell: PlannedCell) -> Iterator[Published]:
    """The printed numbers of one cell, at values that this scale reads."""
    study: Study = planned.study
    for one in study.published:
        here = all(axis in one.cell and one.cell[axis] == value for axis, value in cell.cell.values.items())
        read = [axis for axis in study.readings if axis in one.cell]
        if here and all(one.cell[axis] in read_values(study, planned.scale, axis, cell.cell.values) for axis in read):
            yield one


def _absent(one: Published) -> Draft:
    figure = Measurement(metric=one.metric, value=None, n=0, arm=one.arm)
    return Draft(thaw(one.cell), one.attack, figure, "no figure of ours")


def _key(cell: Mapping[str, Any], attack: str | None, metric: str, arm: str) -> Key:
    return canonical_json(cell), attack, metric, arm


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
