"""The templates of pages, which lie beside their styles in page/."""

from __future__ import annotations

from importlib import resources

import jinja2
from markupsafe import Markup

__all__ = ["page_templates"]


def page_templates(style: str) -> jinja2.Environment:
    """An environment that escapes all text and knows no empty names, with a style sheet of ours as `style`."""
    made = jinja2.Environment(
        loader=jinja2.FunctionLoader(_read),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.globals["style"] = Markup(_read(style))  # noqa: S704 - our own file
    return made


def _read(name: str) -> str:
    return (resources.files("divulge.report") / "page" / name).read_text(encoding="utf-8")
