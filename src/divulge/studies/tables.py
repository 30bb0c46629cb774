"""From finished tasks to the table of a study: figures beside the print and beside the faithful copy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from divulge.errors import InputError
from divulge.runs import versions
from divulge.spec import Study
from divulge.store import Store
from divulge.studies.cell_rows import CellRows, row_key
from divulge.studies.controls import Controls
from divulge.studies.keeping import Costs, kept_parts
from divulge.studies.planning import StudyPlan
from divulge.studies.rows import Example, KeptCell, MissingCell, StudyRow, StudyTable

__all__ = ["tabulate"]


def tabulate(
    planned: StudyPlan, store: Store, reasons: Mapping[str, str] | None = None, kept: StudyTable | None = None
) -> StudyTable:
    """Makes the table of all that the store holds, and of attacks that it lacks but a kept table has whole.

    Args:
        planned: The study at one scale.
        store: Where finished tasks are.
        reasons: Why something is missing, by task key.
        kept: The table as it was kept before.

    Raises:
        InputError: Two figures would be the same row: the study's axes do not tell them apart.
    """
    earlier, costs = kept_parts(kept, planned), Costs(planned.plan.graph, store)
    rows: list[StudyRow] = []
    failures: list[MissingCell] = []
    examples: list[Example] = []
    cells: list[KeptCell] = []
    controls = Controls(planned.study.name)
    for cell in planned.cells:
        made = CellRows(planned, cell, store, earlier, reasons=reasons or {}, costs=costs)
        rows += made.rows
        examples += made.examples
        failures += made.missing
        cells.append(made.kept())
        controls.add(made.controls)
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


def _refuse_twins(study: Study, rows: list[StudyRow]) -> None:
    counts = Counter(row_key(row.cell, row.attack, row.metric, row.arm) for row in rows)
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
