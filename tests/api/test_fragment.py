"""A run as a piece of a notebook."""

from __future__ import annotations

from html.parser import HTMLParser

from tests.report.sample import SECRET, arms, result, run

from divulge.api.fragment import fragment
from divulge.records import Failure

LEAK = arms("accuracy", (0.93, 0.81, 0.98), 0.1, (0.08, 0.03, 0.2))


class Reader(HTMLParser):
    """Collects tags and text, and checks that every tag is closed."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.open: list[str] = []
        self.styles: list[str] = []
        self.words: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.open.append(tag)
        self.styles += [value or "" for name, value in attrs if name == "style"]
        assert {name for name, _ in attrs} <= {"style", "scope"}

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def test_the_verdict_and_the_figures() -> None:
    """With intervals, beside baseline and control; one row for each result."""
    read = Reader(fragment(run(result(*LEAK), result(*LEAK, attack="discrete-search"))))
    assert read.open == []
    assert read.tags.count("tr") == 3
    assert {"leak", "0.93 [0.81, 0.98] n=40", "0.1", "0.08 [0.03, 0.2] n=40", "soft-token"} <= set(read.words)
    assert SECRET not in "".join(read.words)


def test_it_stays_within_itself() -> None:
    """No script, no style that would reach the page around it, no background: it is read on light and on dark."""
    read = Reader(fragment(run(result(*LEAK))))
    assert set(read.tags) <= {"div", "p", "table", "thead", "tbody", "tr", "th", "td", "ul", "li"}
    assert "color:inherit" in read.styles[0]
    assert not any("background" in style and "transparent" not in style for style in read.styles)
    assert not any("url(" in style for style in read.styles)


def test_what_comes_from_outside_is_escaped() -> None:
    """The reason of a failure, the name of an attack."""
    text = fragment(run(result(*LEAK, attack="<b>x"), failures=(Failure(spec_hash="1" * 16, reason="<script>"),)))
    read = Reader(text)
    assert "b" not in read.tags
    assert "script" not in read.tags
    assert "<script>" in "".join(read.words)


def test_an_empty_run_has_no_table() -> None:
    """Only its verdict."""
    assert "table" not in Reader(fragment(run())).tags
