"""The templates of pages."""

from __future__ import annotations

import jinja2
import pytest

from divulge.report.page_templates import page_templates


@pytest.mark.parametrize("style", ["page.css", "evidence.css"])
def test_text_is_escaped_and_our_own_style_is_not(style: str) -> None:
    """What was read from data must never become markup; a style with a quotation mark in it must stay one."""
    made = page_templates(style)
    assert made.from_string("{{ text }}").render(text="<b>") == "&lt;b&gt;"
    shown = made.from_string("{{ style }}").render()
    assert "{" in shown
    assert "&#" not in shown
    assert "&lt;" not in shown


def test_a_name_that_nobody_gave_is_an_error() -> None:
    """A slip in a template must not leave a gap in a page."""
    with pytest.raises(jinja2.UndefinedError):
        page_templates("page.css").from_string("{{ missing }}").render()
