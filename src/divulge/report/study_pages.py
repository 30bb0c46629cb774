"""The page of all kept studies in Markdown: what each asks, what it found beside the print, and what that cost.

One line holds one cell and one metric: the print, the faithful copy, the other attacks, ours with its interval, and
what the model was still good for. All rows, of all arms, are in the JSON files under results/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from divulge.canonical import canonical_json
from divulge.report.studies import DOUBTFUL, check_words
from divulge.report.study_series import GUESSING, attacks_of, ours_of
from divulge.report.tables import MISSING, Layout, as_markdown, figure_text, number_text, value_text
from divulge.spec import Study
from divulge.studies.rows import StudyRow, StudyTable, cost_words
from divulge.studies.verdicts import OWNERS_METRICS, better_when

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
MEMBERSHIP = ("auc", "false_positive_rate")  # of people told from others: at no line, and at the line drawn
SHOWN = (
    "accuracy",
    "hdt",
    "count",
    "unique",
    "keyword_found",
    "cosine",
    "order_printed",
    "bleu",
    "rouge",
    "exact",
    "token_accuracy",
    "token_f1",
)
# What decides how much can be had at all: a mean over several of their values would say nothing.
APART = ("vectors", "encoder", "setting", "choice", "adversary")


class Kept(NamedTuple):
    """A study, its kept table if there is one, and where its plot lies, seen from the page."""

    study: Study
    table: StudyTable | None
    plot: str | None


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
    lines += [f"- {line}" for line in _summary(study, table)]
    lines += [f"- Check: {said}." for said in _checks(table)]
    lines += [f"- Missing: {len(table.failures)} results; the JSON file says which and why."] if table.failures else []
    lines += ["", f"![{study.name}]({one.plot})"] if one.plot else []
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


def _summary(study: Study, table: StudyTable) -> Iterator[str]:
    """Ours beside each other attack, over all cells that have both, and beside the print."""
    every = [row for row in table.rows if row.arm == "attack"]
    kinds = list(dict.fromkeys(_kind(row) for row in every))
    differing = [place for place in range(len(APART)) if len({kind[place] for kind in kinds}) > 1]
    for kind in kinds:
        said = "".join(f", {APART[place]} {value_text(kind[place])}" for place in differing)
        yield from _compared(study, [row for row in every if _kind(row) == kind], said)


def _kind(row: StudyRow) -> tuple[Any, ...]:
    return tuple(row.cell.get(axis) for axis in APART)


def _compared(study: Study, every: Sequence[StudyRow], said: str) -> Iterator[str]:
    rows = _by_cell(every)
    attacks = [attack for attack in attacks_of(study, every) if attack != GUESSING]
    ours = ours_of(study, attacks)
    for metric in _shown(every):
        own = _of(rows, metric, ours)
        others = {other: _of(rows, metric, other) for other in attacks if other != ours}
        yield from _beside_others(f"{metric}{said}", own, others)
        printed = [
            (row.value, row.published) for row in own.values() if row.published is not None and row.value is not None
        ]
        if printed:
            held = sum(_at_least(metric, value, number) for value, number in printed)
            yield f"{metric}{said}: {ours} at least as good as the print in {held} of {len(printed)} cells with one."


def _of(rows: Mapping[tuple[str, str, str | None], StudyRow], metric: str, attack: str | None) -> dict[str, StudyRow]:
    """By cell, the rows of one attack and metric that have a value."""
    return {
        cell: row
        for (cell, name, who), row in rows.items()
        if (name, who) == (metric, attack) and row.value is not None
    }


def _beside_others(
    what: str, own: Mapping[str, StudyRow], others: Mapping[str, Mapping[str, StudyRow]]
) -> Iterator[str]:
    """One line for all attacks that were measured in the same of our cells."""
    shared: dict[tuple[str, ...], list[str]] = {}
    for other, rows in others.items():
        shared.setdefault(tuple(cell for cell in own if cell in rows), []).append(other)
    for cells, names in shared.items():
        if not cells:
            continue
        mine = [own[cell] for cell in cells]
        theirs = {name: [others[name][cell] for cell in cells] for name in names}
        means = ", ".join(f"{name} {number_text(_mean(rows))}" for name, rows in theirs.items())
        held = ", ".join(str(sum(map(_row_at_least, mine, rows))) for rows in theirs.values())
        compared = f"{what}: {mine[0].attack} {number_text(_mean(mine))}, {means} on average"
        yield f"{compared}; ours at least as good in {held} of {len(cells)} cells."


def _mean(rows: Sequence[StudyRow]) -> float:
    return sum(row.value for row in rows if row.value is not None) / len(rows)


def _row_at_least(row: StudyRow, other: StudyRow) -> bool:
    return row.value is not None and other.value is not None and _at_least(row.metric, row.value, other.value)


def _layout(study: Study, table: StudyTable) -> Layout:
    rows = [row for row in table.rows if row.arm == "attack"]
    axes = list(dict.fromkeys(axis for row in table.rows for axis in row.cell))
    attacks = attacks_of(study, rows)
    ours, copied = ours_of(study, attacks), study.copy_of.get(ours_of(study, attacks) or "")
    others = [name for name in attacks if name not in (ours, copied)]
    worth = list(dict.fromkeys(row.metric for row in table.rows if row.metric in OWNERS_METRICS))
    by_cell = _by_cell(table.rows)
    if not rows:
        return _worth_alone(table, axes)
    metrics = _shown(rows) or study.metrics[:1]
    lines = []
    for row in (row for row in rows if row.attack == ours and row.metric in metrics):
        cell = _spelt(row.cell)
        beside = [by_cell.get((cell, row.metric, name)) for name in others]
        kept = [by_cell.get((cell, name, None)) for name in worth]
        lines.append(
            (
                *(value_text(row.cell.get(axis)) for axis in axes),
                row.metric,
                number_text(_printed(row, by_cell.get((cell, row.metric, str(copied))))),
                _copied(by_cell.get((cell, row.metric, str(copied))), row),
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


def _shown(rows: Sequence[StudyRow]) -> list[str]:
    """The metrics that a page has room for: where people are told from others, AUC says it, and no threshold does."""
    there = {row.metric for row in rows}
    return [name for name in (MEMBERSHIP if MEMBERSHIP[0] in there else SHOWN) if name in there]


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


def _by_cell(rows: Sequence[StudyRow]) -> dict[tuple[str, str, str | None], StudyRow]:
    shown = ("attack", "utility", "probe")
    return {(_spelt(row.cell), row.metric, row.attack): row for row in rows if row.arm in shown}


def _spelt(cell: Mapping[str, Any]) -> str:
    return canonical_json(cell)


def _at_least(metric: str, value: float, other: float) -> bool:
    return value >= other if better_when(metric) == "high" else value <= other
