"""The table of a study: rows of figures, what was published beside them, and what it cost to make."""

from __future__ import annotations

from typing import Annotated, Any, Literal, NamedTuple

from pydantic import Field

from divulge.records import Arm, FrozenMapping, Record
from divulge.spec import Scale
from divulge.studies.verdicts import TableVerdict

__all__ = [
    "SCHEMA_VERSION",
    "Example",
    "KeptCell",
    "KeptPart",
    "MissingCell",
    "SeenControl",
    "StudyRow",
    "StudyTable",
    "TableCheck",
    "cost_words",
    "table_json",
]

# 1 had neither checks nor the number of models, 2 no examples, 3 no cells to go on from, 4 no parts of cells
SCHEMA_VERSION = 5


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


class TableCheck(Record):
    """A test of what must hold over a whole table if its figures are to be believed; a small p-value speaks against."""

    name: str
    attack: str
    statistic: float
    p_value: Annotated[float, Field(ge=0, le=1)]
    n: Annotated[int, Field(ge=0)]
    note: str = ""


class Example(Record):
    """A sentence of a public data set, what an attack made of its vectors, and how alike the two are."""

    cell: FrozenMapping
    attack: str
    truth: str
    guess: str
    cosine: Annotated[float, Field(ge=0, le=1)]


class SeenControl(NamedTuple):
    """One control as one attack saw it in one cell: where it stood, how likely a guess was to be right, and if it was.

    `identity` is the same in all cells that look for the same control; `rank` is None where nothing was scored, and
    `chance` where it was not looked for.
    """

    attack: str
    identity: str
    rank: int | None
    tied: int
    among: int
    chance: float | None
    found: bool


class KeptPart(Record):
    """One attack of a cell, or without a name its probes, of which nothing is missing, and what it cost beyond others.

    `key` is the hash of all that determines its rows.
    """

    attack: str | None
    key: str
    seconds: float = 0.0
    models: Annotated[int, Field(ge=0)] = 0


class KeptCell(Record):
    """What a later run, maybe elsewhere, needs of a cell to go on without computing it again.

    Its rows and examples are the next `rows` and `examples` of the table's. `key` is the hash of all that determines
    them, and None as long as something of the cell is missing; `parts` are those that are whole all the same. `seconds`
    and `models` are the cost of these beyond that of the cells before it.
    """

    cell: FrozenMapping
    key: str | None
    rows: Annotated[int, Field(ge=0)]
    examples: Annotated[int, Field(ge=0)] = 0
    seconds: float = 0.0
    models: Annotated[int, Field(ge=0)] = 0
    controls: tuple[SeenControl, ...] = ()
    parts: tuple[KeptPart, ...] = ()


class StudyTable(Record):
    """All rows of a study at one scale.

    `seconds` is what all its tasks took together, whenever they were done; `models` how many models those trained.
    `said` is what stands in the note of every row.
    """

    schema_version: Literal[1, 2, 3, 4, 5] = SCHEMA_VERSION  # type: ignore[assignment]
    study: str
    paper: str
    scale: Scale
    rows: tuple[StudyRow, ...]
    checks: tuple[TableCheck, ...] = ()
    examples: tuple[Example, ...] = ()
    failures: tuple[MissingCell, ...] = ()
    cells: tuple[KeptCell, ...] = ()
    said: str = ""
    seconds: float = 0.0
    models: Annotated[int, Field(ge=0)] | None = None
    versions: FrozenMapping


def table_json(table: StudyTable) -> dict[str, Any]:
    """The table as scripts get it from `divulge study table --json`."""
    shown = {"study", "paper", "scale", "rows", "checks", "examples", "failures", "seconds", "models"}
    return table.model_dump(mode="json", by_alias=True, include=shown)


def cost_words(table: StudyTable) -> str:
    """What the table cost to make, if each core did one task at a time.

    >>> cost_words(StudyTable(study="p/t", paper="p", scale="quick", rows=(), seconds=5400.0, models=20, versions={}))
    '1.5 core-hours, 20 models trained'
    """
    hours = table.seconds / 3600
    time = f"{hours:.1f} core-hours" if hours >= 0.1 else f"{table.seconds:.0f} core-seconds"
    if table.models is None:
        return time
    return f"{time}, {table.models} {'model' if table.models == 1 else 'models'} trained"
