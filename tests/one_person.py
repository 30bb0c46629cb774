"""Small audits about one person, for tests: a stand-in that knows its people by heart or not at all."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from divulge.parts import validate
from divulge.records import RunResults
from divulge.runs import run_specs
from divulge.settings import set_at
from divulge.spec import AuditFile, AuditSpec
from divulge.store import Store

PERSON = "user-03"


def values(settings: dict[str, Any] | None = None) -> dict[str, Any]:
    """An audit file as plain values, with some of them set."""
    found: dict[str, Any] = {
        "target": {"kind": "fake-generator", "recipe": {"leaks": True}},
        "data": {"name": "synthetic-users", "options": {"users": 90, "texts": 4}},
        "secrets": {"kind": "users", "person": PERSON, "count": 10, "controls": 20},
        "adversary": {
            "access": ["RankedTokensAccess"],
            "background": {"shadows": 1, "controls": 19, "target": {"kind": "fake-generator"}},
        },
        "attacks": [{"name": "calibrated-ratio"}],
        "probes": [{"name": "token-accuracy"}],
    }
    for path, value in (settings or {}).items():
        set_at(found, path, value, "test")
    return found


def specs(settings: dict[str, Any] | None = None) -> tuple[AuditSpec, ...]:
    """The specs of the audit."""
    return validate(AuditFile, values(settings), "audit.toml").specs()


def audited(folder: Path, settings: dict[str, Any] | None = None) -> RunResults:
    """Runs it in this process."""
    return run_specs(specs(settings), Store(folder), workers=0)
