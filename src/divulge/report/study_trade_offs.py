"""What defences of a study leave to the adversary, against what they leave to the model's users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.report.charts import PREFERRED_UTILITY, Axis, axis_of, worth_axis
from divulge.report.study_series import FIRST, GUESSING, cell_label, measured, varying
from divulge.report.tables import value_text
from divulge.report.wording import way
from divulge.spec import Study
from divulge.studies.rows import StudyRow, StudyTable

__all__ = ["Defended", "Side", "StudyTradeOff", "study_trade_off"]

DEFENCE = "defence"
STRENGTHS = (DEFENCE, "strength", "rate")  # axes that say what was done to the model
UNDEFENDED = "none"


@dataclass(frozen=True)
class Defended:
    """A defence at a strength: its number and name, the strongest attack on it, and the utility that is left."""

    number: int
    label: str
    leak: StudyRow
    utility: StudyRow

    @property
    def bare(self) -> bool:
        """Whether nothing was done."""
        return self.leak.cell[DEFENCE] == UNDEFENDED


@dataclass(frozen=True)
class Side:
    """All defences against one adversary."""

    title: str
    points: tuple[Defended, ...]


@dataclass(frozen=True)
class StudyTradeOff:
    """Leak upwards, utility to the right; one field for each side."""

    title: str
    up: Axis
    across: Axis
    sides: tuple[Side, ...]

    @property
    def leaks_up(self) -> bool:
        """Whether the larger value is the leaking one, which is always on top."""
        return way(self.up.metric) == "high"

    @property
    def names(self) -> dict[int, str]:
        """The defences by number."""
        return dict(sorted({one.number: one.label for side in self.sides for one in side.points}.items()))


def study_trade_off(study: Study, table: StudyTable, metric: str | None = None) -> StudyTradeOff | None:
    """Lays out one metric of a table against utility; None where no two defences have both.

    Raises:
        InputError: No attack has a figure of this metric.
    """
    attacked = [row for row in table.rows if row.arm == "attack" and row.attack != GUESSING and _counts(row)]
    known = list(dict.fromkeys(row.metric for row in attacked))
    leak = metric or next((name for name in (*FIRST, *known) if name in known), None)
    if metric is not None and metric not in known:
        raise InputError(f"study {study.name!r} has no figure of metric {metric!r}.{did_you_mean(metric, known)}")
    worth = [row for row in table.rows if row.arm == "utility" and row.value is not None]
    utility = next((name for name in PREFERRED_UTILITY if any(row.metric == name for row in worth)), None)
    rows = [row for row in attacked if row.metric == leak and DEFENCE in row.cell]
    pairs = list(_paired(rows, [row for row in worth if row.metric == utility]))
    if leak is None or utility is None or len({_label(row) for row, _ in pairs}) < 2:
        return None
    return StudyTradeOff(
        title=f"{table.study}, scale {table.scale}: {leak} against {utility}",
        up=axis_of(leak, [measured(row) for row, _ in pairs]),
        across=_cut(worth_axis(utility, [measured(row) for _, row in pairs]), [row for _, row in pairs]),
        sides=tuple(_sides(pairs)),
    )


def _cut(axis: Axis, rows: Sequence[StudyRow]) -> Axis:
    """The axis of a share from where there is something to see."""
    lowest = min(end for row in rows for end in (row.value, row.low) if end is not None)
    start = next((start for start in (0.8, 0.6, 0.4, 0.2) if lowest >= start), 0.0)
    return Axis(axis.metric, start, axis.end) if axis.start == 0.0 and axis.end == 1.0 else axis


def _counts(row: StudyRow) -> bool:
    """Whether a figure is one that an adversary can reach: not by a choice that looks at the truth."""
    return row.value is not None and row.cell.get("choice", "own") == "own"


def _paired(rows: Sequence[StudyRow], worth: Sequence[StudyRow]) -> Iterator[tuple[StudyRow, StudyRow]]:
    """The strongest attack of each cell beside what the same model is worth."""
    cells: dict[str, list[StudyRow]] = {}
    for row in rows:
        cells.setdefault(repr(sorted(row.cell.items())), []).append(row)
    for same in cells.values():
        strongest = (max if way(same[0].metric) == "high" else min)(same, key=lambda row: row.value or 0.0)
        kept = next((one for one in worth if one.cell.items() <= strongest.cell.items()), None)
        if kept is not None:
            yield strongest, kept


def _sides(pairs: Sequence[tuple[StudyRow, StudyRow]]) -> Iterator[Side]:
    """Fields by what else varies, defences numbered alike in all of them."""
    others = [axis for axis in varying([row for row, _ in pairs]) if axis not in STRENGTHS]
    numbers = {label: number for number, label in enumerate(dict.fromkeys(_label(row) for row, _ in pairs), start=1)}
    fields: dict[str, list[Defended]] = {}
    for row, kept in pairs:
        label = _label(row)
        fields.setdefault(cell_label(row, others), []).append(Defended(numbers[label], label, row, kept))
    for title, points in fields.items():
        yield Side(title, tuple(points))


def _label(row: StudyRow) -> str:
    return " ".join(value_text(row.cell[axis]) for axis in STRENGTHS if row.cell.get(axis) is not None)
