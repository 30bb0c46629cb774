"""Leak against utility as one SVG file: a field for each adversary, a number for each defence."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from markupsafe import escape

from divulge.report.charts import Axis
from divulge.report.study_trade_offs import Defended, Side, StudyTradeOff
from divulge.report.svg_shapes import CHARACTER, MARGIN, STYLE, WIDTH, line, shape, text, whisker
from divulge.report.tables import figure_text, number_text

__all__ = ["trade_off_svg"]

FIELD, GAP = 260, 62  # the height of a field, and the room around it
LEFT = MARGIN + 40
ACROSS = WIDTH - LEFT - MARGIN - 30
NAMES_LINE = 16
CLOSE = (44.0, 13.0)  # pixels across and up between marks whose numbers would hide each other


def trade_off_svg(plot: StudyTradeOff) -> str:
    """Draws a trade-off."""
    top, parts = 40, list[str]()
    for side in plot.sides:
        parts += _field(plot, side, top)
        top += FIELD + GAP
    names = list(_names(plot, top + 8))
    height = top + 8 + NAMES_LINE * len(names)
    size = f'viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    head = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img" aria-labelledby="title words">',
        f'<title id="title">{escape(plot.title)}</title>',
        f'<desc id="words">{escape(_words(plot))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="ground" width="{WIDTH}" height="{height}"/>',
        text(MARGIN, 22, plot.title, "title"),
    ]
    return "\n".join([*head, *parts, *names, "</svg>"]) + "\n"


def _field(plot: StudyTradeOff, side: Side, top: int) -> Iterator[str]:
    start = top + 20

    def up(value: float) -> float:
        share = plot.up.at(value) / 100
        return start + FIELD * (1 - share if plot.leaks_up else share)

    def across(value: float) -> float:
        return LEFT + ACROSS * plot.across.at(value) / 100

    yield text(MARGIN, top + 10, side.title, "panel")
    for value in _quarters(plot.up):
        yield line(LEFT, up(value), LEFT + ACROSS, up(value))
        yield text(LEFT - 6, up(value) + 4, number_text(value), "end")
    for value in _quarters(plot.across):
        yield line(across(value), start, across(value), start + FIELD)
        yield text(across(value), start + FIELD + 14, number_text(value), "middle")
    yield text(LEFT + ACROSS, start + FIELD + 28, f"utility: {plot.across.metric}", "end")
    yield text(LEFT + 4, start + 10, f"leak: {plot.up.metric}")
    places = [(across(one.utility.value or 0.0), up(one.leak.value or 0.0), one) for one in side.points]
    for x, y, one in sorted(places, key=lambda place: place[2].bare):  # that of no defence on top
        colour, leak, utility = int(one.bare), one.leak, one.utility
        if leak.low is not None and leak.high is not None:
            yield whisker(colour, x, up(leak.low), x, up(leak.high))
        if utility.low is not None and utility.high is not None:
            yield whisker(colour, across(utility.low), y, across(utility.high), y)
        yield shape(colour, x, y)
    for x, y, numbers in _labels(places):
        right = x > LEFT + ACROSS / 2  # where long texts would leave the picture
        said = ", ".join(map(str, numbers))
        yield text(x + 4, y - 7, said, "panel end") if right else text(x + 6, y - 5, said, "panel")


def _labels(places: Sequence[tuple[float, float, Defended]]) -> list[tuple[float, float, list[int]]]:
    """The numbers of marks that lie close together stand together, above the rightmost of them."""
    groups: list[list[tuple[float, float, Defended]]] = []
    for place in places:
        near = [group for group in groups if any(_near(place, one) for one in group)]
        groups = [group for group in groups if group not in near] + [[place, *(one for group in near for one in group)]]
    return [
        (max(x for x, _, _ in group), min(y for _, y, _ in group), sorted(point.number for _, _, point in group))
        for group in groups
    ]


def _near(one: tuple[float, float, Defended], other: tuple[float, float, Defended]) -> bool:
    return abs(one[0] - other[0]) < CLOSE[0] and abs(one[1] - other[1]) < CLOSE[1]


def _names(plot: StudyTradeOff, top: int) -> Iterator[str]:
    """Which number is which defence, in as many lines as it takes."""
    told, most = "", (WIDTH - 2 * MARGIN) / CHARACTER
    lines = []
    for number, name in plot.names.items():
        said = f"{number} {name}"
        if told and len(told) + len(said) + 3 > most:
            lines.append(told)
            told = said
        else:
            told = f"{told} · {said}" if told else said
    yield from (text(MARGIN, top + NAMES_LINE * place, words) for place, words in enumerate([*lines, told]))


def _quarters(axis: Axis) -> list[float]:
    return [axis.start + (axis.end - axis.start) * quarter / 4 for quarter in range(5)]


def _words(plot: StudyTradeOff) -> str:
    return " ".join(f"{side.title or 'all'}: {'; '.join(map(_said, side.points))}." for side in plot.sides)


def _said(one: Defended) -> str:
    leak, utility = one.leak, one.utility
    said = f"{one.label}: {leak.metric} {figure_text(leak.value, leak.low, leak.high)} by {leak.attack}"
    return f"{said}, {utility.metric} {figure_text(utility.value, utility.low, utility.high)}"
