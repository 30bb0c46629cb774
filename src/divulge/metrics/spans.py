"""Spans of words under one tag, and how well found ones match the true ones: what slot F1 counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

__all__ = ["Span", "span_counts", "span_f1", "spans"]


class Span(NamedTuple):
    """A kind, the place of its first word and the place after its last."""

    kind: str
    start: int
    end: int


def spans(tags: Sequence[str]) -> list[Span]:
    """The spans of IOB tags, as CoNLL counts them: an I- that continues nothing begins a span of its own.

    >>> spans(["B-city", "I-city", "O", "I-name"])
    [Span(kind='city', start=0, end=2), Span(kind='name', start=3, end=4)]
    """
    found: list[Span] = []
    kind, start = "", 0
    for place, tag in enumerate([*tags, "O"]):
        prefix, _, name = tag.partition("-")
        goes_on = prefix == "I" and name == kind and kind != ""
        if kind and not goes_on:
            found.append(Span(kind, start, place))
        if not goes_on:
            kind, start = (name, place) if prefix in ("B", "I") else ("", place)
    return found


def span_counts(true: Sequence[str], said: Sequence[str]) -> tuple[int, int, int]:
    """Of one text: spans found rightly, spans found, spans that are there."""
    right, found, there = set(spans(true)) & set(spans(said)), spans(said), spans(true)
    return len(right), len(found), len(there)


def span_f1(right: float, found: float, there: float) -> float:
    """The harmonic mean of precision and recall; 1 where there is nothing to find and nothing was found."""
    return 1.0 if found + there == 0 else 2 * right / (found + there)
