"""The reports, by format. Adding one is a file with a `render` function, a line here and a test file."""

from __future__ import annotations

import importlib
from collections.abc import Callable

from divulge.errors import InputError
from divulge.parts import did_you_mean
from divulge.records import RunResults

__all__ = ["REPORTS", "rendered", "report_named"]

REPORTS: dict[str, str] = {
    "json": "divulge.report.as_json:render",
    "md": "divulge.report.markdown:render",
}


def report_named(name: str) -> Callable[[RunResults], str]:
    """Finds the function that writes a run in one format."""
    path = REPORTS.get(name)
    if path is None:
        raise InputError(f"unknown report format {name!r}.{did_you_mean(name, REPORTS)}")
    module_name, _, function = path.partition(":")
    render: Callable[[RunResults], str] = getattr(importlib.import_module(module_name), function)
    return render


def rendered(results: RunResults, name: str) -> str:
    """Writes a run in one of the formats."""
    return report_named(name)(results)
