"""Results of audits that ask whether a deletion left a trace."""

from __future__ import annotations

from typing import Any

from tests.report.sample import arms, figure
from tests.report.whole_run import UTILITY, canaries, made

from divulge.records import SpecResult


def of_deletion(trace: tuple[float, float, float], p_value: float | None, n: int = 20, **more: Any) -> SpecResult:
    """A result with a trace and its p-value, and with an exposure that decides nothing."""
    figures = [
        *arms("trace", trace, 0.5, n=n),
        figure("trace_p_value", p_value, None, None, n=n),
        *arms("exposure", (2.0, 1.5, 2.6), 1.44, (1.4, 0.9, 2.0), n=n),
        *more.pop("figures", ()),
    ]
    fields: dict[str, Any] = {
        "target": "text-classifier",
        "attack": "label-likelihood",
        "access": ("LabelLikelihoodAccess",),
        "secrets": canaries(deleted=True),
    }
    return made(*figures, *UTILITY, **{**fields, **more})


LEFT = of_deletion((0.93, 0.75, 0.985), 0.00052)
GONE = of_deletion((0.52, 0.3, 0.74), 0.42)
FEW = of_deletion((1.0, 0.51, 1.0), None, n=4)
PUSHED = of_deletion((0.2, 0.08, 0.44), 0.99)
