"""The reports, by format. Adding one is a file with a `render` function, a line here and a test file."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Protocol

from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.records import Revealed, RunResults

__all__ = ["REPORTS", "Render", "rendered", "report_named"]

REPORTS: dict[str, str] = {
    "html": "divulge.report.html:render",
    "json": "divulge.report.as_json:render",
    "md": "divulge.report.markdown:render",
}


class Render(Protocol):
    """Writes a run in one format; with `revealed` (by spec hash), what people read shows those secrets."""

    def __call__(self, results: RunResults, revealed: Mapping[str, Sequence[Revealed]] = ...) -> str:
        """Returns the whole document, which ends with a line break."""


def report_named(name: str) -> Render:
    """Finds the function that writes a run in one format."""
    path = REPORTS.get(name)
    if path is None:
        raise InputError(f"unknown report format {name!r}.{did_you_mean(name, REPORTS)}")
    module_name, _, function = path.partition(":")
    render: Render = getattr(importlib.import_module(module_name), function)
    return render


def rendered(results: RunResults, name: str, revealed: Mapping[str, Sequence[Revealed]] | None = None) -> str:
    """Writes a run in one of the formats, without any secret unless some are given to be shown."""
    return report_named(name)(results, revealed or {})
