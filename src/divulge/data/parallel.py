"""Utterances as three parallel files a split: `seq.in` (tokens), `seq.out` (a tag a token), `label`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.records import Text

__all__ = ["read_parallel"]

NAMES = ("seq.in", "seq.out", "label")


def read_parallel(folder: Path, splits: Sequence[str]) -> tuple[Text, ...]:
    """Reads every split's folder; all faulty lines are reported in one error."""
    problems = Problems()
    texts = tuple(text for split in splits for text in _read_split(folder / split, split, problems))
    problems.finish()
    return texts


def _read_split(folder: Path, split: str, problems: Problems) -> Iterator[Text]:
    paths = [folder / name for name in NAMES]
    readers = [read_lines(path, problems) for path in paths]
    for number, lines in enumerate(zip_longest(*readers), 1):
        short = [path for path, line in zip(paths, lines, strict=True) if line is None]
        if short:
            for path in short:
                problems.add(path, None, f"ends after {number - 1} lines, before the files beside it")
            return
        # Runs of white space: the published files hold double and trailing spaces.
        tokens, tags = (tuple(line[1].split()) for line in lines[:2])
        label = lines[2][1].strip()
        if not tokens:
            problems.add(paths[0], number, "has no tokens")
        elif len(tags) != len(tokens):
            problems.add(paths[1], number, f"has {len(tags)} tags, but {NAMES[0]} has {len(tokens)} tokens")
        if not label:
            problems.add(paths[2], number, "has no label")
        yield Text(tokens=tokens, tags=tags, label=label, split=split)
