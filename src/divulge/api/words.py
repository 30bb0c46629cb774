"""A run in plain words: the verdict, what was found, and what to do about it."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from divulge.records import RunResults
from divulge.report.advice import advice
from divulge.report.grouping import audits, verdict
from divulge.report.sections import Audit, Entry
from divulge.report.wording import figure_words, listed, spoken, with_metric_words

__all__ = ["summary_of"]

WIDTH = 100


def summary_of(results: RunResults) -> str:
    """Tells a run in words, ready to be printed."""
    parts = [f"{verdict(results)}."]
    parts += ["\n".join(_audit(audit)) for audit in audits(results)]
    if results.failures:
        parts.append("\n".join(["Failed:", *(_point(failure.reason) for failure in results.failures)]))
    return "\n\n".join(parts)


def _audit(audit: Audit) -> Iterator[str]:
    yield _wrapped(f"{audit.number}. {audit.title}")
    for setting in audit.settings:
        for entry in setting.entries:
            yield _point(f"{entry.attack or 'no attack'}, {setting.label}: {_found(entry, audit)}")
    for note in audit.notes:
        yield _point(f"Note: {note}")
    told = advice(audit)
    if told:
        yield "What to do:"
        yield from (_point(f"{one.do} {one.why}") for one in told)


def _found(entry: Entry, audit: Audit) -> str:
    said = with_metric_words(entry.found.sentence, audit.secrets_kind)
    shown = next((one for figure in audit.leads if (one := entry.compared(figure)) is not None), None)
    if shown is None or entry.void:
        return said
    beside = [f"{spoken(shown.baseline).value} without the model"] if shown.baseline else []
    beside += [f"{spoken(shown.control).value} on controls"] if shown.control else []
    against = f", against {listed(beside)}" if beside else ""
    figure = figure_words(shown.attack, audit.secrets_kind, inside=False)
    return f"{said} {figure}: {spoken(shown.attack).whole}{against}."


def _point(text: str) -> str:
    return textwrap.fill(text, WIDTH, initial_indent="   - ", subsequent_indent="     ")


def _wrapped(text: str) -> str:
    return textwrap.fill(text, WIDTH, subsequent_indent="   ")
