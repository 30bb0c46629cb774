"""Sentences with their translations, from files whose lines belong together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from divulge.data.files.lines import read_lines
from divulge.data.files.problems import Problems
from divulge.data.raw_words import words_in
from divulge.records import Text

__all__ = ["read_side_by_side", "translated"]


def read_side_by_side(paths: Sequence[Path], problems: Problems) -> Iterator[tuple[str, ...]]:
    """Yields the first lines of all files, then the second ones, and so on; a file that ends early is noted."""
    for number, lines in enumerate(zip_longest(*(read_lines(path, problems) for path in paths)), 1):
        short = [path for path, line in zip(paths, lines, strict=True) if line is None]
        for path in short:
            problems.add(path, None, f"ends after {number - 1} lines, before the files beside it")
        if short:
            return
        yield tuple(line for _, line in lines)


def translated(source: str, target: str, longest: int, user: str | None = None) -> Iterator[Text]:
    """The target sentence with the source as its context; nothing if one has no word, or more than `longest`.

    A long pair is dropped, not cut: the beginnings of two sentences need not be translations of each other.
    """
    context, tokens = words_in(source), words_in(target)
    if 0 < len(context) <= longest and 0 < len(tokens) <= longest:
        yield Text(tokens, context=context, user=user)
