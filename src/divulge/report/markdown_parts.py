"""Parts of a Markdown report that not every result has: epsilon, the curve, records at risk, the access ladder."""

from __future__ import annotations

from collections.abc import Iterator

from divulge.report.claims import claims
from divulge.report.curves import roc
from divulge.report.entries import Entry
from divulge.report.exposed import exposed
from divulge.report.ladder import Ladder
from divulge.report.risks import risks
from divulge.report.tables import MISSING, Layout, as_markdown, escaped

__all__ = ["claims_part", "curve_part", "exposed_part", "ladder_part", "risks_part"]


def claims_part(entry: Entry) -> Iterator[str]:
    """What is proven about epsilon, beside what is claimed."""
    said = []
    for one in claims(entry.result):
        claimed = f" Claimed is {one.claim}." if one.claim else ""
        judged = f"**{one.judgement}**" if one.refuted else one.judgement
        said.append(f"- {one.proof}.{claimed} {judged}")
    if said:
        yield "\n".join(["What is proven about epsilon:", "", *said])


def curve_part(entry: Entry) -> Iterator[str]:
    """The points of the ROC as a table."""
    drawn = roc(entry)
    if drawn is not None:
        yield "Members found, by the share of others that is wrongly accused (with the interval at 95 %):"
        rows = tuple((rate, *(one.whole for one in figures)) for rate, figures in drawn.rows)
        yield as_markdown(Layout(("wrongly accused", *drawn.columns), rows))


def risks_part(entry: Entry) -> Iterator[str]:
    """The records most at risk, by opaque id."""
    found = risks(entry)
    if found is not None:
        yield f"Records most at risk. {escaped(found.meaning)}"
        rows = tuple((one.secret_id, one.words) for one in found.shown)
        yield as_markdown(Layout(("record", "texts never trained on that rank below it"), rows))
        yield (
            "All of them are in results.json (outcomes of the metric tpr); `divulge report RUN --show-secrets` tells "
            "the owner of the store which texts they are."
        )


def exposed_part(entry: Entry) -> Iterator[str]:
    """The secrets most exposed, by opaque id."""
    found = exposed(entry)
    if found is not None:
        yield f"Secrets most exposed, of {found.of}. {escaped(found.meaning)}"
        yield as_markdown(Layout(("secret", "exposure"), found.shown))
        yield "The exposure of every secret is in results.json (outcomes of the metric exposure)."


def ladder_part(ladder: Ladder) -> Iterator[str]:
    """What each step of access buys."""
    yield "### What each step of access buys"
    spans = f" Over audits {', '.join(map(str, ladder.numbers))}." if len(ladder.numbers) > 1 else ""
    yield f"{escaped(ladder.sentence)}{spans}"
    rows = tuple(
        (
            one.words,
            one.level,
            one.entry.attack or MISSING if one.entry else MISSING,
            one.said,
            one.entry.found.without_claims if one.entry else MISSING,
        )
        for one in ladder.steps
    )
    yield as_markdown(Layout(("the adversary sees", "access", "strongest attack", ladder.figure, "finding"), rows))
