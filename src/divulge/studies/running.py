"""Runs a study, or finds what was computed of it before: kept results first, then the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from divulge.canonical import digest
from divulge.engine.progress import Progress
from divulge.engine.requests import Cluster
from divulge.engine.running import TimeIsUpError, run
from divulge.errors import EvidenceError
from divulge.records import Artefact
from divulge.runs import EXECUTE
from divulge.spec import Study
from divulge.store import Store
from divulge.studies import study_named
from divulge.studies.axes import choice_of, scale_named
from divulge.studies.keeping import finals_without, kept_parts, whole_cells
from divulge.studies.planning import plan_study
from divulge.studies.results import SCALES, kept_scales, read_table, write_table
from divulge.studies.rows import StudyTable
from divulge.studies.tables import tabulate

__all__ = ["computed_scales", "run_study", "study_table"]


def run_study(
    study: Study,
    scale: str,
    store: Store,
    *,
    workers: int,
    progress: Progress | None = None,
    log: Path | None = None,
    save: Path | None = None,
    debug: bool = False,
    cluster: Cluster | None = None,
    seconds: float | None = None,
    only: Sequence[str] = (),
) -> StudyTable:
    """Computes what the store lacks of a study and makes its table.

    Cells that failed are in the table's `failures`; the others are in its rows all the same. The same call again
    does only what is missing.

    Args:
        study: The study.
        scale: One of its scales.
        store: Where artefacts are found and put.
        workers: How many worker processes; 0 does the tasks in this process.
        progress: Whom to tell; None tells nobody.
        log: Where to append events as JSON lines.
        save: A results folder to keep the table in. Attacks on cells that its table already has whole are not computed
            again; what an interrupted run came to is kept there too, if it is more than before.
        debug: Whether reasons of failures may quote unexpected errors, which may hold raw data.
        cluster: A cluster that does the tasks, in place of workers on this machine.
        seconds: How long it may take; then a TimeIsUpError says so, and what was finished is kept.
        only: "AXIS=VALUE" texts (see `choice_of`): other cells are not computed; what is known of them stays.
    """
    kept = None if save is None else read_table(study, scale, save)
    choice = choice_of(study, scale_named(study, scale), only)
    planned = plan_study(study, scale)
    _remember(study, scale, store)
    parts = kept_parts(kept, planned)
    if parts and progress is not None:
        whole = f"{whole_cells(parts, planned)} of {len(planned.cells)} cells"
        progress.told(f"{whole}, with {len(parts)} attacks and probes, are kept in {save} and not computed again")
    how: Any = {"progress": progress, "log": log, "debug": debug, "cluster": cluster, "seconds": seconds}
    how["finals"] = finals_without(planned, parts, choice) if parts or choice else None
    try:
        report = run(planned.plan.graph, store, workers, EXECUTE, **how)
    except (KeyboardInterrupt, TimeIsUpError):
        table = tabulate(planned, store, kept=kept)
        if save is not None and len(table.rows) > len(kept.rows if kept else ()):
            write_table(save, study, table)
        raise
    table = tabulate(planned, store, {key: failure.reason for key, failure in report.failures.items()}, kept)
    if save is not None:
        write_table(save, study, table)
    return table


def study_table(name: str, scale: str | None, store: Store) -> StudyTable:
    """Finds the table of a study, at the largest computed scale unless one is named.

    Raises:
        EvidenceError: Nothing of it was computed.
    """
    study = study_named(name)
    if scale is not None:
        scale_named(study, scale)
    for wanted in computed_scales(study, store) if scale is None else (scale,):
        table = read_table(study, wanted) or _from_store(study, wanted, store)
        if table is not None:
            return table
    at = f"at scale {scale}" if scale else "at any scale"
    smallest = scale or study.scales[0].name
    raise EvidenceError(
        f"study {name!r} has not been computed {at}. Compute it with: divulge study run {name} --scale {smallest}"
    )


def computed_scales(study: Study, store: Store) -> tuple[str, ...]:
    """The scales of which something was computed, the largest first."""
    kept = kept_scales(study)
    offered = {scale.name for scale in study.scales}
    return tuple(scale for scale in SCALES if scale in offered and (scale in kept or store.has(_mark(study, scale))))


def _from_store(study: Study, scale: str, store: Store) -> StudyTable | None:
    if not store.has(_mark(study, scale)):
        return None  # planning a large study loads its data: not for the sake of an empty table
    table = tabulate(plan_study(study, scale), store)
    return table if table.rows else None


def _remember(study: Study, scale: str, store: Store) -> None:
    """Leaves a mark that the store holds something of this study."""
    key = _mark(study, scale)
    if not store.has(key):
        store.put(key, Artefact(), {"kind": "study", "label": f"{study.name} at scale {scale}"})


def _mark(study: Study, scale: str) -> str:
    return digest(["study", study.name, scale])
