"""The reports, by format. Adding one is a file with a `render` function, a line here and a test file."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import Protocol, cast

from divulge.errors import InputError
from divulge.gate.judgements import Judged
from divulge.parts import did_you_mean
from divulge.records import Revealed, RunResults

__all__ = ["JUDGED", "REPORTS", "Render", "RenderJudged", "rendered", "report_named"]

REPORTS: dict[str, str] = {
    "card": "divulge.report.card:render",
    "html": "divulge.report.html:render",
    "json": "divulge.report.as_json:render",
    "junit": "divulge.report.junit:render",
    "md": "divulge.report.markdown:render",
    "sarif": "divulge.report.sarif:render",
}
JUDGED = ("card", "junit", "sarif")  # those that can show what a policy says; none of them ever shows a secret


class Render(Protocol):
    """Writes a run in one format; with `revealed` (by spec hash), what people read shows those secrets."""

    def __call__(self, results: RunResults, revealed: Mapping[str, Sequence[Revealed]] = ...) -> str:
        """Returns the whole document, which ends with a line break."""


class RenderJudged(Protocol):
    """Writes a run in one format beside what a policy says of it; `source` is the file that the results came from."""

    def __call__(
        self,
        results: RunResults,
        revealed: Mapping[str, Sequence[Revealed]] = ...,
        judged: Judged | None = ...,
        source: str = ...,
    ) -> str:
        """Returns the whole document, which ends with a line break."""


def report_named(name: str) -> Render:
    """Finds the function that writes a run in one format."""
    path = REPORTS.get(name)
    if path is None:
        raise InputError(f"unknown report format {name!r}.{did_you_mean(name, REPORTS)}")
    module_name, _, function = path.partition(":")
    render: Render = getattr(importlib.import_module(module_name), function)
    return render


def rendered(
    results: RunResults,
    name: str,
    revealed: Mapping[str, Sequence[Revealed]] | None = None,
    judged: Judged | None = None,
    source: str = "results.json",
) -> str:
    """Writes a run in one of the formats, without any secret unless some are given to be shown."""
    render = report_named(name)
    if name in JUDGED:
        return cast("RenderJudged", render)(results, revealed or {}, judged, source)
    if judged is not None:
        raise InputError(f"the format {name!r} shows no policy. Those that do: {', '.join(JUDGED)}")
    return render(results, revealed or {})
