"""Divulge: a privacy audit of text models, run by the people responsible for them.

`divulge.audit(target, data=..., secrets=...)` runs one in Python. What a type checker sees is in `__init__.pyi`.
"""

from __future__ import annotations

import importlib

from divulge.errors import AuditError, BudgetExhausted, EvidenceError, ExecutionError, InputError

__all__ = [
    "AuditError",
    "AuditResult",
    "BudgetExhausted",
    "EvidenceError",
    "ExecutionError",
    "InputError",
    "__version__",
    "audit",
    "check",
    "compare",
    "judge",
]

__version__ = "0.1.0"

# Found when they are first asked for, so that `import divulge` and `divulge --help` stay quick.
AuditResult: object
audit: object
check: object
compare: object
judge: object

_LATER = {
    "AuditResult": "divulge.api.result",
    "audit": "divulge.api.auditing",
    "check": "divulge.api.auditing",
    "compare": "divulge.api.judging",
    "judge": "divulge.api.judging",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    found: object = getattr(importlib.import_module(_LATER[name]), name)
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_LATER})
