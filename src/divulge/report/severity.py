"""How grave a finding is: by what an adversary gains, and by how little access they need for it.

To read a secret is worth more than to learn that a text was used; what anybody can do who uses the product is graver
than what takes the scores of an interface, and that is graver than what takes the weights. A privacy claim that is
refuted comes first: everything that was decided because of it is in doubt.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Literal

from divulge.report.findings import Comparison, Finding

__all__ = ["SEVERITIES", "SEVERITY_WORDS", "Severity", "rung_of", "severity"]

Severity = Literal["critical", "high", "medium", "low", "unclear", "none"]
SEVERITIES: tuple[Severity, ...] = ("critical", "high", "medium", "low", "unclear", "none")  # the order of a report
SEVERITY_WORDS = {
    "critical": "secrets come out to whoever can use the product, or a privacy claim is refuted",
    "high": "secrets come out of scores or vectors, or users of the product can tell who was in the training data",
    "medium": "secrets come out of the weights, or scores tell who was in the training data",
    "low": "the weights tell who was in the training data",
    "unclear": "the figures allow both a leak and none, or nothing was attacked",
    "none": "these attacks found none, which does not show that there is none",
}
RUNGS = {"LabelAccess": 0, "RankedTokensAccess": 0, "LabelLikelihoodAccess": 1, "TokenLikelihoodAccess": 1}
RUNGS |= {"TopLabelAccess": 1, "EmbeddedRowsAccess": 1, "EmbeddingOracleAccess": 1, "GradientAccess": 2}
MIDDLE = 1  # of an access of somebody's own
MEMBERSHIP = ("users", "records")
GUESSED = 0.05  # the share of secrets that as many blind guesses find
NARROWING = ("exposure", "rank", "hdt", "trace")  # a canary is easier to guess, but was not read out


def severity(found: Finding, secrets_kind: str, levels: Collection[str]) -> Severity:
    """Grades one finding; a leak by its gain and its access, one step lower where secrets were only narrowed down."""
    if found.refuted:
        return "critical"
    if found.kind != "leak":
        return "none" if found.kind == "none found" else "unclear"
    narrowed = secrets_kind == "canaries" and all(_narrows(one) for one in found.comparisons if one.leaks)
    return SEVERITIES[rung_of(levels) + (narrowed or secrets_kind in MEMBERSHIP)]


def _narrows(one: Comparison) -> bool:
    """Whether a figure shows that a secret is easier to guess, and not that it was read out: so many guesses that
    guessing alone succeeds in a few percent are no reading.
    """
    chance = one.baseline.value if one.baseline is not None else None
    return one.metric in NARROWING or (one.metric == "success" and chance is not None and chance > GUESSED)


def rung_of(levels: Collection[str]) -> int:
    """How far up the strongest level is that was asked: 0 any user, 1 scores or vectors, 2 weights."""
    return max((RUNGS.get(level, MIDDLE) for level in levels), default=MIDDLE)
