"""A study's plot as one SVG file: no script, light and dark, and its figures in words for whoever cannot see it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

from markupsafe import escape

from divulge.report.study_series import Panel, Place, StudyPlot
from divulge.report.svg_shapes import CHARACTER, COLOURS, MARGIN, STYLE, WIDTH, diamond, line, shape, text, whisker
from divulge.report.tables import figure_text, number_text

__all__ = ["as_svg"]

LABELS = 220
LEGEND_LINE = 18
ROW, APART = 9, 8  # pixels from attack to attack, and between cells
FIELD, GAP = 170, 56  # the height of a field with lines or bars, and the room around it


def as_svg(plot: StudyPlot) -> str:
    """Draws a plot."""
    legend = _legend(plot)
    top = 66 + LEGEND_LINE * (len(legend) - 1)
    parts: list[str] = []
    for panel in plot.panels:
        drawn, height = _dots(plot, panel, top) if plot.kind == "dots" else _field(plot, panel, top)
        parts += drawn
        top += height
    size = f'viewBox="0 0 {WIDTH} {top + 8}" width="{WIDTH}" height="{top + 8}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title words">',
        f'<title id="title">{escape(plot.title)}</title>',
        f'<desc id="words">{escape(_words(plot))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{top + 8}"/>',
        text(MARGIN, 22, plot.title, "title"),
        *(key for line in legend for key in line),
    ]
    return "\n".join([*head, *parts, "</svg>"]) + "\n"


def _legend(plot: StudyPlot) -> list[list[str]]:
    """What each mark stands for, in as many lines as it takes."""
    lines: list[list[str]] = [[]]
    x = float(MARGIN)
    for said, drawn in _keys(plot):
        width = 30 + CHARACTER * len(said)
        if lines[-1] and x + width > WIDTH - MARGIN:
            lines.append([])
            x = float(MARGIN)
        y = 40 + LEGEND_LINE * (len(lines) - 1)
        lines[-1].append(f'<g class="key">{drawn(x, y)}{text(x + 14, y + 4, said)}</g>')
        x += width
    return lines


def _keys(plot: StudyPlot) -> Iterator[tuple[str, Callable[[float, float], str]]]:
    for number, attack in enumerate(plot.attacks):
        said = f"{attack} (copy)" if attack == plot.copied else attack
        yield said, partial(_key_shape, number)
    places = [place for panel in plot.panels for place in panel.places]
    if any(place.published is not None for place in places):
        yield "published", lambda x, y: diamond(x + 5, y)
    if any(place.chance is not None for place in places):
        yield "chance", lambda x, y: f'<path class="chance" d="M{x:.1f} {y:.0f}h10"/>'


def _dots(plot: StudyPlot, panel: Panel, top: int) -> tuple[list[str], int]:
    """One line for each attack in each cell, on an axis from left to right."""
    longest = max(len(place.label) for one in plot.panels for place in one.places)
    labels = min(WIDTH // 2, max(LABELS, int(CHARACTER * longest) + 12))  # all panels alike
    left, width = MARGIN + labels, WIDTH - 2 * MARGIN - labels
    step = ROW * max(1, len(plot.attacks)) + APART
    start, height = top + 24, step * len(panel.places)
    parts = [text(MARGIN, top + 12, panel.title, "panel")]
    for place, words in _ticks(plot):
        x = left + width * place / 100
        parts += [line(x, start - 4, x, start + height), text(x, top + 12, words, "middle")]
    for number, cell in enumerate(panel.places):
        y = start + number * step
        parts.append(text(left - 8, y + step / 2, cell.label, "end"))
        parts.append(line(MARGIN, y + step - APART / 2, WIDTH - MARGIN, y + step - APART / 2))

        def at(value: float) -> float:
            return left + width * plot.axis.at(value) / 100

        if cell.chance is not None:
            parts.append(f'<path class="chance" d="M{at(cell.chance):.1f} {y - 2}v{step - APART}"/>')
        for mark in cell.marks:
            row = plot.attacks.index(mark.attack)
            middle = y + ROW / 2 + ROW * row
            if mark.low is not None and mark.high is not None:
                parts.append(whisker(row, at(mark.low), middle, at(mark.high), middle))
            parts.append(shape(row, at(mark.value), middle))
        if cell.published is not None:
            parts.append(diamond(at(cell.published), y + ROW * max(1, len(plot.attacks)) / 2))
    return parts, 24 + height + 12


def _field(plot: StudyPlot, panel: Panel, top: int) -> tuple[list[str], int]:
    """Lines over a number, or bars side by side; values go upwards."""
    left, width = MARGIN + 40, WIDTH - 2 * MARGIN - 40
    start = top + 22

    def up(value: float) -> float:
        return start + FIELD * (1 - plot.axis.at(value) / 100)

    parts = [text(MARGIN, top + 12, panel.title, "panel")]
    for place, words in _ticks(plot):
        y = start + FIELD * (1 - place / 100)
        parts += [line(left, y, left + width, y), text(left - 6, y + 4, words, "end")]
    reach = 14 if plot.kind == "lines" else width / (2 * len(panel.places)) - 5
    cells = list(zip(_across(plot, panel, left, width), panel.places, strict=True))
    for x, one in cells:
        lines = enumerate(one.label.split(", "))
        parts += [text(x, start + FIELD + 16 + 12 * line, words, "middle small") for line, words in lines]
        if one.chance is not None:
            parts.append(f'<path class="chance" d="M{x - reach:.1f} {up(one.chance):.1f}h{2 * reach:.1f}"/>')
    for number in range(len(plot.attacks)):
        parts += _series(plot, number, cells, up, reach)
    parts += [diamond(x, up(one.published)) for x, one in cells if one.published is not None]
    return parts, FIELD + GAP


def _series(
    plot: StudyPlot, number: int, cells: Sequence[tuple[float, Place]], up: Callable[[float], float], reach: float
) -> Iterator[str]:
    """One attack in all cells of a field."""
    count = len(plot.attacks)
    shift = (number - (count - 1) / 2) * (4.0 if plot.kind == "lines" else 2 * reach / (count + 1))
    named = plot.attacks[number]
    found = [(x + shift, mark) for x, one in cells for mark in one.marks if mark.attack == named]
    if plot.kind == "lines":
        points = " ".join(f"{x:.1f},{up(mark.value):.1f}" for x, mark in found)
        yield f'<polyline class="s{number % COLOURS}" points="{points}"/>'
    for x, mark in found:
        if plot.kind == "bars":
            yield _bar(number, x, up(mark.value), up(plot.axis.start), reach / (count + 1))
        if mark.low is not None and mark.high is not None:
            yield whisker(number, x, up(mark.low), x, up(mark.high))
        yield shape(number, x, up(mark.value))


def _bar(number: int, x: float, y: float, foot: float, half: float) -> str:
    place = f'x="{x - half:.1f}" y="{y:.1f}" width="{2 * half:.1f}" height="{foot - y:.1f}"'
    return f'<rect class="bar s{number % COLOURS}" {place} opacity=".35"/>'


def _across(plot: StudyPlot, panel: Panel, left: float, width: float) -> list[float]:
    """Where the cells of a field stand: on a logarithmic axis that all panels share, or evenly apart."""
    inner, start = width - 80, left + 40
    numbers = [place.across for one in plot.panels for place in one.places if place.across is not None]
    if plot.kind == "lines" and numbers and min(numbers) < max(numbers):
        low, high = math.log10(min(numbers)), math.log10(max(numbers))
        return [start + inner * (math.log10(place.across or 1.0) - low) / (high - low) for place in panel.places]
    return [left + width * (number + 0.5) / len(panel.places) for number in range(len(panel.places))]


def _ticks(plot: StudyPlot) -> list[tuple[float, str]]:
    """Quarters of the axis: place in per cent and value."""
    first, last = plot.axis.start, plot.axis.end
    values = [first + (last - first) * quarter / 4 for quarter in range(5)]
    return [(plot.axis.at(value), number_text(value)) for value in values]


def _key_shape(number: int, x: float, y: float) -> str:
    return shape(number, x + 5, y)


def _words(plot: StudyPlot) -> str:
    return " ".join(f"{panel.title}: {'; '.join(map(_said, panel.places))}." for panel in plot.panels)


def _said(place: Place) -> str:
    marks = ", ".join(f"{mark.attack} {figure_text(mark.value, mark.low, mark.high)}" for mark in place.marks)
    printed = "" if place.published is None else f", published {number_text(place.published)}"
    return f"{place.label or 'all'}: {marks}{printed}"
