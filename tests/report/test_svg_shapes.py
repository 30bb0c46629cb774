"""Texts and marks of plots."""

from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from divulge.report import svg_shapes


def test_words_are_escaped() -> None:
    """A name with signs that SVG reads as its own comes back whole."""
    drawn = ET.fromstring(svg_shapes.text(1, 2, 'a < b & "c"', "end"))
    assert drawn.text == 'a < b & "c"'
    assert drawn.attrib == {"x": "1.0", "y": "2.0", "class": "end"}
    assert "class" not in ET.fromstring(svg_shapes.text(1, 2, "a")).attrib


@pytest.mark.parametrize(("number", "drawn"), [(0, "circle"), (1, "rect"), (2, "circle"), (9, "circle")])
def test_the_second_mark_is_a_square(number: int, drawn: str) -> None:
    """Ours is the largest circle; colours come round again."""
    mark = ET.fromstring(svg_shapes.shape(number, 10, 20))
    assert mark.tag == drawn
    assert mark.attrib["class"] == f"mark s{number % svg_shapes.COLOURS}"


def test_lines_go_from_end_to_end() -> None:
    """A rule, and an interval in the colour of its mark."""
    for drawn in (svg_shapes.line(1, 2, 3, 4), svg_shapes.whisker(8, 1, 2, 3, 4)):
        found = ET.fromstring(drawn).attrib
        assert [found[end] for end in ("x1", "y1", "x2", "y2")] == ["1.0", "2.0", "3.0", "4.0"]
    assert "s1" in svg_shapes.whisker(8, 1, 2, 3, 4)
    assert svg_shapes.diamond(5, 5).startswith('<path class="print" d="M5.0 0.0')
