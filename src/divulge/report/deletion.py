"""What became of a deletion, in words: a trace is left, none was found, or the canaries cannot tell."""

from __future__ import annotations

from divulge.metrics.trace import SIGNIFICANT
from divulge.records import Measurement

__all__ = ["trace_sentence"]


def trace_sentence(kind: str, found: Measurement | None, p_value: float | None, access: str) -> str:
    """Says what a trace shows; `found` is None where no canary was placed among others."""
    if found is None or found.value is None or found.low is None or found.high is None:
        return "Inconclusive: no canary was placed beside controls, so that nothing is known about a trace."
    if p_value is None:
        return (
            f"Inconclusive: {found.n} canaries, planted or held out, cannot tell a trace from chance, whichever of "
            f"them stand better: the p-value stays above {SIGNIFICANT:g}. Plant and hold out more."
        )
    shown = (
        f"one that was planted stands better than a control with a probability of {found.value:.2f} (95 % interval "
        f"{found.low:.2f} to {found.high:.2f}; 0.5 is no trace), p-value {p_value:.2g}, n = {found.n}"
    )
    if kind == "inconclusive":
        return (
            f"Inconclusive: the deleted canaries stand worse than controls at {access}: {shown}. No training without "
            "them does that: they were pushed away, not forgotten, which leaves a trace of another kind."
        )
    if kind == "leak":
        return f"A trace of the deleted canaries is left at {access}: {shown}."
    return (
        f"No trace of the deleted canaries was found at {access}: {shown}. The interval still allows one of "
        f"{max(found.high, 0.5):.2f}: that none was found does not prove that none is left."
    )
