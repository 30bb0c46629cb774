"""The rows of one cell: each attack's from the store, or as a kept table has them, beside the print and the copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from divulge.canonical import canonical_json, thaw
from divulge.records import Measurement
from divulge.spec import Published, Study
from divulge.store import Store
from divulge.studies.axes import read_values
from divulge.studies.controls import controls_of
from divulge.studies.drafts import CellDrafts, Draft
from divulge.studies.examples import examples_of
from divulge.studies.keeping import Costs, KeptRows, cell_key, lacks_probes, part_keys
from divulge.studies.notes import joined
from divulge.studies.planning import PlannedCell, StudyPlan
from divulge.studies.rows import Example, KeptCell, KeptPart, MissingCell, SeenControl, StudyRow
from divulge.studies.verdicts import table_verdict

__all__ = ["CellRows", "row_key"]

NO_FIGURE = "no figure of ours"
DIGITS = 6  # of a figure: more would be noise in files that are compared line by line

RowKey = tuple[str, str | None, str, str]


class CellRows:
    """A cell, part by part (see KeptPart): what the store has of it or, where that is not all, what a kept table has.

    Args:
        planned: The study at one scale.
        cell: One of its cells.
        store: Where finished tasks are.
        earlier: Parts of a kept table, by key.
        reasons: Why something is missing, by task key.
        costs: What tasks took that were not counted yet.
    """

    def __init__(
        self,
        planned: StudyPlan,
        cell: PlannedCell,
        store: Store,
        earlier: Mapping[str, KeptRows],
        *,
        reasons: Mapping[str, str],
        costs: Costs,
    ) -> None:
        self._planned, self._cell, self._earlier, self._costs = planned, cell, earlier, costs
        self._maker = CellDrafts(planned, cell, store, reasons)
        self._drafts = self._maker.drafts()
        self._printed = {row_key(p.cell, p.attack, p.metric, p.arm): p for p in _published(planned, cell)}
        self.missing: list[MissingCell] = []
        self.examples: list[Example] = []
        self.controls: list[SeenControl] = []
        self._parts: list[KeptPart] = []
        found: list[StudyRow] = []
        keys = part_keys(planned, cell)
        for attack in dict.fromkeys((*cell.specs, None)):
            lacking = [one for one in self._maker.failures if one.attack == attack]
            if lacking or (attack is None and lacks_probes(planned, cell, store)):
                found += self._earlier_or_some(attack, keys.get(attack), lacking)
            else:
                found += self._whole(attack, keys.get(attack))
        self.rows = tuple(self._beside_others(found))

    def kept(self) -> KeptCell:
        """What a later run needs of it."""
        whole = {part.attack for part in self._parts} >= part_keys(self._planned, self._cell).keys()
        return KeptCell(
            cell=thaw(self._cell.cell.values),
            key=cell_key(self._planned, self._cell) if whole and not self.missing else None,
            rows=len(self.rows),
            examples=len(self.examples),
            # Of whole parts: what another part began is counted with the one that is whole first.
            seconds=round(sum(part.seconds for part in self._parts), 3),
            models=sum(part.models for part in self._parts),
            controls=tuple(self.controls),
            parts=tuple(self._parts),
        )

    def _whole(self, attack: str | None, key: str | None) -> list[StudyRow]:
        if key is not None:
            seconds, models = self._costs.of(self._cell, attack)
            self._parts.append(KeptPart(attack=attack, key=key, seconds=seconds, models=models))
        return self._from_store(attack)

    def _earlier_or_some(self, attack: str | None, key: str | None, lacking: list[MissingCell]) -> list[StudyRow]:
        """What was kept of a part of which the store lacks some; if nothing was, what the store has of it."""
        kept = self._earlier.get(str(key))
        if kept is None:
            self.missing += lacking
            return self._from_store(attack)
        self._parts.append(kept.part)
        self.examples += kept.examples
        self.controls += kept.controls
        return [row for row in kept.rows if not row.note.startswith(NO_FIGURE)]

    def _from_store(self, attack: str | None) -> list[StudyRow]:
        parts = self._maker.attacked.get(attack or "", [])
        if attack is not None:
            self.examples += examples_of(self._planned.study, self._cell.cell, attack, parts)
            self.controls += controls_of(attack, parts)
        return [self._row(draft) for draft in self._drafts if draft.attack == attack]

    def _beside_others(self, rows: list[StudyRow]) -> Iterator[StudyRow]:
        """Puts the copy's figure beside each; a printed number without a figure gets a row too."""
        if not rows:
            return  # nothing of this cell was computed
        values = {row_key(row.cell, row.attack, row.metric, row.arm): row.value for row in rows}
        for row in rows:
            copied = self._planned.study.copy_of.get(row.attack or "")
            beside = values.get(row_key(row.cell, str(copied), row.metric, row.arm)) if copied else None
            yield row.model_copy(update={"copy_value": beside})
        yield from (self._row(_absent(one)) for key, one in self._printed.items() if key not in values)

    def _row(self, draft: Draft) -> StudyRow:
        """The row of a figure, with the printed number."""
        figure = draft.figure
        printed = self._printed.get(row_key(draft.cell, draft.attack, figure.metric, figure.arm))
        return _row(draft, printed, (self._planned.scale.note, self._planned.study.note))


def _row(draft: Draft, printed: Published | None, notes: tuple[str, ...]) -> StudyRow:
    figure = draft.figure
    value, low, high = _rounded(figure.value), _rounded(figure.low), _rounded(figure.high)
    published = printed.value if printed else None
    return StudyRow(
        cell=draft.cell,
        attack=draft.attack,
        arm=figure.arm,
        metric=figure.metric,
        published=published,
        copy=None,  # until all rows of the cell are there
        value=value,
        low=low,
        high=high,
        n=figure.n,
        # From the rounded figures: the row must bear out its own verdict.
        verdict=table_verdict(figure.metric, published, value, low, high),
        note=joined((draft.note, printed.note if printed else "", *notes)),
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
    return Draft(thaw(one.cell), one.attack, figure, NO_FIGURE)


def row_key(cell: Mapping[str, Any], attack: str | None, metric: str, arm: str) -> RowKey:
    """What no two rows of a table share."""
    return canonical_json(cell), attack, metric, arm


def _rounded(value: float | None) -> float | None:
    return None if value is None else float(f"{value:.{DIGITS}g}")
