"""Where a finding belongs in public catalogues of risks: names to look up, nothing that a page would fetch.

docs/standards.md says, row by row, what a finding is evidence for and what it is not.
"""

from __future__ import annotations

from collections.abc import Collection

from divulge.report.severity import MEMBERSHIP, rung_of

__all__ = ["REFUTED", "standards"]

DISCLOSURE = "OWASP LLM02:2025"
OPINION = "EDPB opinion 28/2024"
REFUTED = ("OWASP AISVS 11.3.3", OPINION)
WEIGHTS = 2  # the rung at which nothing is asked through an interface any more


def standards(secrets_kind: str, levels: Collection[str]) -> tuple[str, ...]:
    """The catalogue entries that a leak of this kind, at these access levels, is evidence about."""
    through_interface = rung_of(levels) < WEIGHTS
    if secrets_kind in MEMBERSHIP:
        return ("OWASP AISVS 11.3.3", *(["MITRE ATLAS AML.T0024.000"] if through_interface else []), OPINION)
    if secrets_kind == "rows":
        return ("OWASP AISVS 8.4.1", "OWASP LLM08:2025", OPINION)
    return (DISCLOSURE, *(["MITRE ATLAS AML.T0024.001"] if through_interface else []), OPINION)
