"""A small table of a study, made by hand, with its study."""

from __future__ import annotations

from typing import Any

from divulge.spec import Study, StudyScale
from divulge.studies.rows import MissingCell, StudyRow, StudyTable, TableCheck


def study(name: str = "p/table1", **changes: Any) -> Study:
    """A study that compares `ours` with `theirs`."""
    fields: dict[str, Any] = {
        "name": name,
        "paper": "p",
        "title": "How much is found",
        "base": {"target": {"kind": "nlu-tagger", "recipe": {"epochs": 3, "vectors": "random"}}},
        "axes": {"canary": ["pin"]},
        "metrics": ("accuracy", "hdt"),
        "copy_of": {"ours": "theirs", "other": "theirs"},
        "scales": (StudyScale(name="quick", note="fewer R"),),
        "note": "made by hand",
    }
    return Study(**{**fields, **changes})


def row(
    cell: dict[str, Any],
    attack: str | None,
    value: float | None,
    metric: str = "hdt",
    arm: str = "attack",
    **more: Any,
) -> StudyRow:
    """One row; its interval is a tenth wide on both sides unless told otherwise."""
    ends = (None, None) if value is None else (round(value - 0.1, 3), round(value + 0.1, 3))
    line = {"cell": cell, "attack": attack, "arm": arm, "metric": metric, "published": None, "copy": None}
    line |= {"value": value, "low": ends[0], "high": ends[1], "n": 10, "verdict": "not comparable", "note": ""}
    return StudyRow.model_validate({**line, **more})


def table(*rows: StudyRow, name: str = "p/table1", missing: bool = False, **more: Any) -> StudyTable:
    """A table of these rows."""
    failures = (MissingCell(cell={}, attack=None, seed=0, reason="why"),) if missing else ()
    check = TableCheck(name="ranks are uniform", attack="ours", statistic=0.05, p_value=0.4, n=60, note="KS")
    fields = {"checks": (check,), "failures": failures, "seconds": 7200.0, "models": 20, "versions": {}, **more}
    return StudyTable(study=name, paper="p", scale="quick", rows=rows, **fields)


def whole(cells: list[dict[str, Any]], name: str = "p/table1") -> StudyTable:
    """Three attacks, random guesses and utility in each cell; ours finds more the later the cell."""
    rows = []
    for number, cell in enumerate(cells):
        ours = round(0.5 - 0.1 * number, 3)
        rows += [
            row(cell, "theirs", 0.6, published=0.3 if number == 0 else None),
            row(cell, "ours", ours, copy=0.6, published=0.3 if number == 0 else None),
            row(cell, "other", 0.45, copy=0.6),
            row(cell, "random", 0.9),
            row(cell, "theirs", 0.9, arm="baseline", low=0.9, high=0.9),
            row(cell, None, 0.97, metric="intent_accuracy", arm="utility"),
        ]
    return table(*rows, name=name)
