"""The page of all kept studies in Markdown: what each asks, what it found beside the print, and what that cost.

One line holds one cell and one metric: the print, the faithful copy, the other attacks, ours with its interval, and
what the model was still good for. All rows, of all arms, are in the JSON files under results/.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from divulge.canonical import canonical_json
from divulge.report.studies import DOUBTFUL, check_words
from divulge.report.study_series import attacks_of, ours_of
from divulge.report.study_summary import by_cell, shown_metrics, summary
from divulge.report.tables import MISSING, Layout, as_markdown, figure_text, number_text, value_text
from divulge.spec import Study
from divulge.studies.rows import StudyRow, StudyTable, cost_words
from divulge.studies.verdicts import OWNERS_METRICS

__all__ = ["Kept", "page"]

HEAD = """# Reproducing the papers

This page is written by `divulge study page`, from the tables kept under `results/`; a test compares the two.

```sh
divulge study list
```

Each study has three scales: `smoke` shows in about a minute that all parts fit, `quick` is what two cores can do,
`paper` is as printed. `divulge study run NAME --scale quick --save results` computes one, and goes on where it was
interrupted, or from what is kept under `results/`; `divulge study table NAME --json` prints all its rows,
`divulge study plot NAME` draws it.

How to read the tables: *published* is what the paper prints, *copy* is the paper's attack as printed, run by us on the
same models as ours. Beating the copy is a claim; beating a print that was made on other models is context. Figures have
two-sided 95 % intervals in brackets; *n* counts trials. The verdict compares our interval with the print: *reproduced*
(inside, half-width at most 0.2), *undecided* (inside a wider one), *better* or *worse* for the attacker, *not
comparable* (nothing printed).
"""


class Kept(NamedTuple):
    """A study, its kept table if there is one, and where its plots lie, seen from the page."""

    study: Study
    table: StudyTable | None
    plots: tuple[str, ...] = ()


def page(studies: Sequence[Kept]) -> str:
    """Writes the page."""
    papers = list(dict.fromkeys(one.study.paper for one in studies))
    parts = [HEAD]
    for paper in papers:
        parts += [f"## {paper}\n", *(_section(one) for one in studies if one.study.paper == paper)]
    return "\n".join(parts).rstrip() + "\n"


def _section(one: Kept) -> str:
    study, table = one.study, one.table
    lines = [f"### {study.name}", "", f"{study.title}.", ""]
    if table is None:
        return "\n".join(
            [*lines, f"Not computed yet: `divulge study run {study.name} --scale quick --save results`.", ""]
        )
    lines += [
        f"- Scale: {table.scale}. Cost: {cost_words(table)} (models shared with other studies included).",
        *_told(study, table),
    ]
    lines += [f"- {line}" for line in summary(study, table)]
    lines += [f"- Check: {said}." for said in _checks(table)]
    lines += [f"- Missing: {len(table.failures)} results; the JSON file says which and why."] if table.failures else []
    for place in one.plots:
        lines += ["", f"![{study.name}]({place})"]
    return "\n".join([*lines, "", as_markdown(_layout(study, table)), "", *_examples(table)])


def _examples(table: StudyTable) -> Iterator[str]:
    """Sentences beside their reconstructions; of the cell, what differs between them."""
    if not table.examples:
        return
    axes = [
        axis
        for axis in dict.fromkeys(axis for one in table.examples for axis in one.cell)
        if len({canonical_json(one.cell.get(axis)) for one in table.examples}) > 1
    ]
    lines = tuple(
        (*(value_text(one.cell.get(axis)) for axis in axes), one.attack, one.truth, one.guess, number_text(one.cosine))
        for one in table.examples
    )
    yield from ("Examples, from public data sets:", "")
    yield from (as_markdown(Layout((*axes, "attack", "sentence", "reconstruction", "cosine"), lines)), "")


def _checks(table: StudyTable) -> Iterator[str]:
    """Checks in doubt each on a line; those that hold, together by their name."""
    yield from (check_words(check) for check in table.checks if check.p_value < DOUBTFUL)
    for name in dict.fromkeys(check.name for check in table.checks):
        held = [one for one in table.checks if one.name == name and one.p_value >= DOUBTFUL]
        if held:
            yield f"{name}: " + ", ".join(f"{one.attack} p = {one.p_value:.2g} (n = {one.n})" for one in held)


def _told(study: Study, table: StudyTable) -> Iterator[str]:
    """Recipe and departures; of a table that was kept before the study changed, what was noted then."""
    kept = next((row.note for row in table.rows), "")
    if study.note and kept and study.note not in kept:
        yield f"- Computed before this study was changed, and to be computed again. Then: {kept.partition('; ')[2]}."
        return
    base: Any = study.base
    recipe = base.get("target", {}).get("recipe", {})
    if recipe:
        said = ", ".join(f"{name} {value_text(value)}" for name, value in recipe.items())
        yield f"- Recipe: {base['target']['kind']}, {said}, unless an axis of the table says otherwise."
    scale = next((scale for scale in study.scales if scale.name == table.scale), None)
    notes = [note for note in (study.note, scale.note if scale else "") if note]
    if notes:
        yield f"- Departures: {'; '.join(notes)}."


def _layout(study: Study, table: StudyTable) -> Layout:
    rows = [row for row in table.rows if row.arm == "attack"]
    axes = list(dict.fromkeys(axis for row in table.rows for axis in row.cell))
    attacks = attacks_of(study, rows)
    ours, copied = ours_of(study, attacks), study.copy_of.get(ours_of(study, attacks) or "")
    others = [name for name in attacks if name not in (ours, copied)]
    worth = list(dict.fromkeys(row.metric for row in table.rows if row.metric in OWNERS_METRICS))
    rows_of = by_cell(table.rows)
    if not rows:
        return _worth_alone(table, axes)
    metrics = shown_metrics(rows) or study.metrics[:1]
    lines = []
    for row in (row for row in rows if row.attack == ours and row.metric in metrics):
        cell = canonical_json(row.cell)
        beside = [rows_of.get((cell, row.metric, name)) for name in others]
        kept = [rows_of.get((cell, name, None)) for name in worth]
        lines.append(
            (
                *(value_text(row.cell.get(axis)) for axis in axes),
                row.metric,
                number_text(_printed(row, rows_of.get((cell, row.metric, str(copied))))),
                _copied(rows_of.get((cell, row.metric, str(copied))), row),
                *(number_text(one.value) if one else MISSING for one in beside),
                figure_text(row.value, row.low, row.high),
                str(row.n),
                row.verdict,
                *(number_text(one.value) if one else MISSING for one in kept),
            )
        )
    columns = (
        *axes,
        "metric",
        "published",
        f"copy: {copied}" if copied else "copy",
        *others,
        f"ours: {ours}",
        "n",
        "verdict",
        *worth,
    )
    return Layout(columns, tuple(lines))


def _printed(ours: StudyRow, copied: StudyRow | None) -> float | None:
    """What is printed beside our attack, or else beside the paper's own."""
    return ours.published if ours.published is not None or copied is None else copied.published


def _copied(copied: StudyRow | None, ours: StudyRow) -> str:
    """What the faithful copy reached, and how that compares with the print."""
    if copied is None:
        return number_text(ours.copy_value)
    said = f", {copied.verdict}" if copied.published is not None else ""
    return f"{figure_text(copied.value, copied.low, copied.high)}{said}"


def _worth_alone(table: StudyTable, axes: Sequence[str]) -> Layout:
    """Of a study that attacks nothing: what the models are worth."""
    lines = tuple(
        (
            *(value_text(row.cell.get(axis)) for axis in axes),
            row.metric,
            figure_text(row.value, row.low, row.high),
            str(row.n),
        )
        for row in table.rows
    )
    return Layout((*axes, "metric", "figure", "n"), lines)
