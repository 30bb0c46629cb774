"""Writes the planted copy of the data, file by file, and reads it again as an audit will."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Literal

from divulge.data.files.datasets_folder import SPLITS_FILE, open_tables
from divulge.data.files.own import OwnFile, own_options, stream_own
from divulge.data.planting.copying import copy_with, layout_of
from divulge.data.planting.survey import Survey
from divulge.data.planting.tables import copy_table_with
from divulge.data.planting.traces import PlantedFile
from divulge.errors import ExecutionError
from divulge.records import Planting, Text
from divulge.spec import DataSpec

__all__ = ["reread", "write_copy"]


def write_copy(
    data: DataSpec, draft: Path, split: str, found: Survey, gaps: Sequence[Mapping[int, Sequence[Planting]]]
) -> tuple[PlantedFile, ...]:
    """Writes every file of the data under the draft's name, with what `gaps` puts into each of them."""
    columns = {field: str(column) for field, column in data.columns.items()}
    source = Path(data.path or "").expanduser()
    single = found.files[0].path == source
    if not single:
        draft.mkdir(mode=source.stat().st_mode & 0o777 | 0o700)
    files = []
    for file, places in zip(found.files, gaps, strict=True):
        target, name = (draft, "") if single else (draft / file.path.name, file.path.name)
        if file.form == "datasets":
            (table,) = (replace(table, split=file.split) for table in open_tables(file.path))
            was, now, inserted = copy_table_with(table, target, split, columns, places)
        else:
            layout = layout_of(file, columns, own_options(data))
            was, now, inserted = copy_with(file.path, target, split, layout, places)
            shutil.copymode(file.path, target)
        unit: Literal["bytes", "rows"] = "rows" if file.form == "datasets" else "bytes"
        files.append(PlantedFile(name=name, unit=unit, original_sha256=was, planted_sha256=now, inserted=inserted))
    return (*files, *_copied_beside(source, draft, found.files))


def reread(copy: DataSpec, split: str, records: int, plantings: Sequence[Planting]) -> Iterator[Text]:
    """Yields the texts of the copy as an audit will read them; all that was to be planted must be among them."""
    lower = own_options(copy).lower

    def spelt(tokens: tuple[str, ...], label: str | None, tags: tuple[str, ...] | None) -> tuple[object, ...]:
        return tuple(token.lower() for token in tokens) if lower else tokens, label, tags

    missing = Counter({spelt(one.text, one.label, one.tags): one.copies for one in plantings})
    count = 0
    for text in stream_own(copy):
        count += 1
        known = (text.tokens, text.label, text.tags)
        if text.split == split and known in missing:
            missing[known] -= 1
        yield text
    if count != records + sum(one.copies for one in plantings) or any(missing.values()):
        raise ExecutionError(
            "the planted copy does not read back as it was planned, so it was not kept. A word of the pattern may mean "
            "something in this format, such as the beginning of a comment; or the data changed meanwhile"
        )


def _copied_beside(source: Path, draft: Path, files: Sequence[OwnFile]) -> Iterator[PlantedFile]:
    """Copies what else lies in the folder, such as a README."""
    if not source.is_dir():
        return
    if files[0].form == "datasets":
        if (source / SPLITS_FILE).is_file():
            shutil.copyfile(source / SPLITS_FILE, draft / SPLITS_FILE)
        return
    known = {file.path.name for file in files}
    for path in sorted(source.iterdir()):
        if path.is_file() and not path.name.startswith(".") and path.name not in known:
            was, now, _ = copy_with(path, draft / path.name, "", None, {})
            yield PlantedFile(name=path.name, original_sha256=was, planted_sha256=now)
