"""A study's plot as SVG."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from tests.report.study_sample import row, study, table, whole

from divulge.report.study_series import study_plot
from divulge.report.study_svg import CHARACTER, FIELD, LABELS, MARGIN, WIDTH, as_svg

NS = "{http://www.w3.org/2000/svg}"
BY_R = [{"canary": "pin", "R": count} for count in (1, 10, 100)]


def drawn(name: str, cells: list[dict[str, object]]) -> ET.Element:
    """The parsed picture of a whole table."""
    return ET.fromstring(as_svg(study_plot(study(name), whole(cells, name))))


def outside_legend(root: ET.Element, tag: str, kind: str) -> list[ET.Element]:
    """Elements of one tag and class that are not part of the legend."""
    return [one for one in root if one.tag == NS + tag and kind in (one.get("class") or "").split()]


def test_each_figure_has_a_mark_and_a_whisker() -> None:
    """Three cells: circles for ours and another, squares for the copy; the print once, chance in each cell."""
    root = drawn("p/table1", BY_R)
    assert len(outside_legend(root, "circle", "s0")) == 3
    assert len(outside_legend(root, "rect", "s1")) == 3
    assert len(outside_legend(root, "circle", "s2")) == 3
    assert len(outside_legend(root, "line", "whisker")) == 9
    assert len(outside_legend(root, "path", "print")) == 1
    assert len(outside_legend(root, "path", "chance")) == 3


def test_marks_stand_where_the_axis_says() -> None:
    """An axis from 0 to 1 with 3 % free at both ends: 0.5 is in the middle, 0.4 and 0.6 are 9.4 % from it."""
    root = drawn("p/table1", BY_R)
    left, width = MARGIN + LABELS, WIDTH - 2 * MARGIN - LABELS
    first = outside_legend(root, "circle", "s0")[0]
    assert float(first.get("cx", "")) == pytest.approx(left + width * 0.5, abs=0.1)
    whisker = outside_legend(root, "line", "whisker")[0]
    ends = [float(whisker.get(name, "")) for name in ("x1", "x2")]
    assert ends == pytest.approx([left + width * (0.5 - 0.094), left + width * (0.5 + 0.094)], abs=0.1)


def test_lines_rise_with_the_value_and_go_right_with_the_number() -> None:
    """R = 1, 10, 100 are evenly apart on a logarithmic axis; ours falls by a tenth from each to the next."""
    root = drawn("p/figure2", BY_R)
    (line, *others) = [one for one in root if one.tag == NS + "polyline"]
    assert len(others) == 2
    points = [tuple(map(float, pair.split(","))) for pair in line.get("points", "").split()]
    across = [second[0] - first[0] for first, second in pairwise(points)]
    down = [second[1] - first[1] for first, second in pairwise(points)]
    assert across[0] == pytest.approx(across[1], abs=0.2)
    assert across[0] > 0
    assert down == pytest.approx([FIELD * 0.094, FIELD * 0.094], abs=0.2)  # downwards: less is lower


def test_bars_reach_from_nothing_to_the_value() -> None:
    """Of twice the value, twice as high."""
    cells = [{"data": "snips"}, {"data": "atis"}]
    rows = [row(cell, "ours", value) for cell, value in zip(cells, (0.4, 0.8), strict=True)]
    root = ET.fromstring(as_svg(study_plot(study("p/figure3"), table(*rows, name="p/figure3"))))
    low, high = (float(one.get("height", "")) for one in outside_legend(root, "rect", "bar"))
    assert high == pytest.approx(2 * low, abs=0.2)
    assert low == pytest.approx(FIELD * 0.94 * 0.4, abs=0.2)


def test_the_legend_names_what_is_drawn() -> None:
    """Every attack, which of them is the copy, the print and chance; where nothing is printed, no print."""
    words = [
        one.text for group in drawn("p/table1", BY_R) if group.get("class") == "key" for one in group.iter(NS + "text")
    ]
    assert words == ["ours", "theirs (copy)", "other", "published", "chance"]
    plain = as_svg(study_plot(study(), table(row({"R": 1}, "ours", 0.2))))
    assert "published" not in plain


def test_a_long_legend_goes_on_in_a_second_line() -> None:
    """Nothing reaches beyond the right edge, and the first field begins below the last line."""
    names = [f"an-attack-with-a-long-name-{number}" for number in range(7)]
    rows = [row({"R": 1}, name, 0.1 * number) for number, name in enumerate(names)]
    root = ET.fromstring(as_svg(study_plot(study(), table(*rows))))
    keys = [one for group in root if group.get("class") == "key" for one in group.iter(NS + "text")]
    ends = [float(one.get("x", "")) + CHARACTER * len(one.text or "") for one in keys]
    lines = [float(one.get("y", "")) for one in keys]
    assert max(ends) < WIDTH
    assert len(keys) == 7
    assert len(set(lines)) > 1
    panels = [float(one.get("y", "")) for one in root.iter(NS + "text") if one.get("class") in ("middle", "panel")]
    assert min(panels) > max(lines)
    assert len({group[0].get("class") for group in root if group.get("class") == "key"}) == 7  # no colour twice


def test_the_picture_is_told_in_words_and_text_is_escaped() -> None:
    """For whoever cannot see it; no value can break out."""
    text = as_svg(study_plot(study(), table(row({"R": "<1> & more"}, "ours", 0.2), row({"R": "2"}, "ours", 0.25))))
    root = ET.fromstring(text)
    described = root.find(NS + "desc")
    assert described is not None
    assert "ours 0.2 [0.1, 0.3]" in (described.text or "")
    assert "&lt;1&gt; &amp; more" in text
    assert "<script" not in text


def test_an_interval_that_is_missing_is_not_drawn() -> None:
    """The mark is."""
    root = ET.fromstring(as_svg(study_plot(study(), table(row({"R": 1}, "ours", 0.2, low=None, high=None)))))
    assert outside_legend(root, "line", "whisker") == []
    assert len(outside_legend(root, "circle", "s0")) == 1
