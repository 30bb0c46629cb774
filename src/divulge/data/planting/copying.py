"""Copies of text files with records put in, or with stretches taken out; one record in memory at a time."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from divulge.data.files.own import OwnFile, OwnFileOptions
from divulge.data.planting.conll import Sentences
from divulge.data.planting.delimited import Delimited
from divulge.data.planting.jsonl import JsonLines
from divulge.data.planting.pieces import Layout, Piece, line_end, open_to_read, open_to_write, raw_lines
from divulge.data.planting.traces import Stretch
from divulge.records import Planting

__all__ = ["copy_with", "copy_without", "layout_of"]

CHUNK = 1 << 16
Gaps = Mapping[int, Sequence[Planting]]
Copied = tuple[str, str, tuple[Stretch, ...]]


def layout_of(file: OwnFile, columns: Mapping[str, str], options: OwnFileOptions) -> Layout:
    """How the records of this file are told apart and spelt."""
    if file.form == "jsonl":
        return JsonLines(columns, file.split)
    if file.form == "conll":
        return Sentences(file.split, options.token_column, options.tag_column, options.comment)
    return Delimited(columns, file.split, options.delimiter or ("\t" if file.form == "tsv" else ","))


def copy_with(source: Path, out: Path, split: str, layout: Layout | None, gaps: Gaps) -> Copied:
    """Copies a text file, and puts texts before the first record of the split (gap 0) or after its nth (gap n).

    Without a layout the file is none that is planted into, and is copied as it is. Gives the hashes of what was read
    and of what was written, and where the new stretches are.
    """
    was, now = hashlib.sha256(), hashlib.sha256()
    inserted: list[Stretch] = []
    written = 0
    with open_to_read(source) as content, open_to_write(out, packed=out.suffix == ".gz") as target:
        parts: Iterable[tuple[bytes, bool]]
        if layout is None or not gaps:
            parts = ((chunk, False) for chunk in iter(lambda: content.read(CHUNK), b""))
        else:
            parts = _with(layout.pieces(raw_lines(content)), layout, split, gaps)
        for raw, new in parts:
            target.write(raw)
            now.update(raw)
            if new:
                inserted.append((written, len(raw)))
            else:
                was.update(raw)
            written += len(raw)
    return was.hexdigest(), now.hexdigest(), tuple(inserted)


def copy_without(planted: Path, out: Path, inserted: Sequence[Stretch]) -> tuple[str, str]:
    """Copies a text file without these stretches; the hashes of what was read and of what was written."""
    was, now = hashlib.sha256(), hashlib.sha256()
    with open_to_read(planted) as content, open_to_write(out, packed=out.suffix == ".gz") as target:

        def through(length: int | None, keep: Callable[[bytes], object] | None) -> int:
            """Reads so many bytes, or all, and keeps them or not; how many there were."""
            count = 0
            while length is None or count < length:
                chunk = content.read(CHUNK if length is None else min(CHUNK, length - count))
                if not chunk:
                    break
                was.update(chunk)
                if keep is not None:
                    keep(chunk)
                    now.update(chunk)
                count += len(chunk)
            return count

        place = 0
        for start, length in inserted:
            place += through(start - place, target.write)
            place += through(length, None)
        through(None, target.write)
    return was.hexdigest(), now.hexdigest()


def _with(pieces: Iterable[Piece], layout: Layout, split: str, gaps: Gaps) -> Iterator[tuple[bytes, bool]]:
    """Yields bytes and whether they are new."""
    end = b"\n"
    count = 0
    for piece in pieces:
        end = line_end(piece.raw) or end
        if piece.record is None or layout.split_of(piece) != split:
            yield piece.raw, False
            continue
        if count == 0:
            for planting in gaps.get(0, ()):
                yield layout.before(layout.spelt(piece, planting, end), end), True
        yield piece.raw, False
        count += 1
        for planting in gaps.get(count, ()):
            yield layout.after(piece, layout.spelt(piece, planting, end), end), True
