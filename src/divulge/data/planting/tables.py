"""Copies of datasets folders with rows put in or taken out, batch by batch, file by file."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from divulge.data.files.datasets_folder import INFO_FILE, STATE_FILE, Table, class_names, named, pyarrow
from divulge.data.files.fields import choose_columns
from divulge.data.planting.jsonl import filled_row
from divulge.data.planting.traces import Stretch
from divulge.records import Planting

__all__ = ["copy_table_with", "copy_table_without"]

FINGERPRINT_DIGITS = 16
Rows = Callable[[Any], Iterator[tuple[Any, bool]]]


def copy_table_with(
    table: Table, out: Path, split: str, columns: Mapping[str, str], gaps: Mapping[int, Sequence[Planting]]
) -> tuple[str, str, tuple[Stretch, ...]]:
    """Copies a table, and puts rows before the first row of the split (gap 0) or after its nth (gap n).

    Gives the hashes of the rows read and of those written, and where the new ones are.
    """
    return _copy(table, out, _Putting(table, split, columns, gaps).rows)


def copy_table_without(table: Table, out: Path, inserted: Sequence[Stretch]) -> tuple[str, str]:
    """Copies a table without these rows; the hashes of what was read and of what was written."""
    gone = {place for start, length in inserted for place in range(start, start + length)}
    place = -1

    def rows(batch: Any) -> Iterator[tuple[Any, bool]]:
        nonlocal place
        start = 0
        for row in range(batch.num_rows):
            place += 1
            if place in gone:
                yield batch.slice(start, row - start), False
                yield batch.slice(row, 1), True
                start = row + 1
        yield batch.slice(start), False

    was, now, _ = _copy(table, out, rows, removing=True)
    return was, now


class _Putting:
    """Puts rows into batches: made of the donor's row, with text, label and tags replaced."""

    def __init__(
        self, table: Table, split: str, columns: Mapping[str, str], gaps: Mapping[int, Sequence[Planting]]
    ) -> None:
        self._table = table
        self._split = split
        self._asked = columns
        self._gaps = gaps
        self._count = 0

    def rows(self, batch: Any) -> Iterator[tuple[Any, bool]]:
        """Stretches of the batch, and new rows between them."""
        if not self._gaps:
            yield batch, False
            return
        columns = choose_columns(self._asked, batch.schema.names)
        splits = self._splits(batch, columns.get("split"))
        start = 0
        for row, split in enumerate(splits):
            if split != self._split:
                continue
            if self._count == 0:
                yield batch.slice(start, row - start), False
                start = row
                yield from ((self._row(batch, row, columns, planting), True) for planting in self._gaps.get(0, ()))
            self._count += 1
            if self._count in self._gaps:
                yield batch.slice(start, row + 1 - start), False
                start = row + 1
                for planting in self._gaps[self._count]:
                    yield self._row(batch, row, columns, planting), True
        yield batch.slice(start), False

    def _splits(self, batch: Any, column: str | None) -> list[str]:
        if not column:
            return [self._table.split] * int(batch.num_rows)
        names = class_names(self._table.features, column)
        return [str(named(value, names)).strip() for value in batch.column(column).to_pylist()]

    def _row(self, batch: Any, row: int, columns: Mapping[str, str], planting: Planting) -> Any:
        changed = [column for field in ("text", "label", "tags") if (column := columns.get(field))]
        names = {column: class_names(self._table.features, column) for column in changed}
        donor = {column: named(batch.column(column)[row].as_py(), names[column]) for column in changed}
        values = filled_row(donor, columns, planting)
        arrays = []
        for place, column in enumerate(batch.schema.names):
            value = values.get(column)
            if column in values and value != donor[column]:
                stored = _numbered(value, names[column])
                arrays.append(pyarrow().array([stored], type=batch.schema.field(place).type))
            else:
                arrays.append(batch.column(place).slice(row, 1))
        return pyarrow().RecordBatch.from_arrays(arrays, schema=batch.schema)


def _numbered(value: Any, names: tuple[str, ...]) -> Any:
    """A value with names replaced by the numbers that stand for them."""
    if isinstance(value, list):
        return [_numbered(one, names) for one in value]
    return names.index(value) if value in names else value


def _copy(table: Table, out: Path, rows: Rows, *, removing: bool = False) -> tuple[str, str, tuple[Stretch, ...]]:
    """Writes the table anew; hashes of the rows before and after, and where the new rows are."""
    was, now = hashlib.sha256(), hashlib.sha256()
    inserted: list[Stretch] = []
    written = 0
    out.mkdir(parents=True)
    for number, file in enumerate(table.files):
        schema = table.schema(file)
        if number == 0:
            for sha in (was, now):
                sha.update(repr([(field.name, str(field.type)) for field in schema]).encode())
        with pyarrow().OSFile(str(out / file.name), "wb") as sink, pyarrow().ipc.new_stream(sink, schema) as stream:
            for batch in table.batches(file):
                kept = []
                for part, new in rows(batch):
                    read, write = (True, not new) if removing else (not new, True)
                    _hash(part, [sha for sha, wanted in ((was, read), (now, write)) if wanted])
                    if write and part.num_rows:
                        kept.append(part)
                        if new:
                            inserted.append((written, 1))
                        written += part.num_rows
                for whole in pyarrow().Table.from_batches(kept, schema=schema).combine_chunks().to_batches():
                    stream.write_batch(whole)
    _copy_description(table, out, written, now.hexdigest())
    return was.hexdigest(), now.hexdigest(), tuple(inserted)


def _hash(part: Any, shas: Sequence[Any]) -> None:
    for row in part.to_pylist():
        spelt = repr(row).encode("utf-8", "surrogatepass")
        for sha in shas:
            sha.update(spelt)


def _copy_description(table: Table, out: Path, rows: int, content: str) -> None:
    """Writes what the library keeps beside the rows; a fingerprint of their own keeps its caches apart."""
    state = json.loads((table.folder / STATE_FILE).read_text(encoding="utf-8"))
    state["_fingerprint"] = content[:FINGERPRINT_DIGITS]
    info = json.loads((table.folder / INFO_FILE).read_text(encoding="utf-8"))
    told = (info.get("splits") or {}).get(table.split)
    if isinstance(told, dict) and "num_examples" in told:
        told["num_examples"] = rows
    for name, values in ((STATE_FILE, state), (INFO_FILE, info)):
        (out / name).write_text(json.dumps(values, indent=2), encoding="utf-8")
