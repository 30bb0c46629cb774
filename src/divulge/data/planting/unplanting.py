"""Gives back the data as it was before planting, and proves it by the hash taken then."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

from divulge.data.files.datasets_folder import SPLITS_FILE, is_datasets_folder, open_tables
from divulge.data.planting.copying import copy_without
from divulge.data.planting.drafts import draft_of, place_problems
from divulge.data.planting.tables import copy_table_without
from divulge.data.planting.traces import PlantedData, PlantedFile
from divulge.data.secrets import read_secrets
from divulge.errors import ExecutionError, InputError
from divulge.records import Record

__all__ = ["Unplanted", "unplant_data"]


class Unplanted(Record):
    """What was done."""

    data: str
    out: str
    files: int
    removed: int


def unplant_data(planted: Path, secrets: Path, out: Path) -> Unplanted:
    """Writes the original, or nothing: data that is not exactly what was planted is refused."""
    problems = place_problems(out, "--out")
    if not planted.exists():
        problems.append(f"{planted}: there is no such file or folder")
    elif planted.is_dir() and out.absolute().is_relative_to(planted.absolute()):
        problems.append(f"{out}: lies within the planted data (--out). Choose a place outside of it")
    if problems:
        raise InputError(problems)
    traces = read_secrets(secrets).planted
    if traces is None:
        raise InputError(
            f"{secrets}: tells of no planting, so there is nothing to take out. Give the file of: divulge plant"
        )
    _check_shape(planted, traces, secrets)
    with draft_of(out) as draft:
        if traces.files[0].name:
            draft.mkdir(mode=planted.stat().st_mode & 0o777 | 0o700)
        wrong = [problem for file in traces.files for problem in _restored(file, planted, draft)]
        if wrong:
            raise InputError(wrong)
        if (planted / SPLITS_FILE).is_file():
            shutil.copyfile(planted / SPLITS_FILE, draft / SPLITS_FILE)
        draft.rename(out)
    removed = sum(len(file.inserted) for file in traces.files)
    return Unplanted(data=str(planted), out=str(out), files=len(traces.files), removed=removed)


def _check_shape(planted: Path, traces: PlantedData, secrets: Path) -> None:
    """Whether the data has the files that the secrets file tells of."""
    tables = traces.files[0].unit == "rows"
    folder = tables or bool(traces.files[0].name)
    if planted.is_dir() != folder or (tables and not is_datasets_folder(planted)):
        kind = "a datasets folder" if tables else "a folder of files" if folder else "one file"
        raise InputError(f"{planted}: is not what {secrets} was made for: that is {kind}")
    lacking = [file.name for file in traces.files if file.name and not (planted / file.name).exists()]
    if lacking:
        raise InputError(f"{planted / name}: is missing, and {secrets} tells of it" for name in lacking)


def _restored(file: PlantedFile, planted: Path, draft: Path) -> list[str]:
    """Writes one file as it was; what is wrong with it, if anything."""
    source, target = (planted / file.name, draft / file.name) if file.name else (planted, draft)
    if file.unit == "rows":
        (table,) = (replace(table, split=file.name or table.split) for table in open_tables(source))
        was, now = copy_table_without(table, target, file.inserted)
    else:
        was, now = copy_without(source, target, file.inserted)
        shutil.copymode(source, target)
    if was != file.planted_sha256:
        return [f"{source}: is not the planted data, or was changed since. Give it exactly as `divulge plant` wrote it"]
    if now != file.original_sha256:
        raise ExecutionError(f"{source}: what is left is not the original; nothing was written. Is the disk sound?")
    return []
