"""The table of a study: rows of figures, what was published beside them, and what it cost to make."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from divulge.records import Arm, FrozenMapping, Record
from divulge.spec import Scale
from divulge.studies.verdicts import TableVerdict

__all__ = ["SCHEMA_VERSION", "MissingCell", "StudyRow", "StudyTable", "table_json"]

SCHEMA_VERSION = 1


class StudyRow(Record):
    """One figure of a study. `attack` is None where the figure is about the model alone (utility, probe)."""

    cell: FrozenMapping
    attack: str | None
    arm: Arm
    metric: str
    published: float | None
    copy_value: float | None = Field(alias="copy")
    value: float | None
    low: float | None
    high: float | None
    n: Annotated[int, Field(ge=0)]
    verdict: TableVerdict
    note: str = ""


class MissingCell(Record):
    """A cell, for one attack and one seed, that came to no result, and why."""

    cell: FrozenMapping
    attack: str | None
    seed: int
    reason: str

    def __str__(self) -> str:
        where = ", ".join(f"{axis} {value}" for axis, value in self.cell.items())
        return f"{where}, {self.attack or 'probes'}, seed {self.seed}: {self.reason}"


class StudyTable(Record):
    """All rows of a study at one scale. `seconds` is what all its tasks took together, whenever they were done."""

    schema_version: Literal[1] = SCHEMA_VERSION  # type: ignore[assignment]
    study: str
    paper: str
    scale: Scale
    rows: tuple[StudyRow, ...]
    failures: tuple[MissingCell, ...] = ()
    seconds: float = 0.0
    versions: FrozenMapping


def table_json(table: StudyTable) -> dict[str, Any]:
    """The table as scripts get it from `divulge study table --json`."""
    return table.model_dump(mode="json", by_alias=True, include={"study", "paper", "scale", "rows", "failures"})
