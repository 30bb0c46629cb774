"""A run as a block for a model card: what was audited, what was found, what that does not show.

Nothing is said that the results do not hold: who ran the audit, and when, is left for its owner to add.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from divulge.gate.judgements import Judged
from divulge.records import Revealed, RunResults
from divulge.report.asking import asked, stand_in_words
from divulge.report.findings import FEWEST_SECRETS
from divulge.report.grouping import audits, verdict
from divulge.report.markdown_parts import claims_part
from divulge.report.revealing import NOTHING
from divulge.report.sections import Audit, Entry, Setting
from divulge.report.tables import MISSING, Layout, as_markdown, escaped, figure_text
from divulge.report.wording import ANSWERS, figure_words, metric_words, spoken

__all__ = ["render"]

LIMITS = (
    "That an attack found nothing does not show that there is nothing to find. Another attack, more questions, or a "
    "stronger access may find what these did not.\n"
    "Figures hold for the model, data, access and secrets named above, and for no other version of them.\n"
    "Planted secrets, where there are any, are a worst case made on purpose: how often they come out is no rate of "
    "real leaks.\n"
    "Intervals are two-sided at 95 %, each by itself, over the secrets that were asked about. A leak is claimed only "
    f"beyond baseline and control, and never with fewer than {FEWEST_SECRETS} secrets; a trace of what was deleted, by "
    "its p-value.\n"
    "An audit bounds nothing from above: only training with differential privacy does."
)


def render(
    results: RunResults,
    revealed: Mapping[str, Sequence[Revealed]] = NOTHING,
    judged: Judged | None = None,
    source: str = "results.json",
) -> str:
    """Writes the block; no secret is ever in it."""
    del revealed, source
    parts = ["## Privacy audit", f"**{escaped(verdict(results))}.**"]
    for audit in audits(results):
        parts += _section(audit)
    if results.failures:
        parts.append(f"{len(results.failures)} of the specs of this audit failed; nothing is known about them.")
    if judged is not None:
        parts += _policy(judged)
    parts += ["### What this does not show", "\n".join(f"- {escaped(one)}" for one in LIMITS.splitlines())]
    parts += list(_origin(results))
    return "\n\n".join(parts) + "\n"


def _section(audit: Audit) -> Iterator[str]:
    yield f"### {escaped(audit.title)}"
    if stand_in_words(audit):
        yield escaped(stand_in_words(audit))
    yield "\n".join(f"- {term}: {escaped(words)}" for term, words in asked(audit))
    rows = [row for setting in audit.settings for entry in setting.entries for row in _rows(audit, setting, entry)]
    yield as_markdown(
        Layout(("attack", "defence", "finding", "figure", "attack's", "baseline", "control"), tuple(rows))
    )
    for entry in audit.entries:
        yield from claims_part(entry)
    if audit.deleted:  # a trace is told with its p-value
        yield "\n".join(f"- {escaped(entry.found.sentence)}" for entry in audit.entries if entry.attack)
    worth = [
        (setting.label, metric_words(one.metric), spoken(one).whole)
        for setting in audit.settings
        for one in setting.utility().values()
    ]
    if worth:
        yield "What the model is worth to its users, through the same access:"
        yield as_markdown(Layout(("defence", "figure", "value"), tuple(worth)))


def _rows(audit: Audit, setting: Setting, entry: Entry) -> Iterator[tuple[str, ...]]:
    """The figures that a finding rests on; none of a broken access."""
    head = (entry.attack or "none", setting.label, ANSWERS[entry.found.without_claims])
    shown = [one for figure in audit.leads if (one := entry.compared(figure)) is not None]
    if entry.void:
        yield (*head, "void: the handshake failed", MISSING, MISSING, MISSING)
    elif not shown:
        yield (*head, MISSING, MISSING, MISSING, MISSING)
    else:
        for one in shown:
            figures = (spoken(one.attack).whole, spoken(one.baseline).whole, spoken(one.control).whole)
            yield (*head, figure_words(one.attack, audit.secrets_kind, inside=False), *figures)


def _policy(judged: Judged) -> Iterator[str]:
    yield "### Limits"
    yield f"**{escaped(judged.sentence)}**"
    rows = [
        (one.required, one.about or MISSING, figure_text(one.value, one.low, one.high, one.n), one.verdict, one.reason)
        for one in judged.judgements
    ]
    yield as_markdown(Layout(("required", "of", "measured", "verdict", "why"), tuple(rows)))


def _origin(results: RunResults) -> Iterator[str]:
    versions = dict.fromkeys(str(one.versions.get("divulge", MISSING)) for one in results.results)
    specs = ", ".join(one.spec_hash for one in results.results)
    if results.results:
        yield f"Made with Divulge {escaped(', '.join(versions))} from the specs {specs}."
